package agents

import (
	"cmp"
	"path"
	"path/filepath"
	"strings"

	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/agents/records"
	"ctxfs/providers/transcripts/event"
)

// pi returns the reader of badlogic/pi-mono's coding agent. A session is a log
// below ~/.pi/agent/sessions/--<folder>--/<time>_<id>.jsonl. Its entries are a
// tree by id and parentId (without them before version 2): going back in a
// session and continuing from there appends the new branch at the end. A fork is
// a new file that begins with the entries of the old one, including their ids and
// times.
func pi() history.Agent {
	return history.InFolder("pi", history.Place{File: piFile})
}

func piFile(rel string) history.Format {
	id := piSession(rel)
	if id == "" || strings.Count(rel, "/") > 1 {
		return nil
	}
	return history.Log{ID: id, Open: func(string) history.Reader { return new(piReader) }, Spent: piSpent}
}

// piSession returns the session's id in the name of its file, or "".
func piSession(file string) string {
	file = path.Base(filepath.ToSlash(file))
	name, ok := strings.CutSuffix(file, ".jsonl")
	_, id, two := strings.Cut(name, "_")
	if !ok || !two {
		return ""
	}
	return id
}

// piReader reads a session of Pi.
type piReader struct {
	// Last is the id of the previous entry, LastShown the number of the last
	// event that is part of the conversation.
	Last      string
	LastShown int `json:"Said"`
	// Inherited counts the entries at the beginning that a fork repeats.
	Inherited int `json:"Skipped"`
	Model     string
	Calls     map[string]string
}

// piEntry has the top level of an entry.
type piEntry struct {
	kind, id, parent string
	rooted           bool // parentId is there, and null
	message          lazyjson.Value
	line             lazyjson.Value
}

// Record implements [history.Reader].
func (r *piReader) Record(line []byte, out event.Sink) {
	v, ok := records.ParseLine(line, out)
	if !ok {
		return
	}
	entry := piEntry{line: v}
	var m records.Message
	for key, v := range lazyjson.All(entry.line) {
		switch key.Str {
		case "type":
			entry.kind = v.String()
		case "id":
			entry.id = v.String()
		case "parentId":
			entry.parent, entry.rooted = v.Str, v.Type == lazyjson.Null
		case "timestamp":
			m.Time = records.Time(v)
		case "message":
			entry.message = v
		}
	}
	m.ID = entry.id
	if entry.kind == "session" {
		r.header(m, entry.line, out)
		return
	}
	if entry.id != "" {
		if out.Inherited(entry.id) {
			r.Inherited++
			r.Last = entry.id
			return
		}
	}
	r.forked(m, out)
	r.rewound(m, entry, out)
	r.entry(m, entry, out)
	if entry.id != "" {
		out.Note(entry.id)
		r.Last = entry.id
	}
}

// header reads the first line.
func (r *piReader) header(m records.Message, line lazyjson.Value, out event.Sink) {
	s := out.Session()
	s.ID = cmp.Or(s.ID, m.ID)
	if s.CWD == "" {
		s.CWD = line.Get("cwd").String()
	}
	if parent := records.First(line, "parentSession", "branchedFrom").String(); parent != "" {
		if s.ForkOf = piSession(parent); s.ForkOf == "" {
			s.ForkOf = parent
		}
	}
	r.model(line.Get("modelId").String(), out)
	out.Emit(event.Event{ID: m.ID, Time: m.Time, Kind: event.System, Text: "session", Quiet: true, Record: records.RecordOf(line)})
}

// forked emits the fork mark after the entries that the fork repeats.
func (r *piReader) forked(m records.Message, out event.Sink) {
	if r.Inherited == 0 {
		return
	}
	out.Emit(event.Event{Time: m.Time, Kind: event.Fork, Text: out.Session().ForkOf, Rewound: &event.Rewound{Count: r.Inherited}})
	r.Inherited = 0
}

// rewound emits a mark where the conversation continues from an earlier entry.
func (r *piReader) rewound(m records.Message, entry piEntry, out event.Sink) {
	to := 0
	switch {
	case r.Last == "" || entry.parent == r.Last || entry.id == "":
		return
	case entry.rooted:
	case entry.parent == "":
		return
	default:
		var known bool
		if to, known = out.Known(entry.parent); !known {
			return
		}
	}
	if to < r.LastShown {
		r.LastShown = out.Emit(event.Event{Time: m.Time, Kind: event.Rewind, Rewound: &event.Rewound{To: to}})
	}
}

