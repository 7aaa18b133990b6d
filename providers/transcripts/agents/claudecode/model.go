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

// messageParts has the hashes of the blocks of a message that were emitted.
// Versions write a message differently: one line for each block, all blocks in
// one line, or both; the message's id is common to all of them. The JSON form is
// part of the saved state.
type messageParts struct {
	ID     string
	Hashes []uint64 `json:"Told"`
}

// message is the message in an assistant's record.
type message struct {
	id, model string
	content   lazyjson.Value
}

func parseMessage(v lazyjson.Value) message {
	var m message
	for key, v := range lazyjson.All(v) {
		switch key.Str {
		case "id":
			m.id = validUTF8(v.String())
		case "model":
			m.model = v.String()
		case "content":
			m.content = v
		}
	}
	return m
}

// assistant reads what the model said, thought and called.
func (r *reader) assistant(c *record) {
	m := parseMessage(c.Message)
	if c.APIError || m.model == synthetic {
		for _, block := range contentBlocks(m.content) {
			if text := blockText(block.Value); block.kind == "text" && text != "" {
				r.emit(c, event.Event{Kind: event.Assistant, Model: synthetic, Text: text})
			}
		}
		return
	}
	if m.model != "" && r.inlineAgent(c) == "" {
		c.out.Session().Model = m.model
	}
	c.conversation = true
	r.Queue.startAnswer()
	r.modelBlocks(c, m, r.inlineAgent(c))
}

// modelBlocks emits an event for each block of a message that was not emitted
// before.
func (r *reader) modelBlocks(c *record, m message, agent string) {
	parts := r.Parts[agent]
	if m.id == "" || m.id != parts.ID {
		parts = messageParts{ID: m.id}
	}
	before := len(parts.Hashes)
	fresh := func(kind, text string) bool {
		h := fnv.New64a()
		h.Write([]byte(kind))
		h.Write([]byte{0})
		h.Write([]byte(text))
		sum := h.Sum64()
		if slices.Contains(parts.Hashes[:before], sum) {
			return false
		}
		if m.id != "" {
			parts.Hashes = append(parts.Hashes, sum)
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
		e, key := blockEvent(block)
		if !fresh(block.kind, key) {
			continue
		}
		if e.Call != nil {
			r.rememberCall(e.Call.ID, e.Call.Name)
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

// blockEvent returns the event of a block of the model's message, and a key that
// distinguishes the block from others of the message.
func blockEvent(block contentBlock) (e event.Event, key string) {
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
		// Encrypted: only that the model thought is known.
		e.Kind, e.Quiet = event.Thinking, true
		return e, block.Get("data").String()
	case "tool_use", "server_tool_use", "mcp_tool_use":
		e.Kind, e.Call = event.ToolCall, parseCall(block.Value)
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

func parseCall(block lazyjson.Value) *event.Call {
	var call event.Call
	for key, v := range lazyjson.All(block) {
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
	}
	return &call
}

// maxCalls is how many calls are remembered. The calls of a session that is often
// interrupted are never answered.
const maxCalls = 1000

func (r *reader) rememberCall(id, name string) {
	if id == "" {
		return
	}
	if r.Calls == nil || len(r.Calls) >= maxCalls {
		r.Calls = make(map[string]string)
	}
	r.Calls[validUTF8(id)] = validUTF8(name)
}

// result reads the outcome of a call.
func (r *reader) result(c *record, block lazyjson.Value) {
	var res event.Result
	for key, v := range lazyjson.All(block) {
		switch key.Str {
		case "tool_use_id":
			res.CallID = v.String()
		case "content":
			res.Text = textOf(v)
		case "is_error":
			res.Error = v.Bool()
		}
	}
	id := validUTF8(res.CallID)
	res.Name = r.Calls[id]
	delete(r.Calls, id)
	if !c.twinRead {
		c.twinRead = true
		r.readTwin(c, res.Text)
		if to, ok := c.out.(event.FileSink); ok && !res.Error {
			passFile(to, res.CallID, c.Result)
		}
	}
	res.Spill = c.spill
	r.emit(c, event.Event{Kind: event.ToolResult, Result: &res, Subagent: c.subagent})
	c.spill, c.subagent = "", ""
}

// standalone reads calls and results that are records of their own, as in
// versions before 2. Their only identity is the uuid.
func (r *reader) standalone(c *record) {
	c.conversation = true
	name := c.value.Get("name").String()
	if c.Type == "tool_use" {
		call := parseCall(c.value)
		r.emit(c, event.Event{Kind: event.ToolCall, Call: call})
		return
	}
	r.emit(c, event.Event{Kind: event.ToolResult, Result: &event.Result{
		CallID: c.value.Get("tool_use_id").String(), Name: name,
		Text: textOf(c.value.Get("output")), Error: c.value.Get("is_error").Bool(),
	}})
}

// validUTF8 returns text as it is after a round trip through JSON, the form that
// the reader's state is saved in.
func validUTF8(text string) string { return strings.ToValidUTF8(text, "\uFFFD") }
