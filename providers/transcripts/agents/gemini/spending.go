package gemini

import (
	"bytes"
	"context"

	"ctxfs/providers/facts"
	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/agents/records"
)

// spent reads the requests of a log. A message that is there again, with more of the
// answer, is the same request; so is one in a history that is rewritten.
func spent(log history.Spending, out func(facts.ModelCall)) {
	m := meter{session: log.Session, out: out}
	for line := range log.Lines {
		if !bytes.Contains(line, []byte(`"tokens"`)) && !bytes.Contains(line, []byte(`"model"`)) || !lazyjson.Valid(line) {
			continue
		}
		v := lazyjson.Parse(line)
		if model := v.Get("model").Str; model != "" {
			m.model = model
		}
		m.message(v)
		v.Get("$set.messages").ForEach(func(_, v lazyjson.Value) bool {
			m.message(v)
			return true
		})
	}
}

// spentFile reads the requests of a .json file.
func spentFile(_ context.Context, path, key string, out func(facts.ModelCall)) error {
	v, err := records.ReadDocument(path)
	if err != nil {
		return err
	}
	m := meter{session: key, out: out}
	v.Get("messages").ForEach(func(_, v lazyjson.Value) bool {
		m.message(v)
		return true
	})
	return nil
}

type meter struct {
	session, model string
	out            func(facts.ModelCall)
}

// message emits the request that a message answers. Whether what was read from the cache
// is part of the input differs between versions: the total tells.
func (m *meter) message(v lazyjson.Value) {
	used := v.Get("tokens")
	if v.Get("type").Str != "gemini" || !used.IsObject() {
		return
	}
	input, cached := history.Count(used, "input", "prompt"), history.Count(used, "cached")
	output, thoughts, tool := history.Count(used, "output", "candidates"), history.Count(used, "thoughts", "reasoning"), history.Count(used, "tool")
	total := history.Count(used, "total")
	if inclusive := input + output + thoughts + tool; cached > 0 && total == inclusive {
		input = max(0, input-cached)
	}
	c := facts.ModelCall{Time: records.Time(v.Get("timestamp")), Model: v.Get("model").Str}
	if c.Model == "" {
		c.Model = m.model
	}
	c.Tokens = history.Filled(facts.Tokens{Input: input + tool, CacheRead: cached, Output: output, Reasoning: thoughts}, total)
	if id := v.Get("id").Str; id != "" {
		c.Key = history.CallKey(m.session, id)
	}
	if c.Tokens.Total() > 0 {
		m.out(c)
	}
}
