package claudecode

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"ctxfs/fs/facts"
	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/agents/records"
)

// usage is in every line that says what a request took.
var usage = []byte(`"usage"`)

// request is a request to a model in a line of the log, or in a report of progress.
type request struct {
	time      time.Time
	aside     bool
	session   string
	requestID string
	cost      float64
	message   lazyjson.Value
}

// spent reads the requests of a log. A line has all blocks of an answer so far, or one of
// them, and each the tokens of the whole request as far as they are known: those with one
// message and one request are the same, also in other logs, which forks and continued
// sessions begin with. A report of progress repeats the line of a subagent's log. A side
// question repeats messages of its session under other requests.
func spent(log history.Spending, out func(facts.ModelCall)) {
	for line := range log.Lines {
		if !bytes.Contains(line, usage) || !lazyjson.Valid(line) {
			continue
		}
		r := request{session: log.Session}
		var data lazyjson.Value
		for key, v := range lazyjson.All(lazyjson.Parse(line)) {
			switch key.Str {
			case "sessionId":
				r.session = v.String()
			case "data":
				data = v
			default:
				r.read(key.Str, v)
			}
		}
		if !r.message.Get("usage").IsObject() && data.IsObject() {
			for key, v := range lazyjson.All(data.Get("message")) {
				r.read(key.Str, v)
			}
		}
		r.emit(out)
	}
}

// read takes a field that a line and a report have in common.
func (r *request) read(name string, v lazyjson.Value) {
	switch name {
	case "timestamp":
		r.time = records.Time(v)
	case "requestId":
		r.requestID = v.String()
	case "isSidechain":
		r.aside = v.Bool()
	case "costUSD":
		r.cost = v.Float()
	case "message":
		r.message = v
	}
}

func (r *request) emit(out func(facts.ModelCall)) {
	used := r.message.Get("usage")
	if !used.IsObject() {
		return
	}
	id, model := r.message.Get("id").Str, r.message.Get("model").Str
	r.call(id, fast(model, used), used, r.cost, out)
	n := 0
	for _, v := range lazyjson.All(used.Get("iterations")) { // another model was asked for advice
		if model := v.Get("model").Str; v.Get("type").Str == "advisor_message" && model != "" {
			adviser := ""
			if id != "" {
				adviser = fmt.Sprintf("%s:advisor:%d", id, n)
			}
			r.call(adviser, fast(model, v), v, 0, out)
			n++
		}
	}
}

// fast returns the name of a model with what tells that it was asked to be faster, at
// another price.
func fast(model string, used lazyjson.Value) string {
	if model != "" && used.Get("speed").Str == "fast" {
		return model + "-fast"
	}
	return model
}

func (r *request) call(id, model string, used lazyjson.Value, cost float64, out func(facts.ModelCall)) {
	c := facts.ModelCall{Time: r.time, Model: model, Aside: r.aside, Cost: cost, Tokens: facts.Tokens{
		Input: history.Count(used, "input_tokens"), Output: history.Count(used, "output_tokens"),
		CacheRead: history.Count(used, "cache_read_input_tokens"), CacheWrite: history.Count(used, "cache_creation_input_tokens"),
	}}
	if written := used.Get("cache_creation"); written.IsObject() {
		c.Tokens.CacheWrite = history.Count(written, "ephemeral_5m_input_tokens")
		c.Tokens.CacheWriteLong = history.Count(written, "ephemeral_1h_input_tokens")
	}
	if c.Tokens.Total() == 0 && cost == 0 {
		return
	}
	switch {
	case id == "":
	case r.requestID != "":
		c.Key = history.CallKey(id, r.requestID)
	case strings.HasPrefix(id, "msg_"): // the provider's own id
		c.Key = history.CallKey(id, "", r.session)
	default: // a proxy's, which may give one to several
		c.Key = history.CallKey(id, "", r.session, r.time.UnixMilli())
	}
	if id != "" {
		c.Copy = history.CallKey("aside", id, r.session)
	}
	out(c)
}
