package plans

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"ctxfs/fs/facts"
	"ctxfs/providers/internal/checklist"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/transcripts/render"
)

// list is the list of tasks of a session in its latest state.
type list struct {
	tasks   []facts.Task
	dropped []facts.Task // in their last state
	made    int          // how many were created one by one
	title   string
	time    time.Time
}

// verb is what a call does to the list.
type verb int

const (
	replaces verb = iota + 1 // it has all tasks
	merges                   // it has some, by their ids
	creates                  // it adds one, whose id is in the result
	updates                  // it changes one, by its id
	tells                    // its result has all tasks
	removes                  // it drops some, by their ids
)

// change is what a call does to the list, if it works.
type change struct {
	verb  verb
	tasks []facts.Task
	title string
	time  time.Time
}

// isList reports whether a tool writes or reads the list of tasks.
func isList(tool string) bool {
	switch tool {
	case "taskcreate", "taskupdate", "tasklist", "todowrite", "updateplan", "writetodos", "managetodolist", "updatetodolist",
		"updatetodos", "updatetodo", "todos", "todolist", "settodolist", "checklist":
		return true
	}
	return false
}

// changeOf returns what a call does to the list; nil if nothing.
func changeOf(tool string, input value, at time.Time) *change {
	c := &change{time: at}
	switch tool {
	case "taskcreate":
		c.verb, c.tasks = creates, []facts.Task{taskOf(input)}
		return c
	case "taskupdate":
		t := taskOf(input)
		t.Text = clean.Cut(clean.Line(input.first("subject").text), mostTask) // not its description
		c.verb, c.tasks = updates, []facts.Task{t}
		return c
	case "tasklist":
		c.verb = tells
		return c
	}
	if tool == "todolist" && input.first("command").text != "" {
		return kiroChange(input, c)
	}
	c.verb = replaces
	if merge, _ := input.member("merge"); merge.text == "true" { // Cursor
		c.verb = merges
	}
	for _, name := range []string{"todos", "plan", "todoList", "todo_list", "items", "tasks", "checklist", "content", "task_progress"} {
		v, ok := input.member(name)
		if !ok || !isList(tool) && name != "task_progress" {
			continue
		}
		entries, ok := v.objects(textNames...)
		if !ok {
			if c.tasks = checklist.Parse(v.text); len(c.tasks) > 0 {
				return c
			}
			if entries, ok = v.list(); !ok {
				continue
			}
		}
		for _, e := range entries {
			c.tasks = append(c.tasks, taskOf(e))
		}
		return c
	}
	return nil
}

// textNames are the names that agents give to what a task says.
var textNames = []string{"content", "subject", "step", "title", "task_description", "description", "text", "task"}

// kiroChange returns what Kiro's todo_list does: its tasks have numbers, from 0.
func kiroChange(input value, c *change) *change {
	numbers := func(name string, state facts.TaskState) {
		v, _ := input.member(name)
		entries, _ := v.list()
		for _, e := range entries {
			c.tasks = append(c.tasks, facts.Task{ID: strings.TrimSpace(e.text), State: state})
		}
	}
	switch input.first("command").text {
	case "create":
		c.verb, c.title = replaces, clean.Line(input.first("todo_list_description").text)
	case "add":
		c.verb = merges
	case "complete":
		c.verb = updates
		numbers("completed_indices", facts.TaskDone)
		return c
	case "remove":
		c.verb = removes
		numbers("remove_indices", "")
		return c
	default:
		return nil
	}
	entries, _ := input.first("tasks", "new_tasks").list()
	for i, e := range entries {
		t := taskOf(e)
		if c.verb == replaces {
			t.ID = strconv.Itoa(i)
		}
		c.tasks = append(c.tasks, t)
	}
	return c
}

// taskOf reads an entry, which is an object or only its text.
func taskOf(v value) facts.Task {
	t := facts.Task{
		ID:    clean.Cut(clean.Line(v.first("taskId", "id").text), 100),
		Text:  v.first(textNames...).text,
		State: checklist.StateOf(v.first("status", "state").text),
	}
	if t.ID == "" && t.Text == "" && v.json().Type == 0 {
		t.Text = v.text
	}
	if done, ok := v.member("completed"); ok && done.text == "true" {
		t.State = facts.TaskDone
	}
	t.Text = clean.Cut(clean.Line(clean.Prefix(t.Text, 4*mostTask)), mostTask)
	return t
}

