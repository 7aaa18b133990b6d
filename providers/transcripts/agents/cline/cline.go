// Package cline reads the sessions of Cline and of its fork Roo Code: tasks of the
// extensions of editors (tasks.go), and sessions of Cline's SDK, which its command
// line uses (sdk.go). Both put what a person typed, what tools answered and what
// the program adds into one text; text.go takes such texts apart.
package cline

import (
	"cmp"
	"context"
	"strings"

	"ctxfs/fs/facts"
	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/agents/records"
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

// taskSpent reads the requests of a task: the messages "api_req_started" that were shown
// have them as JSON, with what they cost. The model is in newer versions' messages, else
// the last of the task.
func taskSpent(_ context.Context, path, _ string, out func(facts.ModelCall)) error {
	model := ""
	for _, v := range lazyjson.All(records.ReadOptional(records.Sibling(path, taskModels)).Get("model_usage")) {
		model = v.Get("model_id").Str
	}
	for _, v := range lazyjson.All(records.ReadOptional(records.Sibling(path, taskScreen))) {
		if v.Get("say").Str != "api_req_started" {
			continue
		}
		used := lazyjson.ParseString(v.Get("text").Str)
		c := facts.ModelCall{Time: records.Time(v.Get("ts")), Model: v.Get("modelInfo.modelId").Str, Cost: max(0, used.Get("cost").Float()), Tokens: facts.Tokens{
			Input: history.Count(used, "tokensIn"), Output: history.Count(used, "tokensOut"),
			CacheRead: history.Count(used, "cacheReads"), CacheWrite: history.Count(used, "cacheWrites"),
		}}
		c.Model = cmp.Or(c.Model, model)
		if c.Tokens.Total() > 0 {
			out(c)
		}
	}
	return nil
}

// sdkSpent reads the requests of a session of Cline's SDK from the metrics of its messages,
// whose input has what was read from a cache or written to one.
func sdkSpent(_ context.Context, path, _ string, out func(facts.ModelCall)) error {
	doc, err := records.ReadDocument(path)
	if err != nil {
		return err
	}
	for _, v := range lazyjson.All(doc.Get("messages")) {
		used := v.Get("metrics")
		c := facts.ModelCall{Time: records.Time(v.Get("ts")), Model: v.Get("modelInfo.id").Str, Cost: max(0, used.Get("cost").Float()), Tokens: facts.Tokens{
			Output: history.Count(used, "outputTokens"), CacheRead: history.Count(used, "cacheReadTokens"), CacheWrite: history.Count(used, "cacheWriteTokens"),
		}}
		c.Tokens.Input = max(0, history.Count(used, "inputTokens")-c.Tokens.CacheRead-c.Tokens.CacheWrite)
		if c.Tokens.Total() > 0 {
			out(c)
		}
	}
	return nil
}
