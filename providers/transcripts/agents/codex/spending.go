package codex

import (
	"bytes"
	"cmp"
	"slices"
	"time"

	"ctxfs/fs/facts"
	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/agents/records"
)

// unnamedModel is the model of logs that name none: those of versions before turn_context.
const unnamedModel = "gpt-5"

// burst is the longest pause between two counts that a fork has copied. It writes them at
// once, while the answer to a request takes longer.
const burst = time.Second

// meter reads the requests to models of one log.
type meter struct {
	history.Spending
	out   func(facts.ModelCall)
	fork  bool
	model string
	// before is the sum of all requests so far, where the log has it.
	before *counts
	// number counts the requests.
	number int64
	// compactions are requests that a compaction may claim as its own: their tokens are in
	// no other record then.
	compactions map[string]*facts.ModelCall
	compacted   map[string]bool
	last        string // the id of the newest of them
	// copied is set while requests may be those of a session that is gone; waiting has the
	// first.
	copied  bool
	waiting *facts.ModelCall
	at      time.Time
}

// counts are the tokens of a request, or of all so far, as Codex has them: what was read
// from a cache or written to it is part of the input, what was reasoned of the output.
type counts struct{ input, cached, written, output, reasoned, total int64 }

func countsOf(v lazyjson.Value) *counts {
	if !v.IsObject() {
		return nil
	}
	c := &counts{
		input: history.Count(v, "input_tokens"), cached: history.Count(v, "cached_input_tokens", "cache_read_input_tokens"),
		written: history.Count(v, "cache_write_input_tokens", "cache_creation_input_tokens"), output: history.Count(v, "output_tokens"),
		reasoned: history.Count(v, "reasoning_output_tokens"), total: history.Count(v, "total_tokens"),
	}
	c.total = cmp.Or(c.total, c.input+c.output)
	return c
}

// since returns what was added to an earlier sum.
func (c counts) since(before *counts) counts {
	if before == nil {
		return c
	}
	return counts{
		max(0, c.input-before.input), max(0, c.cached-before.cached), max(0, c.written-before.written),
		max(0, c.output-before.output), max(0, c.reasoned-before.reasoned), max(0, c.total-before.total),
	}
}

func (c counts) tokens() facts.Tokens {
	cached := min(c.cached, c.input)
	written := min(c.written, c.input-cached)
	return facts.Tokens{Input: c.input - cached - written, CacheRead: cached, CacheWrite: written, Output: c.output}
}

// spent reads the requests of a log. Its records token_count have the last request and the
// sum of all; a record that repeats the sum repeats the request. A fork begins with the
// counts of its parent, at new times.
func spent(log history.Spending, out func(facts.ModelCall)) {
	m := &meter{Spending: log, out: out, compactions: make(map[string]*facts.ModelCall), compacted: make(map[string]bool)}
	for line := range log.Lines {
		if marked(line) && lazyjson.Valid(line) {
			m.line(lazyjson.Parse(line))
		}
	}
	if m.waiting != nil {
		m.out(*m.waiting)
	}
}

// marks are in the lines that tell something of requests.
var marks = [][]byte{[]byte("token_count"), []byte("turn_context"), []byte("session_meta"), []byte("token_usage_record"), []byte("compacted")}

func marked(line []byte) bool {
	return slices.ContainsFunc(marks, func(mark []byte) bool { return bytes.Contains(line, mark) })
}

func (m *meter) line(v lazyjson.Value) {
	payload, at := v.Get("payload"), records.Time(v.Get("timestamp"))
	switch v.Get("type").Str {
	case "session_meta":
		parent := records.First(payload, "forked_from_id", "source.subagent.thread_spawn.parent_thread_id").Str
		if id := payload.Get("id").Str; parent != "" && parent != id && !m.fork && m.number == 0 {
			m.fork, m.copied = true, m.Root == ""
		}
	case "turn_context":
		m.model = cmp.Or(modelOf(payload), m.model)
	case "compacted":
		m.compaction(payload.Get("compaction_response_id").Str)
	case "token_usage_record":
		m.record(payload, at)
	case "event_msg":
		if payload.Get("type").Str == "token_count" {
			m.count(payload, at)
		}
	}
}

// modelOf returns the model that a record names.
func modelOf(v lazyjson.Value) string {
	return records.First(v, "model", "model_name", "metadata.model").Str
}

// count reads a record token_count.
func (m *meter) count(payload lazyjson.Value, at time.Time) {
	info := payload.Get("info")
	sum, last := countsOf(info.Get("total_token_usage")), countsOf(info.Get("last_token_usage"))
	if sum == nil && last == nil {
		return
	}
	repeated := sum != nil && m.before != nil && *sum == *m.before
	used := counts{}
	switch {
	case last != nil && !repeated:
		used = *last
	case sum != nil:
		used = sum.since(m.before)
	}
	if sum != nil {
		m.before = sum
	}
	if used.input == 0 && used.cached == 0 && used.written == 0 && used.output == 0 && used.reasoned == 0 {
		return
	}
	if waits := m.compactions[m.last]; waits != nil && waits.Tokens == used.tokens() { // it was no compaction's
		delete(m.compactions, m.last)
		m.compacted[m.last] = true
	}
	if model := modelOf(payload); model != "" {
		m.model = model
	} else if model := modelOf(info); model != "" {
		m.model = model
	}
	m.number++
	c := m.call(used, at)
	c.Copy = history.CallKey("fork", m.root(), m.number, used.input, used.cached, used.written, used.output, used.reasoned)
	c.Aside = m.fork
	m.own(c)
}

// own emits a request, unless it is one of a session that is gone: a fork that begins with
// several at once has copied them.
func (m *meter) own(c facts.ModelCall) {
	if !m.copied {
		m.out(c)
		return
	}
	if m.at.IsZero() {
		m.waiting, m.at = &c, c.Time
		return
	}
	if pause := c.Time.Sub(m.at); pause >= 0 && pause <= burst {
		m.waiting, m.at = nil, c.Time
		return
	}
	m.copied = false
	if m.waiting != nil {
		m.out(*m.waiting)
		m.waiting = nil
	}
	m.out(c)
}

// root returns the session with which the line of forks begins.
func (m *meter) root() string {
	return cmp.Or(m.Root, m.Session)
}

func (m *meter) call(used counts, at time.Time) facts.ModelCall {
	model := cmp.Or(m.model, unnamedModel)
	return facts.ModelCall{
		Time: at, Model: model, Tokens: used.tokens(),
		Key: history.CallKey(model, at.UnixMilli(), used.input, used.cached, used.output, used.reasoned, used.total),
	}
}

// record reads a record token_usage_record, of one request: most are counted by
// token_count as well, those of compactions are not.
func (m *meter) record(payload lazyjson.Value, at time.Time) {
	m.last = ""
	id, used := payload.Get("response_id").Str, countsOf(payload.Get("usage"))
	if id == "" || used == nil || used.total == 0 {
		return
	}
	c := m.call(*used, at)
	c.Model = cmp.Or(modelOf(payload), c.Model)
	c.Key = history.CallKey("response", id)
	if m.last = id; m.compactions[id] == nil {
		m.compactions[id] = &c
	}
	if m.compacted[id] {
		m.compaction(id)
	}
}

// compaction emits the request with which a compaction was made, once.
func (m *meter) compaction(id string) {
	if id == "" {
		return
	}
	m.compacted[id] = true
	if c := m.compactions[id]; c != nil {
		delete(m.compactions, id)
		m.out(*c)
	}
}
