// Package cline reads the sessions of Cline and of its fork Roo Code: tasks of the
// extensions of editors (tasks.go), and sessions of Cline's SDK, which its command
// line uses (sdk.go). Both put what a person typed, what tools answered and what
// the program adds into one text; text.go takes such texts apart.
package cline

import (
	"context"
	"strings"

	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/event"
)

// Cline returns the reader of Cline: its tasks in several editors and in its own
// folder, and the sessions of its SDK.
func Cline() history.Agent {
	return history.Agent{Name: "cline", Places: func(m history.Machine) []history.Place {
		folders := m.Folders("cline") // the last one is that of the SDK
		sdk := len(folders) - 1
		return append(taskPlaces("cline", folders[:sdk]), history.Place{Dir: folders[sdk], File: sdkFormat})
	}}
}

// Roo returns the reader of Roo Code. It condenses without losing anything:
// messages that a summary replaces point to it (condenseParent) and stay, and the
// summary (isSummary) comes after them.
func Roo() history.Agent {
	return history.Agent{Name: "roo", Places: func(m history.Machine) []history.Place {
		return taskPlaces("roo", m.Folders("roo"))
	}}
}

// The files of a task of Cline or Roo. All of them are rewritten as a whole.
const (
	// taskHistory is what the model was sent and what it wrote: a list of messages
	// in the shape of Anthropic's API.
	taskHistory = "api_conversation_history.json"
	// taskScreen is what was shown; it has times where the history has no times.
	taskScreen = "ui_messages.json"
	// taskModels (Cline) has the models; taskItem (Roo) the folder, the parent
	// and the first prompt.
	taskModels = "task_metadata.json"
	taskItem   = "history_item.json"
)

// taskPlaces returns the places with tasks of an agent.
func taskPlaces(agent string, dirs []string) []history.Place {
	store := history.Store{
		Sessions: func(_ context.Context, path string) ([]history.Entry, error) { return taskSessions(agent, path) },
		Read:     func(_ context.Context, path, _ string, out event.Sink) error { return taskRead(path, out) },
		Spent:    taskSpent,
	}
	var places []history.Place
	for _, dir := range dirs {
		places = append(places, history.Place{
			Dir: dir,
			File: func(rel string) history.Format {
				if id, name, _ := strings.Cut(rel, "/"); id != "" && name == taskHistory {
					return store
				}
				return nil
			},
			Skip: func(rel string) bool { return strings.Contains(rel, "/") }, // checkpoints
		})
	}
	return places
}
