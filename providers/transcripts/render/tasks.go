package render

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"ctxfs/providers/internal/lazyjson"
)

// task is an entry of the agent's own list of tasks.
type task struct {
	ID     string `json:"id,omitempty"`
	Text   string `json:"t"`
	Status string `json:"s"` // pending, in_progress, completed, or the agent's word
	Seq    int    `json:"n"`
}

// tasks is the list in its latest state.
type tasks struct {
	List []task `json:"list,omitempty"`
	Made int    `json:"made,omitempty"`
	Left int    `json:"left,omitempty"`
}

// taskChange is a change of the list by a call: of the whole list, or of one entry.
type taskChange struct {
	All  bool   `json:"all,omitempty"`
	Look bool   `json:"look,omitempty"` // it only asks for the list
	New  bool   `json:"new,omitempty"`
	List []task `json:"list,omitempty"`
}

const maxTasks = 24

// taskOf returns what a call does to the list of tasks; nil if nothing.
func taskOf(tool string, input lazyjson.Value) *taskChange {
	switch strings.ReplaceAll(strings.ToLower(tool), "_", "") {
	case "taskcreate":
		return &taskChange{New: true, List: []task{taskFrom(input)}}
	case "tasklist":
		return &taskChange{Look: true}
	case "taskupdate":
		return &taskChange{List: []task{taskFrom(input)}}
	case "todowrite", "updateplan", "writetodos", "managetodolist", "updatetodolist", "updatetodos":
		for _, name := range []string{"todos", "plan", "todoList", "items"} {
			v := input.Get(name)
			switch {
			case v.IsArray():
				return &taskChange{All: true, List: taskList(v)}
			case v.Type == lazyjson.String:
				return &taskChange{All: true, List: checklist(v.Str)}
			}
		}
	}
	if v := input.Get("task_progress"); v.Type == lazyjson.String && v.Str != "" {
		return &taskChange{All: true, List: checklist(v.Str)}
	}
	return nil
}

func taskList(v lazyjson.Value) []task {
	var list []task
	for _, one := range lazyjson.All(v) {
		if list = append(list, taskFrom(one)); len(list) == 60 {
			break
		}
	}
	return list
}

func taskFrom(v lazyjson.Value) task {
	if v.Type == lazyjson.String {
		return task{Text: oneLineOf(v.Str, longWhat), Status: "pending"}
	}
	t := task{Status: oneLineOf(v.Get("status").String(), 30)}
	for _, name := range []string{"taskId", "id"} {
		if t.ID == "" {
			t.ID = oneLineOf(v.Get(name).String(), 40)
		}
	}
	for _, name := range []string{"content", "subject", "step", "title", "description", "text"} {
		if t.Text == "" {
			t.Text = oneLineOf(v.Get(name).String(), longWhat)
		}
	}
	t.Status = strings.ReplaceAll(t.Status, "-", "_")
	return t
}

// checklist reads a list in Markdown: "- [x] done", "- [ ] to do", "- [-] doing".
func checklist(text string) []task {
	var list []task
	for line := range strings.Lines(text) {
		mark, rest, ok := strings.Cut(strings.TrimLeft(line, " \t-*0123456789."), "]")
		if !ok || !strings.HasPrefix(mark, "[") || len(list) >= 60 {
			continue
		}
		t := task{Text: oneLineOf(rest, longWhat), Status: "in_progress"}
		switch strings.TrimSpace(mark[1:]) {
		case "":
			t.Status = "pending"
		case "x", "X":
			t.Status = "completed"
		}
		list = append(list, t)
	}
	return list
}

// apply applies the change of a call that worked.
func (l *tasks) apply(c *taskChange, seq int, result string) {
	if c.All || c.Look && strings.Contains(result, "No tasks found") {
		l.List, l.Left = nil, 0
	}
	for _, t := range c.List {
		t.Seq = seq
		switch {
		case c.New:
			l.Made++
			t.ID = strconv.Itoa(l.Made)
			if _, rest, ok := strings.Cut(result, "Task #"); ok {
				t.ID = rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))]
			}
			t.Status = cmp.Or(t.Status, "pending")
			l.List = append(l.List, t)
		case c.All:
			l.List = append(l.List, t)
		default:
			for i := range l.List {
				if old := &l.List[i]; old.ID == t.ID {
					old.Status, old.Text, old.Seq = cmp.Or(t.Status, old.Status), cmp.Or(t.Text, old.Text), seq
				}
			}
		}
	}
	for len(l.List) > maxTasks {
		i := slices.IndexFunc(l.List, func(t task) bool { return !t.isOpen() })
		i = max(i, 0)
		l.List = slices.Delete(l.List, i, i+1)
		l.Left++
	}
}

// isOpen reports whether a task is still to be done.
func (t task) isOpen() bool {
	switch t.Status {
	case "completed", "done", "cancelled", "canceled", "deleted":
		return false
	}
	return true
}
