package agents

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"

	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/transcripts/event"
)

// blocks emits messages whose content has the shape of Anthropic's messages API,
// a string or a list of typed blocks: several agents keep their histories so,
// with small differences of names.
type blocks struct {
	out event.Sink
	// calls are the names of the tools whose results are still to come, by the
	// id of the call. It is the reader's, where that must be saved.
	calls map[string]string
	// origin tells who really spoke a text of the user's side; nil: a person.
	origin func(text string) string
	// apart takes a text of the user's side and emits it, where that is more than
	// one event; may be nil.
	apart func(m message, text string) bool
	// subagent is the session that a call has started; may be nil.
	subagent func(call string) string
}

// message is what the events of one message have in common.
type message struct {
	id    string
	time  time.Time
	user  bool // of the user's side: a person, or results of tools
	model string
	// origin is that of all texts of the message, where it is known.
	origin string
}

// event is an event of the message with nothing in it.
func (m message) event(kind event.Kind) event.Event {
	e := event.Event{ID: m.id, Time: m.time, Kind: kind}
	if kind == event.Assistant || kind == event.Thinking || kind == event.ToolCall {
		e.Model = m.model
	}
	return e
}

// emit emits a message. Its id is noted, so that the message can be recognised
// elsewhere; one without content is a quiet event, so that the id has a number.
func (b *blocks) emit(m message, content lazyjson.Value) {
	emitted := false
	if content.IsArray() {
		content.ForEach(func(_, block lazyjson.Value) bool {
			emitted = b.block(m, block) || emitted
			return true
		})
	} else {
		emitted = b.text(m, content.String())
	}
	if !emitted {
		kind := event.Assistant
		if m.user {
			kind = event.User
		}
		e := m.event(kind)
		e.Quiet = true
		b.out.Emit(e)
	}
	if m.id != "" {
		b.out.Note(m.id)
	}
}

// text emits what was said, and tells whether it was anything.
func (b *blocks) text(m message, text string) bool {
	if text == "" {
		return false
	}
	if m.user && m.origin == "" && b.apart != nil && b.apart(m, text) {
		return true
	}
	e := m.event(event.Assistant)
	e.Text = text
	if m.user {
		e.Kind, e.Model, e.Origin = event.User, "", m.origin
		if b.origin != nil && e.Origin == "" {
			e.Origin = b.origin(text)
		}
	}
	b.out.Emit(e)
	if e.Kind == event.User && e.Origin == event.Typed {
		b.out.Session().Name(event.FromPrompt, prompt(text))
	}
	return true
}

// block emits one block, and tells whether there was anything in it.
func (b *blocks) block(m message, v lazyjson.Value) bool {
	if v.Type == lazyjson.String {
		return b.text(m, v.Str)
	}
	kind := v.Get("type").Str
	switch kind {
	case "text", "input_text", "output_text":
		return b.text(m, v.Get("text").String())
	case "thinking", "reasoning":
		return b.thought(m, first(v, "thinking", "text", "reasoning").String())
	case "redacted_thinking":
		e := m.event(event.Thinking)
		e.Text, e.Quiet = event.Blob("encrypted thinking", len(v.Get("data").Str)), true
		b.out.Emit(e)
	case "tool_use", "toolCall", "tool-call":
		b.call(m, first(v, "id", "toolCallId").String(), first(v, "name", "toolName").String(), first(v, "input", "arguments"))
	case "tool_result", "tool-result":
		text, failed := resultText(first(v, "content", "output"))
		failed = failed || first(v, "is_error", "isError").Bool()
		b.result(m, first(v, "tool_use_id", "toolCallId").String(), first(v, "name", "toolName").String(), text, failed)
	case "image", "imageUrl", "document", "audio", "video":
		return b.text(m, binary(v))
	case "file":
		// A file that the program put in because the prompt names it.
		e := m.event(event.User)
		e.Origin, e.Text = event.Injected, v.Get("path").String()+"\n"+v.Get("content").String()
		b.out.Emit(e)
	default:
		e := m.event(event.Unknown)
		e.Text, e.Record = kind, recordOf(v)
		b.out.Emit(e)
	}
	return true
}

func (b *blocks) thought(m message, text string) bool {
	if text == "" {
		return false
	}
	e := m.event(event.Thinking)
	e.Text = text
	b.out.Emit(e)
	return true
}

func (b *blocks) call(m message, id, name string, input lazyjson.Value) {
	e := m.event(event.ToolCall)
	e.Call = &event.Call{ID: id, Name: name, Input: input.Raw}
	if input.Type == lazyjson.String {
		e.Call.Input = input.Str
	}
	if b.subagent != nil {
		e.Subagent = b.subagent(id)
	}
	if id != "" && b.calls != nil {
		b.calls[id] = name
	}
	b.out.Emit(e)
}

func (b *blocks) result(m message, call, name, text string, failed bool) {
	if name == "" {
		name = b.calls[call]
	}
	delete(b.calls, call)
	e := m.event(event.ToolResult)
	e.Result = &event.Result{CallID: call, Name: name, Text: text, Error: failed}
	b.out.Emit(e)
}

// resultText is the text of a tool's result: a string, blocks, or objects of the
// agent's own, of which what they say is taken. failed is whether one of those
// says that it failed.
func resultText(v lazyjson.Value) (text string, failed bool) { return resultWithin(v, 0) }

