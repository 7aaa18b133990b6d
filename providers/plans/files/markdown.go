package files

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"ctxfs/fs/facts"
	"ctxfs/providers/internal/checklist"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/frontmatter"
	"ctxfs/providers/internal/mask"
)

// markdown reads a plan, or a list with boxes.
func markdown(base Found, text []byte, cut bool) facts.Plan {
	p := facts.Plan{Kind: facts.Proposal, State: facts.PlanOpen, Time: base.ModTime, Cut: cut}
	matter, err := frontmatter.Parse(text)
	body := string(text)
	if err == nil {
		body = string(text[matter.Body:])
		p.Title = matter.String("name")
		entries, _ := matter.Fields["todos"].([]any)
		for _, e := range entries {
			todo, _ := e.(map[string]any)
			content, _ := todo["content"].(string)
			id, _ := todo["id"].(string)
			status, _ := todo["status"].(string)
			p.Tasks = appendTask(p.Tasks, facts.Task{ID: id, Text: content, State: checklist.StateOf(status), Time: base.ModTime})
		}
	}
	body = mask.Text(clean.Text(body))
	if len(body) > maxText {
		body, p.Cut = clean.Prefix(body, maxText), true
	}
	if len(p.Tasks) == 0 {
		for _, t := range checklist.Parse(mask.Text(clean.Text(string(text)))) {
			t.Time = base.ModTime
			p.Tasks = appendTask(p.Tasks, t)
		}
	}
	p.Text = strings.Trim(body, "\n")
	p.Title = title(p.Title, p.Text, base.Path)
	return settled(p)
}

// title returns what a plan calls itself: by its front matter, its first heading, else its
// file.
func title(name, text, file string) string {
	if name == "" {
		for line := range strings.Lines(clean.Prefix(text, 4<<10)) {
			if heading, ok := strings.CutPrefix(line, "#"); ok {
				name = strings.TrimLeft(heading, "# ")
				break
			}
		}
	}
	name = clean.Line(mask.Text(name))
	for _, word := range []string{"Plan:", "Implementation Plan:"} {
		name = strings.TrimSpace(strings.TrimPrefix(name, word))
	}
	if generic := strings.ToLower(name); name == "" || generic == "plan" || generic == "implementation plan" || generic == "tasks" {
		base := filepath.Base(file)
		name, _, _ = strings.Cut(base, ".")
		if name == "tasks" || name == "plan" { // of a folder that is named
			name = filepath.Base(filepath.Dir(file))
		}
		name = clean.Line(name)
	}
	return clean.Cut(name, 160)
}

// appendTask appends a task that has a text.
func appendTask(tasks []facts.Task, t facts.Task) []facts.Task {
	t.Text = clean.Cut(clean.Line(mask.Text(clean.Prefix(t.Text, 8<<10))), 2<<10)
	if t.Text == "" {
		return tasks
	}
	t.ID = clean.Cut(clean.Line(t.ID), 100)
	t.State = cmp.Or(t.State, facts.TaskPending)
	return append(tasks, t)
}

// settled returns a plan with its state: a list is done if no task is open.
func settled(p facts.Plan) facts.Plan {
	if len(p.Tasks) > 0 {
		p.State = facts.PlanDone
		if slices.ContainsFunc(p.Tasks, facts.Task.IsOpen) {
			p.State = facts.PlanOpen
		}
	}
	return p
}
