package copilot

import (
	"bytes"

	"ctxfs/fs/facts"
	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/agents/records"
)

// spentInCLI reads what a session of Copilot CLI took, which its log says at each end of the
// program, of all requests to a model together. What was read from a cache or written to
// one is part of the input, what was reasoned of the output.
func spentInCLI(log history.Spending, out func(facts.ModelCall)) {
	for line := range log.Lines {
		if !bytes.Contains(line, []byte(`"modelMetrics"`)) || !lazyjson.Valid(line) {
			continue
		}
		v := lazyjson.Parse(line)
		if v.Get("type").Str != "session.shutdown" {
			continue
		}
		at, id := records.Time(v.Get("timestamp")), v.Get("id").Str
		for model, v := range lazyjson.All(v.Get("data.modelMetrics")) {
			used := v.Get("usage")
			c := facts.ModelCall{Time: at, Model: model.Str, Tokens: facts.Tokens{
				Output: history.Count(used, "outputTokens"), CacheRead: history.Count(used, "cacheReadTokens"), CacheWrite: history.Count(used, "cacheWriteTokens"),
			}}
			c.Tokens.Input = max(0, history.Count(used, "inputTokens")-c.Tokens.CacheRead-c.Tokens.CacheWrite)
			if id != "" {
				c.Key = history.CallKey(log.Session, id, model.Str)
			}
			if c.Tokens.Total() > 0 {
				out(c)
			}
		}
	}
}
