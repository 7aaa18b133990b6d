package form

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"

	"ctxfs/fs/facts"
)

// call reads the call of a tool.
func (in *Input) call(f fields) {
	inside := f
	for _, member := range []string{"preToolUse", "postToolUse", "tool_info", "tool_call", "tool_result"} {
		if o := f.object(member); o != nil && (o.has("toolName") || o.has("name") || member == "tool_info") {
			inside = o
			break
		}
	}
	c := &facts.AgentCall{
		ID:    f.text("tool_use_id", "toolUseId", "call_id", "callID", "tool_call_id"),
		Tool:  inside.text("tool_name", "toolName", "tool", "name", "mcp_tool_name"),
		Input: argumentsOf(inside),
	}
	if len(c.ID) > 200 {
		c.ID = ""
	}
	if c.Tool == "" {
		c.Tool = toolOfEvent(in.Event)
	}
	c.Server = cmp.Or(f.object("mcp_context").text("server_name"), inside.text("mcp_server_name"))
	in.Call = c
	in.splitTool()
	if in.Kind == facts.BeforeTool {
		c.MayRefuse = in.agent.refuse != nil
		return
	}
	in.response = inside.first("tool_response", "toolResponse", "tool_result", "toolResult", "tool_output", "result", "result_json", "output", "response")
	c.Output, c.Failed = outputOf(in.response)
	if failed := inside.text("error", "error_message"); failed != "" || plainName(in.Event) == "posttoolusefailure" {
		c.Failed = true
		c.Output = cmp.Or(c.Output, failed)
	}
	var success bool
	if json.Unmarshal(inside["success"], &success) == nil && !success {
		c.Failed = true
	}
	var code int
	if json.Unmarshal(inside["exit_code"], &code) == nil && code != 0 {
		c.Failed = true
	}
	c.MayReplace = in.agent.replace != nil && in.agent.replace(in, "") != nil && onlyText(in.response)
}

// splitTool takes the server out of the name of an MCP server's tool: agents write
// mcp__SERVER__TOOL, mcp_SERVER_TOOL or, as Cursor, MCP:TOOL, which leaves the server out:
// it is then called mcp.
func (in *Input) splitTool() {
	c := in.Call
	if rest, ok := strings.CutPrefix(c.Tool, "mcp__"); ok {
		if server, tool, ok := strings.Cut(rest, "__"); ok {
			c.Server, c.Tool = server, tool
		}
		return
	}
	if rest, ok := strings.CutPrefix(c.Tool, "MCP:"); ok {
		c.Server, c.Tool = cmp.Or(c.Server, "mcp"), rest
		return
	}
	if c.Server != "" {
		c.Tool = strings.TrimPrefix(c.Tool, "mcp_"+c.Server+"_")
	}
}

// argumentsOf returns the arguments of a call, as JSON. Some agents write them as a string
// that has JSON.
func argumentsOf(f fields) json.RawMessage {
	raw := f.first("tool_input", "toolInput", "tool_args", "toolArgs", "parameters", "args", "input", "mcp_tool_arguments")
	var text string
	if json.Unmarshal(raw, &text) == nil && text != "" && json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	if raw != nil {
		return raw
	}
	direct := make(map[string]json.RawMessage)
	for _, member := range []string{"command", "command_line", "file_path", "edits"} {
		if v := f.first(member); v != nil {
			direct[strings.Replace(member, "command_line", "command", 1)] = v
		}
	}
	if len(direct) == 0 {
		return nil
	}
	raw, _ = json.Marshal(direct) // of what was JSON
	return raw
}

// outputOf returns what a tool answered as text, and whether it failed.
func outputOf(raw json.RawMessage) (text string, failed bool) {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		if inner := []byte(s); strings.HasPrefix(strings.TrimSpace(s), "{") && json.Valid(inner) {
			var f fields
			switch { // as Cursor has them
			case json.Unmarshal(inner, &f) != nil:
			case f.has("output") && f.has("exitCode"): // of its shell
				text, failed = outputOf(f["output"])
				return text, failed || string(bytes.TrimSpace(f["exitCode"])) != "0"
			case bytes.HasPrefix(f.first("content"), []byte("[")): // of an MCP tool
				return outputOf(inner)
			}
		}
		return strings.ToValidUTF8(s, "�"), false
	}
	var blocks []fields
	if json.Unmarshal(raw, &blocks) == nil && len(blocks) > 0 {
		return textOf(blocks), false
	}
	var f fields
	if json.Unmarshal(raw, &f) != nil || f == nil {
		return "", false
	}
	for _, member := range []string{"isError", "is_error"} {
		var is bool
		failed = failed || json.Unmarshal(f[member], &is) == nil && is
	}
	failed = failed || f.first("error") != nil || f.text("resultType", "result_type") == "failure"
	if f.has("stdout") {
		text = f.text("stdout")
		if more := f.text("stderr"); more != "" {
			text = strings.TrimSuffix(text, "\n") + "\n" + more
		}
		return strings.TrimPrefix(text, "\n"), failed
	}
	for _, member := range []string{"content", "llmContent", "output", "textResultForLlm", "text_result_for_llm", "text", "result"} {
		if v := f.first(member); v != nil {
			if inner, bad := outputOf(v); inner != "" {
				return inner, failed || bad
			}
		}
	}
	return "", failed
}

// onlyText reports whether an output has no content but text: an image would be lost with
// what replaces it.
func onlyText(raw json.RawMessage) bool {
	var text string // Cursor has the result as a string
	if json.Unmarshal(raw, &text) == nil {
		raw = json.RawMessage(text)
	}
	var f fields
	if json.Unmarshal(raw, &f) == nil && f.has("content") {
		raw = f["content"]
	}
	var blocks []fields
	if json.Unmarshal(raw, &blocks) != nil {
		return true
	}
	for _, b := range blocks {
		if kind := b.text("type"); kind != "" && kind != "text" {
			return false
		}
	}
	return true
}

// textOf joins the texts of content blocks.
func textOf(blocks []fields) string {
	var texts []string
	for _, b := range blocks {
		if t := b.text("text"); t != "" {
			texts = append(texts, t)
		}
	}
	return strings.Join(texts, "\n")
}
