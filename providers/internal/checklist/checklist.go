// Package checklist reads lists of tasks as people and agents write them: Markdown with
// boxes, and the words for how far a task is.
package checklist

import (
	"slices"
	"strings"

	"ctxfs/fs/facts"
	"ctxfs/providers/internal/clean"
)

const (
	// maxTasks is how many tasks of a list are read, and maxText how long the text of
	// one is, in bytes.
	maxTasks = 1000
	maxText  = 2 << 10
)

// StateOf returns the state that an agent's word stands for; "" for "".
func StateOf(word string) facts.TaskState {
	word = strings.ToLower(clean.Cut(clean.Line(word), 40))
	switch strings.NewReplacer("_", "", "-", "", " ", "").Replace(word) {
	case "pending", "notstarted", "todo", "open", "queued":
		return facts.TaskPending
	case "inprogress", "begun", "active", "doing", "started":
		return facts.TaskBegun
	case "completed", "complete", "done", "finished":
		return facts.TaskDone
	case "cancelled", "canceled", "deleted", "skipped", "removed", "abandoned":
		return facts.TaskCancelled
	}
	return facts.TaskState(word)
}

// Parse reads a list in Markdown: "- [x] done", "- [ ] to do", "- [-] doing", or with
// words in the brackets, "1. [in_progress] doing".
func Parse(text string) (tasks []facts.Task) {
	for line := range strings.Lines(text) {
		line = strings.TrimLeft(line, " \t-*+0123456789.)")
		mark, rest, ok := strings.Cut(line, "]")
		mark, boxed := strings.CutPrefix(mark, "[")
		rest = clean.Cut(clean.Line(strings.TrimPrefix(rest, "* ")), maxText) // optional, of Kiro
		if !ok || !boxed || len(mark) > 20 || strings.HasPrefix(rest, "(") || rest == "" || len(tasks) >= maxTasks {
			continue
		}
		t := facts.Task{Text: rest}
		switch mark = strings.TrimSpace(mark); mark {
		case "":
			t.State = facts.TaskPending
		case "x", "X":
			t.State = facts.TaskDone
		case "-", "~", "/", ">", ".":
			t.State = facts.TaskBegun
		default:
			if t.State = StateOf(mark); !slices.Contains([]facts.TaskState{facts.TaskPending, facts.TaskBegun, facts.TaskDone, facts.TaskCancelled}, t.State) {
				continue // a link, or something else in brackets
			}
		}
		tasks = append(tasks, t)
	}
	return tasks
}
