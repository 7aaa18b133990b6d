package plans

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ctxfs/fs/facts"
	"ctxfs/fs/jsonscan"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
)

// card returns the text of an entry's file: the front matter that all have, the text of a
// plan, and its tasks.
func (m *maker) card(e *entry) []byte {
	var b strings.Builder
	field := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "%s: %s\n", name, encoded(value))
		}
	}
	b.WriteString("---\n")
	field("title", e.title)
	b.WriteString("agent: " + e.agent + "\nkind: " + string(e.plan.Kind) + "\nstate: " + string(e.plan.State) + "\n")
	field("session", e.path)
	field("project", e.project.root)
	field("source", e.file)
	if !e.time.IsZero() {
		b.WriteString("modified: " + wording.Time(e.time) + "\n")
	}
	if !e.trusted {
		b.WriteString("trusted: no\n")
	}
	field("answer", clean.Line(e.plan.Said))
	b.WriteString("---\n\n")
	if e.plan.Text != "" {
		b.WriteString(e.plan.Text + "\n")
		if e.plan.Cut {
			where := cmp.Or(e.file, e.path+"/transcript.md")
			b.WriteString("\n[cut here: the whole is in " + clean.Line(where) + "]\n")
		}
	}
	m.tasks(&b, e)
	return []byte(b.String())
}

// tasks writes the tasks of an entry, unless its text is that list.
func (m *maker) tasks(b *strings.Builder, e *entry) {
	if len(e.plan.Tasks) == 0 {
		return
	}
	if e.plan.Text != "" {
		b.WriteString("\n## Tasks\n\n")
	}
	dropped := false
	for _, t := range e.plan.Tasks {
		if t.Dropped && !dropped {
			dropped = true
			b.WriteString("\nNo longer on the list:\n\n")
		}
		note := ""
		if word := string(t.State); !slices.Contains([]facts.TaskState{facts.TaskPending, facts.TaskBegun, facts.TaskDone}, t.State) {
			note = clean.Line(word)
		}
		if t.IsOpen() && !e.open[t.Text] {
			note = strings.TrimPrefix(note+", done, or newer, in another list", ", ")
		}
		if !t.Time.IsZero() && t.State != facts.TaskPending {
			note = strings.TrimPrefix(note+", "+wording.Minute(t.Time), ", ")
		}
		if note != "" {
			note = " (" + note + ")"
		}
		b.WriteString("- " + box(t) + " " + t.Text + note + "\n")
	}
}

// box returns the box of a task in a list of Markdown.
func box(t facts.Task) string {
	switch t.State {
	case facts.TaskDone:
		return "[x]"
	case facts.TaskPending:
		return "[ ]"
	}
	return "[-]"
}

// encoded returns a text as YAML that is JSON, too.
func encoded(text string) string {
	line, _ := jsonscan.Line(clean.Line(text)) // a string always encodes
	return strings.TrimSpace(string(line))
}
