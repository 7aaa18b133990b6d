package cline

import (
	"context"

	"ctxfs/providers/facts"
	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/agents/records"
)

// taskSpent reads the requests of a task: the messages "api_req_started" that were shown
// have them as JSON, with what they cost. The model is in newer versions' messages, else
// the last of the task.
func taskSpent(_ context.Context, path, _ string, out func(facts.ModelCall)) error {
	model := ""
	records.ReadOptional(records.Sibling(path, taskModels)).Get("model_usage").ForEach(func(_, v lazyjson.Value) bool {
		model = v.Get("model_id").Str
		return true
	})
	records.ReadOptional(records.Sibling(path, taskScreen)).ForEach(func(_, v lazyjson.Value) bool {
		if v.Get("say").Str != "api_req_started" {
			return true
		}
		used := lazyjson.ParseString(v.Get("text").Str)
		c := facts.ModelCall{Time: records.Time(v.Get("ts")), Model: v.Get("modelInfo.modelId").Str, Cost: max(0, used.Get("cost").Float()), Tokens: facts.Tokens{
			Input: history.Count(used, "tokensIn"), Output: history.Count(used, "tokensOut"),
			CacheRead: history.Count(used, "cacheReads"), CacheWrite: history.Count(used, "cacheWrites"),
		}}
		if c.Model == "" {
			c.Model = model
		}
		if c.Tokens.Total() > 0 {
			out(c)
		}
		return true
	})
	return nil
}

// sdkSpent reads the requests of a session of Cline's SDK from the metrics of its messages,
// whose input has what was read from a cache or written to one.
func sdkSpent(_ context.Context, path, _ string, out func(facts.ModelCall)) error {
	doc, err := records.ReadDocument(path)
	if err != nil {
		return err
	}
	doc.Get("messages").ForEach(func(_, v lazyjson.Value) bool {
		used := v.Get("metrics")
		c := facts.ModelCall{Time: records.Time(v.Get("ts")), Model: v.Get("modelInfo.id").Str, Cost: max(0, used.Get("cost").Float()), Tokens: facts.Tokens{
			Output: history.Count(used, "outputTokens"), CacheRead: history.Count(used, "cacheReadTokens"), CacheWrite: history.Count(used, "cacheWriteTokens"),
		}}
		c.Tokens.Input = max(0, history.Count(used, "inputTokens")-c.Tokens.CacheRead-c.Tokens.CacheWrite)
		if c.Tokens.Total() > 0 {
			out(c)
		}
		return true
	})
	return nil
}
