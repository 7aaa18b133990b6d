// Package records turns the JSON of histories into events: it has what the
// readers of several agents share.
//
// A reader parses a line with [ParseLine] or a file with [ReadDocument] and looks
// up values by name. [Blocks] emits messages whose content has the shape of
// Anthropic's messages API (blocks.go). A [Line] gives fast access to the fields
// of one object (line.go). [ResultText], [ContentText] and the notes for images
// and files turn contents into text (content.go). [Time], [Prompt] and
// [FirstLine] read times and titles (text.go). [PendingCalls], [ToolNames] and
// [Dedup] remember what a reader needs of earlier records (calls.go).
//
// A record that is not understood is emitted whole, as an event of kind
// [event.Unknown]; it is never an error.
package records

import (
	"cmp"
	"time"

	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/transcripts/event"
)

// Blocks emits messages whose content is a string or a list of typed blocks, as
// in Anthropic's messages API. Several agents store their histories in this
// shape, with small differences of names.
type Blocks struct {
	Out event.Sink
	// Calls maps the id of each call that awaits its result to the name of its
	// tool. It belongs to the reader where it must be saved between runs; nil
	// disables it.
	Calls map[string]string
	// Origin returns the origin of a text on the user's side; nil means
	// [event.Typed].
	Origin func(text string) string
	// Split emits a text on the user's side that is more than one event, and
	// reports whether it did; may be nil.
	Split func(m Message, text string) bool
	// Subagent returns the id of the session that a call started; may be nil.
	Subagent func(call string) string
}

// Message has what the events of one message have in common.
type Message struct {
	ID    string
	Time  time.Time
	User  bool // on the user's side: typed by a person, or results of tools
	Model string
	// Origin is the origin of all texts of the message, where it is known.
	Origin string
}

// Event returns an event of the message without content.
func (m Message) Event(kind event.Kind) event.Event {
	e := event.Event{ID: m.ID, Time: m.Time, Kind: kind}
	if kind == event.Assistant || kind == event.Thinking || kind == event.ToolCall {
		e.Model = m.Model
	}
	return e
}

// Emit emits a message. It notes the message's id, so that the message can be
// recognized in another session; a message without content becomes a quiet event,
// so that its id has a number.
func (b *Blocks) Emit(m Message, content lazyjson.Value) {
	emitted := false
	if content.IsArray() {
		for _, block := range lazyjson.All(content) {
			emitted = b.Block(m, block) || emitted
		}
	} else {
		emitted = b.Text(m, content.String())
	}
	if !emitted {
		kind := event.Assistant
		if m.User {
			kind = event.User
		}
		e := m.Event(kind)
		e.Quiet = true
		b.Out.Emit(e)
	}
	if m.ID != "" {
		b.Out.Note(m.ID)
	}
}

// Text emits a text, and reports whether there was any.
func (b *Blocks) Text(m Message, text string) bool {
	if text == "" {
		return false
	}
	if m.User && m.Origin == "" && b.Split != nil && b.Split(m, text) {
		return true
	}
	e := m.Event(event.Assistant)
	e.Text = text
	if m.User {
		e.Kind, e.Model, e.Origin = event.User, "", m.Origin
		if b.Origin != nil && e.Origin == "" {
			e.Origin = b.Origin(text)
		}
	}
	b.Out.Emit(e)
	if e.Kind == event.User && e.Origin == event.Typed {
		b.Out.Session().Name(event.FromPrompt, Prompt(text))
	}
	return true
}

// Block emits one block, and reports whether there was anything in it. A block of
// an unknown type is emitted as [event.Unknown].
func (b *Blocks) Block(m Message, v lazyjson.Value) bool {
	if v.Type == lazyjson.String {
		return b.Text(m, v.Str)
	}
	kind := v.Get("type").Str
	switch kind {
	case "text", "input_text", "output_text":
		return b.Text(m, v.Get("text").String())
	case "thinking", "reasoning":
		return b.Thinking(m, First(v, "thinking", "text", "reasoning").String())
	case "redacted_thinking":
		e := m.Event(event.Thinking)
		e.Text, e.Quiet = event.Blob("encrypted thinking", len(v.Get("data").Str)), true
		b.Out.Emit(e)
	case "tool_use", "toolCall", "tool-call":
		b.Call(m, First(v, "id", "toolCallId").String(), First(v, "name", "toolName").String(), First(v, "input", "arguments"))
	case "tool_result", "tool-result":
		text, failed := ResultText(First(v, "content", "output"))
		failed = failed || First(v, "is_error", "isError").Bool()
		b.Result(m, First(v, "tool_use_id", "toolCallId").String(), First(v, "name", "toolName").String(), text, failed)
	case "image", "imageUrl", "document", "audio", "video":
		return b.Text(m, BinaryNote(v))
	case "file":
		// A file that the program inserted because the prompt names it.
		e := m.Event(event.User)
		e.Origin, e.Text = event.Injected, v.Get("path").String()+"\n"+v.Get("content").String()
		b.Out.Emit(e)
	default:
		b.Unknown(m, kind, v)
	}
	return true
}

// Unknown emits what is not understood, with the name of its type.
func (b *Blocks) Unknown(m Message, name string, v lazyjson.Value) {
	e := m.Event(event.Unknown)
	e.Text, e.Record = name, RecordOf(v)
	b.Out.Emit(e)
}

// Thinking emits what the model thought, and reports whether there was any.
func (b *Blocks) Thinking(m Message, text string) bool {
	if text == "" {
		return false
	}
	e := m.Event(event.Thinking)
	e.Text = text
	b.Out.Emit(e)
	return true
}

// Call emits a call of a tool, and remembers the tool for its result.
func (b *Blocks) Call(m Message, id, name string, input lazyjson.Value) {
	e := m.Event(event.ToolCall)
	e.Call = &event.Call{ID: id, Name: name, Input: input.Raw}
	if input.Type == lazyjson.String {
		e.Call.Input = input.Str
	}
	if b.Subagent != nil {
		e.Subagent = b.Subagent(id)
	}
	if id != "" && b.Calls != nil {
		b.Calls[id] = name
	}
	b.Out.Emit(e)
}

// Result emits the result of a call. Where name is "" it is that of the call.
func (b *Blocks) Result(m Message, call, name, text string, failed bool) {
	name = cmp.Or(name, b.Calls[call])
	delete(b.Calls, call)
	e := m.Event(event.ToolResult)
	e.Result = &event.Result{CallID: call, Name: name, Text: text, Error: failed}
	b.Out.Emit(e)
}