func (r *piReader) model(name string, out event.Sink) {
	if name != "" {
		r.Model, out.Session().Model = name, name
	}
}

// entry emits the events of an entry.
func (r *piReader) entry(m records.Message, entry piEntry, out event.Sink) {
	line := entry.line
	e := m.Event(event.System)
	switch entry.kind {
	case "message":
		r.message(m, entry, out)
		return
	case "compaction":
		e.Kind = event.Compaction
		e.Compact = &event.Compact{Tokens: int(line.Get("tokensBefore").Int()), Summary: line.Get("summary").String()}
	case "branch_summary":
		e.Kind, e.Origin, e.Text = event.User, event.Injected, line.Get("summary").String()
	case "custom_message":
		m.Origin, m.User = event.Injected, true
		if line.Get("display").Type == lazyjson.False {
			e.Kind, e.Origin, e.Quiet, e.Record = event.User, event.Injected, true, records.RecordOf(line)
			break
		}
		(&records.Blocks{Out: out}).Emit(m, line.Get("content"))
		return
	case "session_info":
		out.Session().Name(event.FromUser, line.Get("name").String())
		e.Text, e.Quiet, e.Record = entry.kind, true, records.RecordOf(line)
	case "model_change":
		r.model(line.Get("modelId").String(), out)
		e.Text, e.Quiet, e.Record = entry.kind, true, records.RecordOf(line)
	case "thinking_level_change", "custom", "label", "context_transform", "ephemeral", "leaf", "active_tools_change":
		e.Text, e.Quiet, e.Record = entry.kind, true, records.RecordOf(line)
	default:
		e.Kind, e.Text, e.Record = event.Unknown, entry.kind, records.RecordOf(line)
	}
	if seq := out.Emit(e); !e.Quiet {
		r.LastShown = seq
	}
}

// message emits the message in an entry.
func (r *piReader) message(m records.Message, entry piEntry, out event.Sink) {
	v := entry.message
	if r.Calls == nil {
		r.Calls = make(map[string]string)
	}
	b := &records.Blocks{Out: shownCounter{out, &r.LastShown}, Calls: r.Calls}
	switch role := v.Get("role").Str; role {
	case "user":
		m.User = true
		b.Emit(m, v.Get("content"))
	case "assistant":
		r.model(v.Get("model").String(), out)
		m.Model = r.Model
		b.Emit(m, v.Get("content"))
		if text := v.Get("errorMessage").String(); text != "" {
			e := m.Event(event.System)
			e.Text = text
			b.Out.Emit(e)
		}
	case "toolResult":
		r.result(b, m, v)
	case "bashExecution": // a command that the user ran with "!"
		m.User = true
		b.Text(m, "! "+v.Get("command").String())
		e := m.Event(event.ToolResult)
		e.Result = &event.Result{Name: "bash", Text: v.Get("output").String(), Spill: v.Get("fullOutputPath").String(),
			Error: v.Get("exitCode").Int() != 0 || v.Get("cancelled").Bool()}
		b.Out.Emit(e)
	case "custom", "hookMessage":
		m.User, m.Origin = true, event.Injected
		b.Emit(m, v.Get("content"))
	default:
		b.Unknown(m, "message of "+role, entry.line)
	}
}

// result emits what a tool returned.
func (r *piReader) result(b *records.Blocks, m records.Message, v lazyjson.Value) {
	call, name := v.Get("toolCallId").String(), v.Get("toolName").String()
	delete(r.Calls, call)
	text, _ := records.ResultText(v.Get("content"))
	e := m.Event(event.ToolResult)
	e.Result = &event.Result{CallID: call, Name: name, Text: text, Error: v.Get("isError").Bool(),
		Spill: v.Get("details.fullOutputPath").String()}
	b.Out.Emit(e)
}

// shownCounter stores the number of the last event that is shown.
type shownCounter struct {
	event.Sink
	last *int
}

// Emit implements [event.Sink].
func (c shownCounter) Emit(e event.Event) int {
	seq := c.Sink.Emit(e)
	if !e.Quiet {
		*c.last = seq
	}
	return seq
}
