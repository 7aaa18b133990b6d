package codex

import (
	"fmt"
	"strings"

	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/transcripts/agents/records"
	"ctxfs/providers/transcripts/event"
)

// programEvent reads what the program showed while it ran.
func (r *reader) programEvent(rec records.Line, out event.Sink) {
	switch typ := rec.Text("type"); typ {
	case "user_message":
		r.prompt(rec, typedText(rec), rec.Text("message"), records.Events, out)
	case "agent_message":
		r.emitText(rec, event.Assistant, records.Events, rec.Text("message"), rec.Text("message"), out)
	case "agent_reasoning", "agent_reasoning_raw_content":
		r.emitText(rec, event.Thinking, records.Events, rec.Text("text"), rec.Text("text"), out)
	case "token_count":
		if n := rec.Get("info.last_token_usage.total_tokens").Int(); n > 0 {
			r.Tokens = int(n)
		}
		rec.EmitQuiet(event.System, out)
	case "task_started", "turn_started":
		rec.EmitQuiet(event.System, out)
		r.noteTurn(rec, out)
		r.setName(out)
	case "task_complete", "turn_complete":
		if msg := rec.Get("error.message").Str; msg != "" {
			rec.EmitSystem("error: "+msg, out)
			return
		}
		rec.EmitQuiet(event.System, out)
	case "turn_aborted":
		rec.EmitSystem("turn aborted: "+rec.Text("reason"), out)
	case "thread_rolled_back":
		r.rollback(rec, out)
	case "thread_name_updated":
		out.Session().Name(event.FromAgent, rec.Text("thread_name"))
		rec.EmitQuiet(event.System, out)
	case "error", "stream_error", "warning", "guardian_warning", "undo_completed", "deprecation_notice", "background_event":
		text := rec.Text("message")
		if text == "" {
			text = rec.Text("summary")
		}
		rec.EmitSystem(strings.ReplaceAll(typ, "_", " ")+": "+text, out)
	case "entered_review_mode":
		rec.EmitSystem("review: "+rec.Text("user_facing_hint"), out)
	case "exited_review_mode":
		rec.EmitSystem(reviewText(rec.Get("review_output")), out)
	case "item_completed":
		r.itemCompleted(rec, out)
	case "exec_command_end", "mcp_tool_call_end", "patch_apply_end", "web_search_end", "dynamic_tool_call_response", "view_image_tool_call":
		r.callEnd(rec, rec.Value, rec.Text("call_id"), strings.TrimSuffix(strings.TrimSuffix(typ, "_end"), "_response"), out)
	case "collab_agent_spawn_end":
		e := rec.Event(event.System)
		e.Quiet, e.Record, e.Subagent = true, string(rec.Source), rec.Text("new_thread_id")
		out.Emit(e)
	case "thread_settings_applied", "context_compacted", "thread_goal_updated", "guardian_assessment", "image_generation_end",
		"sub_agent_activity", "dynamic_tool_call_request", "agent_reasoning_section_break", "session_configured", "turn_diff",
		"plan_update", "mcp_startup_update", "mcp_startup_complete", "shutdown_complete", "item_started",
		"collab_agent_interaction_end", "collab_waiting_end", "collab_close_end", "collab_resume_end",
		"exec_command_begin", "mcp_tool_call_begin", "patch_apply_begin", "web_search_begin", "image_generation_begin",
		"hook_started", "hook_completed", "model_reroute", "model_verification", "get_history_entry_response":
		rec.EmitQuiet(event.System, out)
	default:
		records.EmitUnknown(out, "event_msg "+typ, rec.Source)
	}
}

// typedText returns the text of a user's message, with notes for its images.
func typedText(rec records.Line) string {
	parts := []string{}
	if text := rec.Text("message"); text != "" {
		parts = append(parts, text)
	}
	for _, list := range []string{"images", "local_images"} {
		for _, v := range lazyjson.All(rec.Get(list)) {
			parts = append(parts, records.ImageNote(v.String()))
		}
	}
	return strings.Join(parts, "\n")
}

// rollback marks the last turns as taken back. A turn begins with a prompt.
func (r *reader) rollback(rec records.Line, out event.Sink) {
	n := int(rec.Get("num_turns").Int())
	mark := &event.Rewound{Count: n}
	first := r.Prompts - n + 1
	if seq, ok := out.Known(fmt.Sprintf("prompt:%d", first)); ok && n > 0 && first > 0 {
		mark.To = seq - 1
	}
	e := rec.Event(event.Rewind)
	e.Rewound = mark
	out.Emit(e)
	r.Prompts = max(0, r.Prompts-max(n, 0))
}

// itemCompleted reads an item of the mode that reports whole items.
func (r *reader) itemCompleted(rec records.Line, out event.Sink) {
	item := rec.Part(rec.Get("item"))
	switch typ := item.Text("type"); typ {
	case "UserMessage":
		r.prompt(rec, contentText(item.Get("content")), textOnly(item.Get("content")), records.Events, out)
	case "AgentMessage":
		r.emitText(rec, event.Assistant, records.Events, contentText(item.Get("content")), textOnly(item.Get("content")), out)
	case "Plan":
		r.emitText(rec, event.Assistant, records.Events, item.Text("text"), item.Text("text"), out)
	case "Reasoning":
		for _, list := range []string{"summary_text", "raw_content"} {
			for _, p := range lazyjson.All(item.Get(list)) {
				r.emitText(rec, event.Thinking, records.Events, p.String(), p.String(), out)
			}
		}
	case "CommandExecution", "McpToolCall", "FileChange", "WebSearch", "Extension", "DynamicToolCall":
		r.callEnd(rec, item.Value, item.Text("id"), typ, out)
	default:
		rec.EmitQuiet(event.System, out)
	}
}

// callEnd reads the end of a call as the program shows it. Usually the call and its
// result are items of their own. If the call is not (a command of the user's, a
// call from within another, a search run by the model's provider) both are emitted
// here.
func (r *reader) callEnd(rec records.Line, v lazyjson.Value, id, name string, out event.Sink) {
	text := endText(v)
	_, known := out.Known("call:" + id)
	isItem := known && name != "web_search"
	if isItem || v.Get("source").Str == "user_shell" || v.Get("source").Str == "userShell" || text == "" && known {
		rec.EmitQuiet(event.System, out)
		return
	}
	if tool := v.Get("invocation.tool").Str; tool != "" {
		name = v.Get("invocation.server").Str + "." + tool
	} else if tool := v.Get("tool").Str; tool != "" {
		name = tool
		if server := v.Get("server").Str; server != "" {
			name = server + "." + tool
		}
	}
	if !known {
		c := &event.Call{ID: id, Name: name}
		for _, key := range []string{"command", "invocation.arguments", "arguments", "changes", "action", "query", "path"} {
			if in := v.Get(key); in.Exists() {
				c.Input = in.String()
				break
			}
		}
		e := rec.Event(event.ToolCall)
		e.ID, e.Call = id, c
		out.Emit(e)
	}
	e := rec.Event(event.ToolResult)
	e.ID, e.Result = id, &event.Result{CallID: id, Name: name, Text: text, Error: v.Get("exit_code").Int() != 0 ||
		v.Get("success").Type == lazyjson.False || v.Get("result.Err").Exists() || v.Get("result.Ok.isError").Bool()}
	out.Emit(e)
}

// endText returns the text of a call's end.
func endText(v lazyjson.Value) string {
	for _, key := range []string{"aggregated_output", "content_items", "result.Ok.content", "result.content", "result.Err"} {
		if t := v.Get(key); t.IsArray() || t.Str != "" {
			return contentText(t)
		}
	}
	if results := v.Get("results"); results.IsArray() {
		var b strings.Builder
		for _, p := range lazyjson.All(results) {
			for _, key := range []string{"title", "url", "snippet"} {
				if s := p.Get(key).Str; s != "" {
					b.WriteString(s + "\n")
				}
			}
		}
		return b.String()
	}
	return v.Get("stdout").Str + v.Get("stderr").Str
}

func reviewText(v lazyjson.Value) string {
	var b strings.Builder
	b.WriteString("review ended")
	if s := v.Get("overall_explanation").Str; s != "" {
		b.WriteString(": " + s)
	}
	for _, f := range lazyjson.All(v.Get("findings")) {
		at := f.Get("code_location")
		fmt.Fprintf(&b, "\n- %s (%s:%d)\n%s", f.Get("title").Str, at.Get("absolute_file_path").Str,
			at.Get("line_range.start").Int(), f.Get("body").Str)
	}
	return b.String()
}
