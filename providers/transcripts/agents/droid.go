package agents

import (
	"hash/fnv"
	"path"
	"strings"

	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/agents/records"
	"ctxfs/providers/transcripts/event"
)

// droid returns the reader of Factory's agent. A session is a log,
// ~/.factory/sessions/<folder>/<id>.jsonl, whose messages have the shape of
// Anthropic's API. `droid exec --output-format stream-json` prints other records
// for the same events; files of those are read as well.
func droid() history.Agent {
	return history.InFolder("droid", history.Place{File: droidFile})
}

func droidFile(rel string) history.Format {
	id, ok := strings.CutSuffix(path.Base(rel), ".jsonl")
	if !ok || id == "" || strings.Count(rel, "/") > 1 {
		return nil
	}
	return history.Log{ID: id, Open: func(string) history.Reader { return new(droidReader) }}
}

// droidReader reads a session of Droid.
type droidReader struct {
	Calls map[string]string
	// Answer is a hash of what the model said last: a completion repeats it.
	Answer uint64
}

// Record implements [history.Reader].
func (r *droidReader) Record(line []byte, out event.Sink) {
	v, ok := records.ParseLine(line, out)
	if !ok {
		return
	}
	if r.Calls == nil {
		r.Calls = make(map[string]string)
	}
	var kind string
	var m records.Message
	var inner lazyjson.Value
	for key, v := range lazyjson.All(v) {
		switch key.Str {
		case "type":
			kind = v.String()
		case "id":
			m.ID = v.String()
		case "timestamp":
			m.Time = records.Time(v)
		case "message":
			inner = v
		}
	}
	if kind == "message" && inner.IsObject() {
		r.message(m, inner, out)
		return
	}
	if !r.streamed(kind, m, v, out) {
		r.other(kind, m, v, out)
	}
}

// message reads a record of a stored session.
func (r *droidReader) message(m records.Message, v lazyjson.Value, out event.Sink) {
	b := &records.Blocks{Out: out, Calls: r.Calls, Origin: droidOrigin}
	m.User = v.Get("role").Str == "user"
	m.Model = records.First(v, "model", "modelId").String()
	out.Session().Used(m.Model)
	if v.Get("visibility").Str == "llm_only" {
		m.Origin = event.Injected
	}
	b.Emit(m, v.Get("content"))
}

// streamed reads a record of the kinds that only printed sessions have, and reports
// whether it is one.
func (r *droidReader) streamed(kind string, m records.Message, v lazyjson.Value, out event.Sink) bool {
	b := &records.Blocks{Out: out, Calls: r.Calls, Origin: droidOrigin}
	switch kind {
	case "message":
		m.User = v.Get("role").Str == "user"
		text := v.Get("text").String()
		if !m.User {
			r.Answer = hashOf(text)
		}
		b.Text(m, text)
	case "tool_call":
		b.Call(m, records.First(v, "toolCallId", "id").String(), records.First(v, "toolName", "toolId").String(), v.Get("parameters"))
	case "tool_result":
		text, failed := droidResult(v.Get("value"))
		if e := v.Get("error"); e.Exists() && text == "" {
			text, _ = records.ResultText(e)
			failed = true
		}
		b.Result(m, records.First(v, "toolCallId", "id").String(), "", text, failed || v.Get("isError").Bool())
	case "completion":
		if text := v.Get("finalText").String(); hashOf(text) != r.Answer {
			b.Text(m, text)
		}
	case "error":
		e := m.Event(event.System)
		e.Text = records.First(v, "message", "error").String()
		out.Emit(e)
	default:
		return false
	}
	return true
}

// other reads the records that are not part of the conversation.
func (r *droidReader) other(kind string, m records.Message, v lazyjson.Value, out event.Sink) {
	e := m.Event(event.System)
	switch kind {
	case "session_start", "system":
		droidStart(v, out.Session())
		e.Text, e.Quiet, e.Record = kind, true, records.RecordOf(v)
	case "compaction_state":
		e.Kind = event.Compaction
		e.Compact = &event.Compact{
			Trigger: records.First(v, "trigger", "reason").String(),
			Tokens:  int(records.First(v, "tokensBefore", "preTokens").Int()),
			Summary: records.First(v, "summaryText", "summary").String(),
		}
	case "todo_state", "session_end", "session_settings", "agent_turn_outcome":
		e.Text, e.Quiet, e.Record = kind, true, records.RecordOf(v)
	default:
		e.Kind, e.Text, e.Record = event.Unknown, kind, records.RecordOf(v)
	}
	out.Emit(e)
	if m.ID != "" {
		out.Note(m.ID)
	}
}

// droidStart stores what the first record says of the session.
func droidStart(v lazyjson.Value, s *event.Session) {
	if id := records.First(v, "id", "session_id", "sessionId").String(); s.ID == "" && v.Get("type").Str == "session_start" {
		s.ID = id
	}
	if s.CWD == "" {
		s.CWD = v.Get("cwd").String()
	}
	if parent := v.Get("callingSessionId").String(); parent != "" {
		s.Parent = parent
	}
	if version := v.Get("version"); version.Type == lazyjson.String {
		s.Program = version.Str
	}
	s.Used(v.Get("model").String())
	for _, name := range []string{"title", "sessionTitle"} {
		if title := v.Get(name).String(); title != "New Session" {
			s.Name(event.FromAgent, title)
		}
	}
}

// droidResult returns the text of a result as it is printed: a string, or the
// output of a command.
func droidResult(v lazyjson.Value) (text string, failed bool) {
	if v.Get("stdout").Exists() || v.Get("stderr").Exists() {
		return v.Get("stdout").String() + v.Get("stderr").String(), v.Get("exitCode").Int() != 0
	}
	return records.ResultText(v)
}

// droidOrigin returns the origin of a text. The program puts its reminders into
// the user's messages: text after them is a person's.
func droidOrigin(text string) string {
	rest := strings.TrimSpace(text)
	for strings.HasPrefix(rest, "<system-reminder>") {
		_, after, ok := strings.Cut(rest, "</system-reminder>")
		if !ok {
			return event.Injected
		}
		rest = strings.TrimSpace(after)
	}
	if rest == "" || strings.HasPrefix(rest, "<system-notification>") {
		return event.Injected
	}
	return event.Typed
}

func hashOf(text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(text))
	return h.Sum64()
}
