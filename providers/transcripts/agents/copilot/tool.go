package copilot

import (
	"strings"

	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/transcripts/agents/records"
	"ctxfs/providers/transcripts/event"
)

// inSameOrder reports whether the calls that the window shows are those of the
// rounds in the same order: their ids are not always equal.
func (r *request) inSameOrder(parts []lazyjson.Value) bool {
	shown := 0
	for _, p := range parts {
		if p.Get("kind").Str != "toolInvocationSerialized" {
			continue
		}
		shown++
		if r.findCall(p.Get("toolCallId").Str) != nil {
			return false
		}
	}
	return shown == len(r.rounds)
}

// findCall returns the call with an id as the model made it, or nil.
func (r *request) findCall(id string) *toolCall {
	for i := range r.rounds {
		if r.rounds[i].id == id && id != "" {
			return &r.rounds[i]
		}
	}
	return nil
}

// tool emits a call that the window shows, and its result.
func (r *request) tool(p lazyjson.Value, byOrder bool, n int) {
	c := toolCall{id: p.Get("toolCallId").Str, name: p.Get("toolId").Str, args: inputText(p)}
	made := r.findCall(c.id)
	if made == nil && byOrder {
		made = &r.rounds[n]
	}
	if made != nil {
		c = *made
	}
	if r.emitted[c.id] && c.id != "" {
		return // emitted before, and shown again
	}
	r.emitted[c.id] = true
	agent := p.Get("subAgentInvocationId").Str
	r.call(c, agent)
	r.result(c.id, c.name, p, agent)
}

// call emits a call.
func (r *request) call(c toolCall, agent string) {
	e := event.Event{Kind: event.ToolCall, ID: c.id, Time: c.time, Model: r.model, Agent: agent,
		Call: &event.Call{ID: c.id, Name: c.name, Input: c.args}}
	r.out.Emit(e)
}

// result emits what a tool returned: what the model received, otherwise what the
// window shows.
func (r *request) result(id, name string, p lazyjson.Value, agent string) {
	res := &event.Result{CallID: id, Name: name}
	for k, v := range lazyjson.All(r.Get("result.metadata.toolCallResults")) {
		if k.Str == id {
			res.Text = contentText(v.Get("content"))
			break
		}
	}
	details := p.Get("resultDetails")
	if res.Text == "" {
		res.Text = outputText(p, details)
	}
	exit := p.Get("toolSpecificData.terminalCommandState.exitCode")
	res.Error = details.Get("isError").Bool() || exit.Int() != 0 || p.Get("isConfirmed").Type == lazyjson.False ||
		p.Get("isConfirmed.type").Exists() && p.Get("isConfirmed.type").Int() == 0
	if res.Text == "" && !p.Get("isComplete").Bool() && !res.Error {
		return // the call still runs
	}
	r.out.Emit(event.Event{Kind: event.ToolResult, ID: id, Agent: agent, Result: res})
}

// inputText returns what the window shows of a call's arguments.
func inputText(p lazyjson.Value) string {
	for _, key := range []string{"toolSpecificData.rawInput", "toolSpecificData.commandLine.original", "toolSpecificData.command",
		"resultDetails.input", "toolSpecificData.prompt"} {
		if v := p.Get(key); v.Exists() && v.String() != "" {
			return v.String()
		}
	}
	return stringOf(p.Get("invocationMessage"))
}

// outputText returns what the window shows of a result.
func outputText(p, details lazyjson.Value) string {
	var parts []string
	add := func(text string) {
		if text != "" {
			parts = append(parts, text)
		}
	}
	for _, o := range lazyjson.All(details.Get("output")) {
		switch {
		case o.Get("isText").Bool() || !o.Get("mimeType").Exists():
			add(o.Get("value").Str)
		default:
			add(event.Blob(o.Get("mimeType").Str, records.Base64Size(o.Get("value").Str)))
		}
	}
	if details.IsArray() {
		for _, uri := range lazyjson.All(details) {
			for _, key := range []string{"fsPath", "path", "uri.fsPath", "uri.path"} {
				if s := uri.Get(key).Str; s != "" {
					add(s)
					break
				}
			}
		}
	}
	for _, key := range []string{"toolSpecificData.terminalCommandOutput.text", "toolSpecificData.result"} {
		add(p.Get(key).Str)
	}
	if len(parts) == 0 {
		add(stringOf(p.Get("pastTenseMessage")))
	}
	return strings.Join(parts, "\n")
}

// contentText returns the text of a result as the model received it: texts, data,
// and trees rendered by Copilot.
func contentText(v lazyjson.Value) string {
	return records.JoinText(v, func(p lazyjson.Value) string {
		switch value := p.Get("value"); {
		case value.Type == lazyjson.String:
			return value.Str
		case value.Exists():
			return rendered(value.Get("node"), 0)
		case p.Get("mimeType").Exists():
			data := p.Get("data")
			size := records.Base64Size(data.Str)
			if data.IsArray() {
				size = len(data.Array())
			}
			return event.Blob(p.Get("mimeType").Str, size)
		}
		return ""
	})
}

// rendered returns the text in a tree of nodes: nodes of type 1 have children,
// those of type 2 a text.
func rendered(n lazyjson.Value, depth int) string {
	if depth > 200 {
		return ""
	}
	var b strings.Builder
	if n.Get("lineBreakBefore").Bool() {
		b.WriteByte('\n')
	}
	b.WriteString(n.Get("text").Str)
	for _, c := range lazyjson.All(n.Get("children")) {
		b.WriteString(rendered(c, depth+1))
	}
	return b.String()
}
