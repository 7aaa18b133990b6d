package cursor

import (
	"encoding/json"
	"slices"
	"strings"

	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/transcripts/agents/records"
	"ctxfs/providers/transcripts/event"
)

// collector collects the events of a session of Cursor.
type collector struct {
	events []event.Event
	names  records.ToolNames
}

func (c *collector) add(e event.Event) { c.events = append(c.events, e) }

// addText adds a text unless it is blank. What the program put around a person's
// words becomes an event of its own.
func (c *collector) addText(e event.Event, text string) {
	if strings.TrimSpace(text) == "" {
		return
	}
	if e.Kind != event.User || e.Origin != event.Typed {
		e.Text = text
		e.Quiet = e.Quiet || text == "[REDACTED]" // stands for thinking
		c.add(e)
		return
	}
	query, around := userQuery(text)
	if around != "" {
		e := e
		e.Text, e.Origin, e.Quiet = around, event.Injected, isElement(around, "timestamp")
		if query != "" && e.ID != "" {
			e.ID += ".context"
		}
		if e.Quiet {
			e.Record = jsonString(around)
		}
		c.add(e)
	}
	if query != "" {
		e.Text = query
		c.add(e)
	}
}

// userQuery separates a text on the user's side into what a person typed and what
// the program put around it. In a text without a mark the latter are the elements
// at its beginning whose names the program is known to use.
func userQuery(text string) (query, around string) {
	const begin, end = "<user_query>", "</user_query>"
	before, rest, ok := strings.Cut(text, begin)
	if !ok {
		query = text
		for {
			element, after := programElement(query)
			if element == "" {
				return query, strings.TrimSpace(around)
			}
			around += element + "\n"
			query = strings.TrimSpace(after)
		}
	}
	at := strings.LastIndex(rest, end)
	if at < 0 {
		return strings.TrimSpace(rest), strings.TrimSpace(before)
	}
	return strings.TrimSpace(rest[:at]), strings.TrimSpace(before + rest[at+len(end):])
}

// programElements are prefixes of the names of elements that the program adds to
// what the user says.
var programElements = [...]string{
	"user_info", "user_rules", "system_", "system-", "open_and_", "git_", "rules", "agent_", "timestamp", "attached_", "additional_data", "always_applied_",
	"available_", "skills", "manually_attached_", "mcp_", "terminal", "project_layout", "cursor_", "memories", "workspace_", "environment_", "linter_", "current_file", "recent_files",
}

// programElement returns the element of the program's at the beginning of a text.
// An element that is not closed is all of the text.
func programElement(text string) (element, after string) {
	text = strings.TrimSpace(text)
	rest, ok := strings.CutPrefix(text, "<")
	if !ok {
		return "", text
	}
	name := rest[:max(strings.IndexAny(rest, " >\n"), 0)]
	if !slices.ContainsFunc(programElements[:], func(start string) bool { return strings.HasPrefix(name, start) }) {
		return "", text
	}
	end := "</" + name + ">"
	if i := strings.Index(text, end); i >= 0 {
		return text[:i+len(end)], text[i+len(end):]
	}
	return text, ""
}

// isElement reports whether a text is one element with that name and nothing
// else.
func isElement(text, name string) bool {
	return strings.HasPrefix(text, "<"+name+">") && strings.Index(text, "</"+name+">") == len(text)-len(name)-3
}

// message adds a message whose content has the shape of Anthropic's or of the AI
// SDK's messages. Cursor's names for the fields have changed over time.
func (c *collector) message(id string, m, content lazyjson.Value) {
	role := m.Get("role").Str
	e := event.Event{Kind: event.Assistant}
	if !content.IsArray() && content.Type != lazyjson.String {
		c.add(event.Event{ID: id, Kind: event.Unknown, Text: role, Record: m.Raw})
		return
	}
	switch role {
	case "user":
		e.Kind = event.User
	case "system":
		e.Kind, e.Quiet = event.System, true // the program's prompt
	}
	n := 0
	each := func(block lazyjson.Value) {
		e := e
		if id != "" {
			e.ID = records.PartID(id, n)
		}
		n++
		c.block(e, block)
	}
	if !content.IsArray() {
		each(content)
		return
	}
	for _, block := range lazyjson.All(content) {
		each(block)
	}
}

func (c *collector) block(e event.Event, v lazyjson.Value) {
	if e.Quiet {
		e.Record = v.Raw
	}
	if v.Type == lazyjson.String {
		c.addText(e, v.Str)
		return
	}
	kind := v.Get("type").Str
	switch kind {
	case "text", "input_text", "output_text":
		c.addText(e, v.Get("text").Str)
	case "thinking", "reasoning":
		e.Kind = event.Thinking
		c.addText(e, records.First(v, "thinking", "text").String())
	case "redacted-reasoning", "redacted_thinking":
		e.Kind, e.Quiet, e.Record = event.Thinking, true, v.Raw
		c.add(e)
	case "image", "file":
		e.Text = records.BinaryNote(v)
		c.add(e)
	case "tool_use", "tool-call", "tool_call":
		e.Kind = event.ToolCall
		e.Call = &event.Call{
			ID: records.First(v, "toolCallId", "id", "tool_call_id").String(), Name: records.First(v, "toolName", "name").String(),
			Input: records.First(v, "args", "input", "arguments").String(),
		}
		c.rememberCall(e.Call)
		c.add(e)
	case "tool_result", "tool-result":
		e.Kind, e.Origin = event.ToolResult, event.Typed
		result := records.First(v, "result", "content", "output")
		text, failed := records.ResultText(result)
		if text == "" && result.Type != lazyjson.String && result.Exists() {
			text = result.Raw
		}
		failed = failed || records.First(v, "isError", "is_error").Bool() || v.Get("providerOptions.cursor.highLevelToolCallResult.isError").Bool()
		e.Result = c.names.Result(records.First(v, "toolCallId", "tool_use_id", "id").String(), text, failed)
		if e.Result.Name == "" {
			e.Result.Name = records.First(v, "toolName", "name").String()
		}
		c.add(e)
	default:
		e.Kind, e.Origin, e.Text, e.Record = event.Unknown, event.Typed, kind, v.Raw
		c.add(e)
	}
}

func (c *collector) rememberCall(call *event.Call) {
	if c.names == nil {
		c.names = make(records.ToolNames)
	}
	if call.ID != "" {
		c.names[call.ID] = call.Name
	}
}

// jsonString returns a text as JSON.
func jsonString(text string) string {
	b, _ := json.Marshal(text) // strings can always be encoded
	return string(b)
}
