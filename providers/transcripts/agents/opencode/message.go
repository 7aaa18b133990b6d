package opencode

import (
	"strings"
	"time"

	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/internal/sqlite"
	"ctxfs/providers/transcripts/agents/records"
	"ctxfs/providers/transcripts/event"
)

// emitSession emits a session: messages in order, each with its parts. In a live
// session the newest message may still be streamed.
func emitSession(messages []row, parts map[string][]row, revert lazyjson.Value, live bool, out event.Sink) {
	o := reader{out: out, names: make(records.ToolNames), revert: revert}
	for i, m := range messages {
		if newest := live && i == len(messages)-1; m.next {
			o.messageV2(m, newest)
		} else {
			o.message(m, parts[m.message], newest)
		}
	}
	if o.reverted {
		out.Emit(event.Event{Kind: event.Rewind, ID: "revert." + revert.Get("messageID").Str, Rewound: &event.Rewound{To: o.lastKept, Count: o.undone}})
	}
}

type reader struct {
	out   event.Sink
	names records.ToolNames

	// What was undone begins with the message or part that revert names. lastKept
	// is the last event before it, undone counts the messages of the user in it.
	revert   lazyjson.Value
	reverted bool
	lastKept int
	undone   int
	last     int
}

func (o *reader) emit(e event.Event) { o.last = o.out.Emit(e) }

// markReverted checks whether what was undone begins with the next message or
// part.
func (o *reader) markReverted(message, part string) {
	if o.reverted || o.revert.Get("messageID").Str != message || o.revert.Get("partID").Str != part {
		return
	}
	o.reverted, o.lastKept = true, o.last
}

func (o *reader) message(m row, parts []row, newest bool) {
	o.markReverted(m.message, "")
	e := m.event
	e.ID = m.message
	info, ok := records.ParseRow(o.out, e, m.data)
	if !ok {
		return
	}
	if created := sqlite.Time(info.Get("time.created").Int()); !created.IsZero() {
		e.Time = created
	}
	if info.Get("role").Str == "user" {
		e.Kind = event.User
		if o.reverted {
			o.undone++
		}
	} else {
		e.Kind, e.Model = event.Assistant, info.Get("modelID").Str
		o.out.Session().Used(e.Model)
		if cwd := info.Get("path.cwd").Str; cwd != "" && o.out.Session().CWD == "" {
			o.out.Session().CWD = cwd
		}
	}
	failure := info.Get("error")
	live := newest && e.Kind == event.Assistant && !info.Get("time.completed").Exists() && !failure.Exists()
	for _, p := range parts {
		o.markReverted(m.message, p.part)
		part := e
		part.ID = p.part
		if data, ok := records.ParseRow(o.out, part, p.data); ok {
			if start := partTime(data, p.event.Time); !start.IsZero() {
				part.Time = start
			}
			o.part(part, data, live)
		}
	}
	if failure.IsObject() {
		e.Kind, e.ID = event.System, m.message+".error"
		e.Text, e.Record = errorText(failure), failure.Raw
		o.emit(e)
	}
}

// partTime returns the time when a part began, or a default.
func partTime(data lazyjson.Value, or time.Time) time.Time {
	for _, at := range []string{"time.start", "state.time.start", "time.created"} {
		if t := sqlite.Time(data.Get(at).Int()); !t.IsZero() {
			return t
		}
	}
	return or
}

func errorText(v lazyjson.Value) string {
	name, message := records.First(v, "name", "type").Str, v.Get("data.message").Str
	if message == "" {
		message = v.Get("message").Str
	}
	return strings.Trim(name+": "+message, ": ")
}

// part emits one part; live is set where its message is still being written.
func (o *reader) part(e event.Event, data lazyjson.Value, live bool) {
	kind := data.Get("type").Str
	switch kind {
	case "text", "reasoning":
		if kind == "reasoning" {
			e.Kind = event.Thinking
		} else if e.Kind == event.User && data.Get("synthetic").Bool() {
			e.Origin = event.Injected
		}
		e.Text = data.Get("text").Str
		// Text that is still streamed is emitted once it is complete.
		if e.Text == "" || live && data.Get("time.start").Exists() && !data.Get("time.end").Exists() {
			return
		}
		if e.Kind == event.User && e.Origin == event.Typed {
			o.out.Session().Name(event.FromPrompt, records.Prompt(e.Text))
		}
	case "tool":
		o.tool(e, data)
		return
	case "file":
		e.Text = strings.Join(strings.Fields(strings.Join([]string{
			"[file]", data.Get("filename").Str, records.LinkNote(data.Get("mime").Str, data.Get("url").Str),
		}, " ")), " ")
		if e.Kind == event.User {
			e.Origin = event.Injected
		}
	case "subtask":
		e.Text, e.Record = data.Get("prompt").Str, data.Raw
		if e.Kind == event.User && data.Get("command").Str != "" {
			e.Origin = event.Injected
		}
	case "compaction":
		trigger := "manual"
		if data.Get("auto").Bool() {
			trigger = "auto"
		}
		e.Kind, e.Compact = event.Compaction, &event.Compact{Trigger: trigger}
	case "retry":
		e.Kind, e.Text, e.Record = event.System, "retry: "+errorText(data.Get("error")), data.Raw
	case "step-start", "step-finish", "snapshot", "patch", "agent":
		e.Kind, e.Text, e.Quiet, e.Record = event.System, kind, true, data.Raw
	default:
		e.Kind, e.Text, e.Record = event.Unknown, kind, data.Raw
	}
	o.emit(e)
}

// tool emits a call as soon as its input is complete, and its result.
func (o *reader) tool(e event.Event, data lazyjson.Value) {
	state := data.Get("state")
	status := state.Get("status").Str
	if status == "pending" {
		return
	}
	id, name := data.Get("callID").Str, data.Get("tool").Str
	o.names[id] = name
	part := e.ID
	e.Kind = event.ToolCall
	e.Call = &event.Call{ID: id, Name: name, Input: state.Get("input").Raw}
	e.Subagent = state.Get("metadata.sessionId").Str
	if e.Subagent == "" {
		e.Subagent = state.Get("metadata.sessionID").Str
	}
	o.emit(e)
	if status == "running" {
		return
	}
	e.Kind, e.Call, e.Subagent, e.ID = event.ToolResult, nil, "", part+".result"
	if end := sqlite.Time(state.Get("time.end").Int()); !end.IsZero() {
		e.Time = end
	}
	text := records.ContentText(state.Get("output"))
	if status == "error" {
		text = strings.TrimSpace(strings.Join([]string{records.ContentText(state.Get("error")), text, state.Get("metadata.output").Str}, "\n"))
	}
	for _, a := range lazyjson.All(state.Get("attachments")) {
		text += "\n" + strings.TrimSpace(a.Get("filename").Str+" "+records.LinkNote(a.Get("mime").Str, a.Get("url").Str))
	}
	e.Result = o.names.Result(id, text, status == "error")
	o.emit(e)
}