// apply applies the change of a call that worked. Before returns tasks that were created
// in the session that this one is a fork of.
func (l *list) apply(c *change, result render.Block, before func(id string) (facts.Task, bool)) {
	at := cmp.Or(c.time, result.Time)
	switch c.verb {
	case replaces:
		l.replace(c.tasks, at)
	case merges:
		for _, t := range c.tasks {
			if i := l.byID(t.ID); i >= 0 {
				l.set(i, t, at)
			} else {
				t.Time, t.State = at, cmp.Or(t.State, facts.TaskPending)
				l.tasks = append(l.tasks, t)
			}
		}
	case creates:
		t := c.tasks[0]
		l.made++
		t.ID = strconv.Itoa(l.made)
		if _, rest, ok := strings.Cut(result.Body, "Task #"); ok {
			t.ID = rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))]
		}
		if i := l.byID(t.ID); i >= 0 { // the list was replaced
			l.drop(i)
		}
		t.Time, t.State = at, cmp.Or(t.State, facts.TaskPending)
		l.tasks = append(l.tasks, t)
	case updates:
		for _, t := range c.tasks {
			i := l.byID(t.ID)
			if i < 0 {
				if old, ok := before(t.ID); ok {
					l.tasks = append(l.tasks, old)
					i = len(l.tasks) - 1
				}
			}
			if i >= 0 {
				l.set(i, t, at)
			}
		}
	case removes:
		for _, t := range c.tasks {
			if i := l.byID(t.ID); i >= 0 {
				l.drop(i)
			}
		}
	case tells:
		if !l.readListing(result.Body, at) {
			return
		}
	}
	l.title, l.time = cmp.Or(c.title, l.title), at
	if extra := len(l.tasks) - mostTasks; extra > 0 {
		l.tasks = slices.Delete(l.tasks, 0, extra)
	}
	if extra := len(l.dropped) - mostTasks; extra > 0 {
		l.dropped = slices.Delete(l.dropped, 0, extra)
	}
}

func (l *list) byID(id string) int {
	if id == "" {
		return -1
	}
	return slices.IndexFunc(l.tasks, func(t facts.Task) bool { return t.ID == id })
}

// set changes what a change of one task says of it.
func (l *list) set(i int, t facts.Task, at time.Time) {
	old := &l.tasks[i]
	if t.State != "" && t.State != old.State {
		old.State, old.Time = t.State, at
	}
	old.Text = cmp.Or(t.Text, old.Text)
}

// drop takes a task off the list.
func (l *list) drop(i int) {
	t := l.tasks[i]
	t.Dropped = true
	l.tasks = slices.Delete(l.tasks, i, i+1)
	l.dropped = append(l.dropped, t)
}

// replace replaces the list. A task is the same if its text is; one with the id of
// another and a new text, in a list of the same tasks otherwise, was said in other words.
func (l *list) replace(next []facts.Task, at time.Time) {
	old := l.tasks
	l.tasks = nil
	kept := make([]bool, len(old))
	same := func(t facts.Task) int {
		return slices.IndexFunc(old, func(o facts.Task) bool { return o.Text == t.Text })
	}
	known := 0
	for _, t := range next {
		if same(t) >= 0 {
			known++
		}
	}
	for _, t := range next {
		t.Time, t.State = at, cmp.Or(t.State, facts.TaskPending)
		i := same(t)
		if i < 0 && known > 0 && t.ID != "" {
			i = slices.IndexFunc(old, func(o facts.Task) bool { return o.ID == t.ID })
		}
		if i >= 0 {
			if kept[i] = true; old[i].State == t.State && !old[i].Time.IsZero() {
				t.Time = old[i].Time
			}
		}
		l.dropped = slices.DeleteFunc(l.dropped, func(o facts.Task) bool { return o.Text == t.Text }) // it is back
		l.tasks = append(l.tasks, t)
	}
	for i, o := range old {
		if !kept[i] {
			o.Dropped = true
			l.dropped = append(l.dropped, o)
		}
	}
}

// readListing takes the list as TaskList prints it, "#1 [pending] text" a line; without a task it
// is gone. It reports whether that is what the result says.
func (l *list) readListing(text string, at time.Time) bool {
	if strings.Contains(text, "No tasks found") {
		for len(l.tasks) > 0 {
			l.drop(0)
		}
		return true
	}
	found := false
	for line := range strings.Lines(text) {
		id, rest, ok := strings.Cut(strings.TrimPrefix(line, "#"), " [")
		word, what, closed := strings.Cut(rest, "] ")
		if _, err := strconv.Atoi(id); err != nil || !ok || !closed || !strings.HasPrefix(line, "#") {
			continue
		}
		found = true
		if i := l.byID(id); i >= 0 {
			l.set(i, facts.Task{State: checklist.StateOf(word)}, at)
		} else {
			l.tasks = append(l.tasks, facts.Task{ID: id, Text: clean.Cut(clean.Line(what), mostTask), State: checklist.StateOf(word), Time: at})
		}
	}
	return found
}

func (l *list) plan() facts.Plan {
	p := facts.Plan{Kind: facts.TaskList, State: facts.PlanDone, Title: l.title, Time: l.time, Tasks: slices.Concat(l.tasks, l.dropped)}
	p.Tasks = slices.DeleteFunc(p.Tasks, func(t facts.Task) bool { return t.Text == "" })
	if slices.ContainsFunc(p.Tasks, facts.Task.IsOpen) {
		p.State = facts.PlanOpen
	}
	return p
}