// nested is how deep texts are looked for in a value: real ones are not deeper,
// and every level costs a pass.
const nested = 8

func resultWithin(v lazyjson.Value, depth int) (text string, failed bool) {
	if depth > nested {
		return v.String(), false
	}
	switch {
	case v.Type == lazyjson.String:
		if strings.HasPrefix(v.Str, `{"query":`) && lazyjson.Valid([]byte(v.Str)) {
			return resultWithin(lazyjson.ParseString(v.Str), depth+1)
		}
		return v.Str, false
	case v.IsArray():
		var parts []string
		v.ForEach(func(_, item lazyjson.Value) bool {
			part, bad := resultWithin(item, depth+1)
			failed = failed || bad
			if part != "" {
				parts = append(parts, part)
			}
			return true
		})
		return strings.Join(parts, "\n"), failed
	case !v.IsObject():
		return v.String(), false
	}
	switch kind := v.Get("type").Str; kind {
	case "text", "error-text":
		return first(v, "text", "value").String(), kind == "error-text"
	case "json", "error-json":
		return v.Get("value").Raw, kind == "error-json"
	case "image", "document", "audio", "video":
		return binary(v), false
	}
	if !v.Get("result").Exists() && !v.Get("error").Exists() {
		return v.Raw, false
	}
	var parts []string
	for _, name := range []string{"query", "result", "error"} {
		part, _ := resultWithin(v.Get(name), depth+1)
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, "\n"), v.Get("success").Type == lazyjson.False || v.Get("error").Str != ""
}

// binary is the note that stands for an image or another file within a message.
func binary(v lazyjson.Value) string {
	source := v
	if s := first(v, "source", "imageUrl"); s.IsObject() {
		source = s
	}
	kind := first(source, "media_type", "mimeType", "mediaType").String()
	if kind == "" {
		kind = v.Get("type").Str
	}
	data := first(source, "data", "image", "url", "content").String()
	if rest, ok := strings.CutPrefix(data, "data:"); ok {
		if media, encoded, ok := strings.Cut(rest, ";base64,"); ok {
			kind, data = media, encoded
		}
	} else if strings.Contains(data, "://") {
		return "[" + kind + " " + data + "]"
	}
	return event.Blob(kind, base64.StdEncoding.DecodedLen(len(data))-strings.Count(data[max(0, len(data)-2):], "="))
}

// first is the first of the named values that is there.
func first(v lazyjson.Value, names ...string) lazyjson.Value {
	var found lazyjson.Value
	for _, name := range names {
		if found = v.Get(name); found.Exists() && found.Type != lazyjson.Null {
			return found
		}
	}
	return found
}

// recordOf is the source's record of an event, as JSON.
func recordOf(v lazyjson.Value) string {
	if lazyjson.Valid([]byte(v.Raw)) {
		return v.Raw
	}
	return ""
}

// parsed is a line of a log. One that is no JSON is emitted as unknown; an empty
// line is nothing.
func parsed(line []byte, out event.Sink) (v lazyjson.Value, ok bool) {
	if lazyjson.Valid(line) {
		return lazyjson.Parse(line), true
	}
	if len(bytes.TrimSpace(line)) > 0 {
		out.Emit(garbled(line))
	}
	return v, false
}

// garbled is the event of a record that is not JSON; it is kept as a string.
func garbled(record []byte) event.Event {
	kept, _ := json.Marshal(string(record)) // no string fails
	return event.Event{Kind: event.Unknown, Text: "not JSON", Record: string(kept)}
}

// prompt is the beginning of what a person typed, for a title.
func prompt(text string) string {
	const most = 400
	text = unwrapped(text)
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "")
	}
	return text
}

// moment reads a time as JSON has it: RFC 3339, or a number of seconds or
// milliseconds since 1970. It is zero where there is none.
func moment(v lazyjson.Value) time.Time {
	switch v.Type {
	case lazyjson.String:
		if t, err := time.Parse(time.RFC3339Nano, v.Str); err == nil {
			return t.UTC()
		}
	case lazyjson.Number:
		n := v.Float()
		switch {
		case n <= 0 || n > 1e14:
		case n > 1e11:
			return time.UnixMilli(int64(n)).UTC()
		default:
			return time.UnixMilli(int64(n * 1000)).UTC()
		}
	}
	return time.Time{}
}

// unwrapped takes a prompt out of the tags that programs put around it, and away
// from the reminders that they put before it.
func unwrapped(text string) string {
	text = strings.TrimSpace(text)
	for _, tag := range []string{"system-reminder", "mode_notice"} {
		for strings.HasPrefix(text, "<"+tag) {
			_, after, ok := strings.Cut(text, "</"+tag+">")
			if !ok {
				break
			}
			text = strings.TrimSpace(after)
		}
	}
	for _, tag := range []string{"task", "user_message", "user_input", "feedback", "answer"} {
		if rest, ok := strings.CutPrefix(text, "<"+tag); ok {
			_, rest, ok = strings.Cut(rest, ">")
			if ok {
				text, _, _ = strings.Cut(rest, "</"+tag+">")
			}
			break
		}
	}
	return strings.TrimSpace(text)
}
