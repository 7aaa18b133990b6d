package claudecode

import (
	"hash/fnv"
	"slices"
	"strings"

	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/transcripts/event"
)

// synthetic is the model of texts that the program wrote itself.
const synthetic = "<synthetic>"

// messageParts are the blocks of a message that have been told, as hashes.
// Versions differ in how they write a message: one line a block, all blocks in
// one, or both; what tells them apart is the message's id.
type messageParts struct {
	ID   string
	Told []uint64
}

// message is the message of an assistant's record.
type message struct {
	id, model string
	content   lazyjson.Value
}

func messageOf(v lazyjson.Value) message {
	var m message
	v.ForEach(func(key, v lazyjson.Value) bool {
		switch key.Str {
		case "id":
			m.id = storable(v.String())
		case "model":
			m.model = v.String()
		case "content":
			m.content = v
		}
		return true
	})
	return m
}

// assistant reads what the model said, thought and called.
func (r *reader) assistant(c *record) {
	m := messageOf(c.Message)
	if c.APIError || m.model == synthetic {
		for _, block := range contentBlocks(m.content) {
			if text := blockText(block.Value); block.kind == "text" && text != "" {
				r.emit(c, event.Event{Kind: event.Assistant, Model: synthetic, Text: text})
			}
		}
		return
	}
	if m.model != "" && r.inline(c) == "" {
		c.out.Session().Model = m.model
	}
	c.speech = true
	r.Queue.answered()
	r.spoken(c, m, r.inline(c))
}

// spoken makes an event of each block of a message that was not told before.
func (r *reader) spoken(c *record, m message, agent string) {
	parts := r.Parts[agent]
	if m.id == "" || m.id != parts.ID {
		parts = messageParts{ID: m.id}
	}
	before := len(parts.Told)
	fresh := func(kind, text string) bool {
		h := fnv.New64a()
		h.Write([]byte(kind))
		h.Write([]byte{0})
		h.Write([]byte(text))
		sum := h.Sum64()
		if slices.Contains(parts.Told[:before], sum) {
			return false
		}
		if m.id != "" {
			parts.Told = append(parts.Told, sum)
		}
		return true
	}
	for _, block := range contentBlocks(m.content) {
		if strings.HasSuffix(block.kind, "_tool_result") {
			if fresh(block.kind, block.Get("tool_use_id").String()) {
				r.result(c, block.Value)
			}
			continue
		}
		e, key := modelEvent(block)
		if !fresh(block.kind, key) {
			continue
		}
		if e.Call != nil {
			r.called(e.Call.ID, e.Call.Name)
		}
		e.Model, e.Agent = m.model, agent
		r.emit(c, e)
	}
	if m.id != "" {
		if r.Parts == nil {
			r.Parts = make(map[string]messageParts)
		}
		r.Parts[agent] = parts
	}
}

// modelEvent is the event of a block of the model's, and what tells it from the
// message's other blocks.
func modelEvent(block contentBlock) (e event.Event, key string) {
	switch block.kind {
	case "text":
		e.Kind, e.Text = event.Assistant, blockText(block.Value)
		e.Quiet = e.Text == ""
		return e, e.Text
	case "thinking":
		e.Kind, e.Text = event.Thinking, block.Get("thinking").String()
		e.Quiet = e.Text == ""
		return e, e.Text
	case "redacted_thinking":
		// Encrypted: there is nothing to read, only that the model thought.
		e.Kind, e.Quiet = event.Thinking, true
		return e, block.Get("data").String()
	case "tool_use", "server_tool_use", "mcp_tool_use":
		e.Kind, e.Call = event.ToolCall, callOf(block.Value)
		if e.Call.ID == "" {
			return e, block.Raw
		}
		return e, e.Call.ID
	case "fallback":
		e.Kind = event.System
		e.Text = "model " + block.Get("from.model").String() + " replaced by " + block.Get("to.model").String()
		return e, e.Text
	}
	e.Kind, e.Text, e.Record = event.Unknown, "assistant "+block.kind, block.Raw
	return e, block.Raw
}

func callOf(block lazyjson.Value) *event.Call {
	var call event.Call
	block.ForEach(func(key, v lazyjson.Value) bool {
		switch key.Str {
		case "id":
			call.ID = v.String()
		case "name":
			call.Name = v.String()
		case "input":
			call.Input = v.Raw
			if v.Type == lazyjson.String {
				call.Input = v.String()
			}
		}
		return true
	})
	return &call
}

// maxCalls is how many calls are remembered: those of a session that was
// broken off again and again are never answered.
const maxCalls = 1000

func (r *reader) called(id, name string) {
	if id == "" {
		return
	}
	if r.Calls == nil || len(r.Calls) >= maxCalls {
		r.Calls = make(map[string]string)
	}
	r.Calls[storable(id)] = storable(name)
}

// result reads the outcome of a call.
func (r *reader) result(c *record, block lazyjson.Value) {
	var res event.Result
	block.ForEach(func(key, v lazyjson.Value) bool {
		switch key.Str {
		case "tool_use_id":
			res.CallID = v.String()
		case "content":
			res.Text = flatText(v)
		case "is_error":
			res.Error = v.Bool()
		}
		return true
	})
	id := storable(res.CallID)
	res.Name = r.Calls[id]
	delete(r.Calls, id)
	if !c.paired {
		c.paired = true
		r.spillAndAgent(c, res.Text)
	}
	res.Spill = c.spill
	r.emit(c, event.Event{Kind: event.ToolResult, Result: &res, Subagent: c.subagent})
	c.spill, c.subagent = "", ""
}

// bare reads calls and results that are records of their own, as versions
// before 2 have them: the uuid is all the identity there is.
func (r *reader) bare(c *record) {
	c.speech = true
	name := c.all.Get("name").String()
	if c.Type == "tool_use" {
		call := callOf(c.all)
		r.emit(c, event.Event{Kind: event.ToolCall, Call: call})
		return
	}
	r.emit(c, event.Event{Kind: event.ToolResult, Result: &event.Result{
		CallID: c.all.Get("tool_use_id").String(), Name: name,
		Text: flatText(c.all.Get("output")), Error: c.all.Get("is_error").Bool(),
	}})
}

// storable is text as JSON gives it back: the reader's state is saved as JSON.
func storable(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }
