package cursor

import (
	"cmp"
	"strings"

	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/transcripts/agents/records"
	"ctxfs/providers/transcripts/event"
)

// bubble adds the events of a message of the editor: thinking, text, and one call
// with its result.
func (c *collector) bubble(b editorMessage) {
	if !lazyjson.Valid([]byte(b.text)) {
		e := records.Garbled([]byte(b.text))
		e.ID = b.id
		c.add(e)
		return
	}
	v := lazyjson.ParseString(b.text)
	e := event.Event{ID: b.id, Kind: event.Assistant, Time: records.Time(v.Get("createdAt"))}
	if e.Time.IsZero() {
		e.Time = records.Time(v.Get("timingInfo.clientStartTime"))
	}
	if model := v.Get("modelInfo.modelName").Str; model != "default" {
		e.Model = model
	}
	if v.Get("type").Int() == 1 {
		e.Kind, e.Model = event.User, ""
	}
	before := len(c.events)
	if summary := v.Get("conversationSummary.summary").Str; summary != "" {
		e := e
		e.Kind, e.ID, e.Compact = event.Compaction, b.id+".compaction", &event.Compact{Summary: summary}
		c.add(e)
	}
	c.thinking(e, v)
	c.addText(e, v.Get("text").Str)
	for _, image := range lazyjson.All(v.Get("images")) {
		e := e
		e.ID, e.Text = b.id+".image", strings.TrimSpace("[image] "+records.First(image, "path", "uuid").String())
		c.add(e)
	}
	if tool := v.Get("toolFormerData"); tool.IsObject() && tool.Get("name").Str != "" {
		c.tool(e, tool)
	}
	if failure := v.Get("errorDetails"); failure.IsObject() {
		e := e
		e.Kind, e.ID, e.Record = event.System, b.id+".error", failure.Raw
		if e.Text = records.First(failure, "message", "error").String(); e.Text == "" {
			e.Text = failure.Raw
		}
		c.add(e)
	}
	if len(c.events) == before {
		e.Quiet, e.Text = true, ""
		c.add(e)
	}
}

func (c *collector) thinking(e event.Event, v lazyjson.Value) {
	e.Kind, e.ID = event.Thinking, e.ID+".thinking"
	thinking := v.Get("thinking")
	text := thinking.Get("text").Str
	if thinking.Type == lazyjson.String {
		text = thinking.Str
	}
	if text == "" {
		var blocks []string
		for _, b := range lazyjson.All(v.Get("allThinkingBlocks")) {
			blocks = append(blocks, records.First(b, "thinking", "text").String())
		}
		text = strings.TrimSpace(strings.Join(blocks, "\n"))
	}
	c.addText(e, text)
}

// tool adds a call, and its result once there is one.
func (c *collector) tool(e event.Event, tool lazyjson.Value) {
	message := e.ID
	status := tool.Get("status").Str
	additional := tool.Get("additionalData")
	result := tool.Get("result")
	e.Kind, e.ID = event.ToolCall, message+".call"
	e.Call = &event.Call{ID: tool.Get("toolCallId").Str, Name: tool.Get("name").Str, Input: tool.Get("rawArgs").String()}
	if e.Call.Input == "" {
		e.Call.Input, e.Record = tool.Get("params").String(), paramsMark
	}
	if e.Subagent = additional.Get("subagentComposerId").Str; e.Subagent == "" && strings.HasPrefix(e.Call.Name, "task") {
		e.Subagent = lazyjson.ParseString(result.String()).Get("agentId").Str
	}
	c.rememberCall(e.Call)
	c.add(e)
	if status == "loading" || status == "running" || status == "pending" {
		return
	}
	e.Kind, e.ID, e.Call, e.Subagent, e.Record, e.Model = event.ToolResult, message+".result", nil, "", "", ""
	text, record := editorResult(result)
	failed := status == "error" || tool.Get("userDecision").Str == "rejected"
	if failure := tool.Get("error"); failure.Exists() && failure.Type != lazyjson.Null {
		text = cmp.Or(strings.TrimSpace(text+"\n"+records.First(lazyjson.ParseString(failure.String()), "clientVisibleErrorMessage", "message").String()), failure.String())
		failed = true
	}
	if additional.Exists() && len(additional.Raw) > len("{}") {
		if text == "" {
			text = additional.Raw // the result itself was pruned
		} else if record == "" {
			record = additional.Raw
		}
	}
	e.Record = record
	e.Result = c.names.Result(tool.Get("toolCallId").Str, text, failed)
	if e.Result.Name == "" {
		e.Result.Name = tool.Get("name").Str
	}
	c.add(e)
}

// editorResult returns the text of a result, which is JSON in a string. For tools
// whose output is one text it is that text, and record is the whole result.
func editorResult(v lazyjson.Value) (text, record string) {
	text = v.String()
	if v.Type == lazyjson.JSON {
		text = v.Raw
	}
	if !strings.HasPrefix(text, "{") || !lazyjson.Valid([]byte(text)) {
		return text, ""
	}
	inner := lazyjson.ParseString(text)
	for _, name := range []string{"output", "contents", "result"} {
		if s := inner.Get(name); s.Type == lazyjson.String && s.Str != "" {
			return s.Str, text
		}
	}
	return text, ""
}
