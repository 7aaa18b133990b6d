package files

import (
	"cmp"
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ctxfs/fs/facts"
	"ctxfs/providers/internal/checklist"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/internal/mask"
)

// errNoList reports that a file is not a list of tasks.
var errNoList = errors.New("it is no list of tasks")

// parseJSON reads a list as agents write it:
//
//   - [{"content", "status", "id"}], of Claude Code (todos) and opencode;
//   - {"subject", "status", "id"}, one task of a folder, of Claude Code (tasks);
//   - {"description", "tasks": [{"task_description", "completed"}]}, of Kiro.
func parseJSON(base Found, text []byte) []Found {
	if !lazyjson.Valid(text) {
		base.Err = errors.New("it is not valid JSON")
		return []Found{base}
	}
	v := lazyjson.Parse(text)
	if session, agent, ok := strings.Cut(strings.TrimSuffix(filepath.Base(base.Path), ".json"), "-agent-"); ok && session != agent {
		return nil // a subagent's own
	}
	p := facts.Plan{Kind: facts.TaskList, Time: base.ModTime}
	switch {
	case v.IsArray():
		for _, e := range v.Array() {
			p.Tasks = appendTask(p.Tasks, entry(e, base))
		}
	case v.Get("tasks").IsArray():
		p.Title = clean.Cut(clean.Line(mask.Text(v.Get("description").Str)), 160)
		for _, e := range v.Get("tasks").Array() {
			p.Tasks = appendTask(p.Tasks, entry(e, base))
		}
	case v.Get("subject").Str != "":
		if v.Get("metadata._internal").Bool() {
			return nil
		}
		p.Tasks = appendTask(p.Tasks, entry(v, base))
	default:
		base.Err = errNoList
		return []Found{base}
	}
	if len(p.Tasks) == 0 {
		return nil
	}
	base.Plan = settled(p)
	return []Found{base}
}

func entry(v lazyjson.Value, base Found) facts.Task {
	t := facts.Task{ID: v.Get("id").String(), State: checklist.StateOf(v.Get("status").String()), Time: base.ModTime}
	for _, name := range []string{"content", "subject", "task_description", "title", "description"} {
		t.Text = cmp.Or(t.Text, v.Get(name).Str)
	}
	if v.Get("completed").Bool() {
		t.State = facts.TaskDone
	}
	return t
}

// grouped makes one list of the tasks in each folder that has a file for each.
func grouped(all []Found) (out []Found) {
	byDir := make(map[string]int)
	for _, f := range all {
		if f.Agent != "claude-code" || f.Root != "" || filepath.Ext(f.Path) != ".json" || len(f.Names) < 2 {
			out = append(out, f)
			continue
		}
		dir := filepath.Dir(f.Path)
		i, ok := byDir[dir]
		if f.Err != nil {
			out = append(out, f)
			continue
		}
		if !ok {
			byDir[dir] = len(out)
			f.Path, f.Names = dir, f.Names[:1]
			f.Plan.Tasks = slices.Clone(f.Plan.Tasks)
			out = append(out, f)
			continue
		}
		list := &out[i]
		list.Plan.Tasks = append(list.Plan.Tasks, f.Plan.Tasks...)
		if f.ModTime.After(list.ModTime) {
			list.ModTime, list.Plan.Time = f.ModTime, f.ModTime
		}
	}
	for _, i := range byDir {
		slices.SortStableFunc(out[i].Plan.Tasks, func(a, b facts.Task) int {
			x, _ := strconv.Atoi(a.ID)
			y, _ := strconv.Atoi(b.ID)
			return cmp.Compare(x, y)
		})
		out[i].Plan = settled(out[i].Plan)
	}
	return out
}
