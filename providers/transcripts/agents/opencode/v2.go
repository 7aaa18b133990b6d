package opencode

import (
	"strings"

	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/internal/sqlite"
	"ctxfs/providers/transcripts/agents/records"
	"ctxfs/providers/transcripts/event"
)

// Version 2 of opencode stores a message as one document with all that belongs to
// it, in the order of seq (packages/schema/src/session-message.ts of its
// repository); the table has the type. It rewrites a row while the model answers.

// messageV2 emits a message of version 2. The end of the newest one, which may
// still be written, is left out until it is complete.
func (o *reader) messageV2(m row, newest bool) {
	o.markReverted(m.message, "")
	e := m.event
	e.ID = m.message
	data, ok := records.ParseRow(o.out, e, m.data)
	if !ok {
		return
	}
	kind := m.kind
	if kind == "" {
		kind = data.Get("type").Str
	}
	if created := sqlite.Time(data.Get("time.created").Int()); !created.IsZero() {
		e.Time = created
	}
	e.Kind, e.Text = event.User, data.Get("text").Str
	switch kind {
	case "user":
		if o.reverted {
			o.undone++
		}
		o.out.Session().Name(event.FromPrompt, records.Prompt(e.Text))
		o.emitText(e)
		for _, f := range lazyjson.All(data.Get("files")) {
			e.Origin, e.Text = event.Injected, fileNote(f)
			o.emitText(e)
		}
	case "synthetic", "system", "skill":
		e.Origin = event.Injected
		o.emitText(e)
	case "shell":
		e.Text = strings.TrimSpace("$ " + data.Get("command").Str + "\n" + contentV2(data.Get("output")))
		o.emitText(e)
	case "assistant":
		o.assistantV2(e, data, newest)
	case "compaction":
		switch data.Get("status").Str {
		case "running":
			return
		case "failed":
			e.Kind, e.Text, e.Record = event.System, "compaction failed: "+errorText(data.Get("error")), data.Raw
		default:
			e.Kind, e.Compact = event.Compaction, &event.Compact{Trigger: data.Get("reason").Str, Summary: data.Get("summary").Str}
		}
		o.emit(e)
	case "idle", "agent-switched", "model-switched", "location-switched":
		e.Kind, e.Text, e.Quiet, e.Record = event.System, kind, true, data.Raw
		if outcome := data.Get("outcome").Str; outcome == "failed" || outcome == "interrupted" {
			e.Text, e.Quiet = outcome, false
		}
		o.emit(e)
	default:
		e.Kind, e.Text, e.Record = event.Unknown, kind, data.Raw
		o.emit(e)
	}
}

func (o *reader) emitText(e event.Event) {
	if e.Text != "" {
		o.emit(e)
	}
}

func (o *reader) assistantV2(e event.Event, data lazyjson.Value, newest bool) {
	e.Kind, e.Text, e.Model = event.Assistant, "", data.Get("model.id").Str
	o.out.Session().Used(e.Model)
	failure := data.Get("error")
	live := newest && !data.Get("time.completed").Exists() && !data.Get("finish").Exists() && !failure.Exists()
	content := data.Get("content").Array()
	for i, block := range content {
		part := e
		part.ID = records.PartID(e.ID, i)
		if start := sqlite.Time(block.Get("time.created").Int()); !start.IsZero() {
			part.Time = start
		}
		switch kind := block.Get("type").Str; kind {
		case "text", "reasoning":
			if kind == "reasoning" {
				part.Kind = event.Thinking
			}
			if part.Text = block.Get("text").Str; !live || i < len(content)-1 {
				o.emitText(part)
			}
		case "tool":
			o.toolV2(part, block)
		default:
			part.Kind, part.Text, part.Record = event.Unknown, kind, block.Raw
			o.emit(part)
		}
	}
	if failure.IsObject() {
		e.Kind, e.ID, e.Text, e.Record = event.System, e.ID+".error", errorText(failure), failure.Raw
		o.emit(e)
	}
}

// toolV2 emits a call once its arguments are complete, and its result.
func (o *reader) toolV2(e event.Event, block lazyjson.Value) {
	state := block.Get("state")
	status, id := state.Get("status").Str, block.Get("id").Str
	if status == "streaming" || status == "pending" {
		return
	}
	o.names[id] = block.Get("name").Str
	input := state.Get("input")
	call := e
	call.Kind, call.Call = event.ToolCall, &event.Call{ID: id, Name: o.names[id], Input: input.Raw}
	if input.Type == lazyjson.String {
		call.Call.Input = input.Str
	}
	for _, name := range []string{"metadata.sessionID", "metadata.sessionId", "structured.sessionID"} {
		if call.Subagent == "" {
			call.Subagent = state.Get(name).Str
		}
	}
	o.emit(call)
	if status == "running" {
		return
	}
	if end := sqlite.Time(block.Get("time.completed").Int()); !end.IsZero() {
		e.Time = end
	}
	text := contentV2(state.Get("content"))
	for _, name := range []string{"output", "result"} {
		if text == "" {
			text = contentV2(state.Get(name))
		}
	}
	if status == "error" {
		text = strings.TrimSpace(errorText(state.Get("error")) + "\n" + text)
	}
	e.Kind, e.ID, e.Model, e.Result = event.ToolResult, e.ID+".result", "", o.names.Result(id, text, status == "error")
	o.emit(e)
}

// contentV2 returns the text of a result: texts and files.
func contentV2(v lazyjson.Value) string {
	if v.IsObject() && !v.Get("type").Exists() {
		for _, name := range []string{"text", "output", "preview"} {
			if text := v.Get(name); text.Type == lazyjson.String {
				return text.Str
			}
		}
	}
	if !v.IsArray() {
		return records.ContentText(v)
	}
	var texts []string
	for _, one := range lazyjson.All(v) {
		if one.Get("type").Str == "file" {
			texts = append(texts, fileNote(one))
		} else {
			texts = append(texts, records.ItemText(one))
		}
	}
	return strings.Join(texts, "\n")
}

// fileNote returns the note that stands for an attached file.
func fileNote(f lazyjson.Value) string {
	return strings.Join(strings.Fields("[file] "+f.Get("name").Str+" "+records.LinkNote(f.Get("mime").Str, records.First(f, "uri", "url").Str)), " ")
}
