package codex

import (
	"fmt"
	"strings"

	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/transcripts/agents/records"
	"ctxfs/providers/transcripts/event"
)

// item reads what went to the model or came from it.
func (r *reader) item(rec records.Line, out event.Sink) {
	switch typ := rec.Text("type"); typ {
	case "message":
		r.message(rec, out)
	case "reasoning":
		r.reasoning(rec, out)
	case "agent_message":
		r.agentMessage(rec, out)
	case "function_call", "custom_tool_call", "local_shell_call", "tool_search_call", "web_search_call", "tool_call":
		r.call(rec, out)
	case "function_call_output", "custom_tool_call_output", "tool_search_output", "function_result", "tool_result":
		r.result(rec, out)
	case "image_generation_call":
		id := rec.Text("id")
		e := rec.Event(event.ToolCall)
		e.ID, e.Call = id, &event.Call{ID: id, Name: "image_generation", Input: rec.Text("revised_prompt")}
		out.Emit(e)
		out.Note("call:" + id)
		e = rec.Event(event.ToolResult)
		e.ID, e.Result = id, &event.Result{CallID: id, Name: "image_generation", Text: event.Blob("image", len(rec.Get("result").Str)/4*3)}
		out.Emit(e)
	case "compaction", "context_compaction", "compaction_summary", "ghost_snapshot", "additional_tools":
		rec.EmitQuiet(event.System, out)
	default:
		records.EmitUnknown(out, typ, rec.Source)
	}
}

// message reads a message by its role.
func (r *reader) message(rec records.Line, out event.Sink) {
	content := rec.Get("content")
	if !content.Exists() {
		content = rec.Get("message")
	}
	switch role := rec.Text("role"); role {
	case "assistant":
		text, words := contentText(content), textOnly(content)
		r.emitText(rec, event.Assistant, records.Items, text, words, out)
	case "developer", "system":
		e := rec.Event(event.System)
		e.Text = contentText(content)
		out.Emit(e)
	case "user":
		r.user(rec, content, out)
	default:
		records.EmitUnknown(out, "message of "+role, rec.Source)
	}
}

// user reads a message in the user's name. What the program put into it is
// recognized part by part: in every version the parts of one kind are together.
func (r *reader) user(rec records.Line, content lazyjson.Value, out event.Sink) {
	if !content.IsArray() {
		r.prompt(rec, content.String(), content.String(), records.Items, out)
		return
	}
	var parts, words []string
	injected := false
	flush := func() {
		if len(parts) > 0 {
			r.prompt(rec, strings.Join(parts, "\n"), strings.Join(words, "\n"), records.Items, out)
		}
		parts, words = parts[:0], words[:0]
	}
	for _, p := range lazyjson.All(content) {
		text := partText(p)
		if text == "" || isImageTag(text) {
			continue
		}
		if in := isInjected(text); in != injected {
			flush()
			injected = in
		}
		parts = append(parts, text)
		if p.Get("text").Exists() {
			words = append(words, text)
		}
	}
	flush()
}

// isImageTag reports whether a text is the tag before or after an image.
func isImageTag(text string) bool {
	return strings.HasPrefix(text, "<image") && strings.HasSuffix(text, ">") && len(text) < 200 || text == "</image>"
}

// prompt emits what a user typed, unless it was emitted already. words is the
// text without the notes for images.
func (r *reader) prompt(rec records.Line, text, words string, by records.Channel, out event.Sink) {
	origin := event.Typed
	if by == records.Items && isInjected(text) {
		origin = event.Injected
		if s := out.Session(); s.CWD == "" {
			s.CWD = workingFolder(text) // the only place where versions of 2025 have it
		}
	} else if r.Texts.Repeated(words, "user", by) {
		return
	}
	e := rec.Event(event.User)
	e.Origin, e.Text = origin, text
	out.Emit(e)
	if origin != event.Typed {
		return
	}
	r.Prompts++
	out.Note(fmt.Sprintf("prompt:%d", r.Prompts))
	if !r.TurnIDs {
		out.Note(promptID(words))
	}
	out.Session().Name(event.FromPrompt, records.FirstLine(words))
}

// promptID returns the id of a prompt in a log whose turns have no ids.
func promptID(text string) string { return fmt.Sprintf("said:%016x", records.TextHash(text)) }

// emitText emits a text of the model, unless it was emitted already. words is the
// text without the notes for images.
func (r *reader) emitText(rec records.Line, kind event.Kind, by records.Channel, text, words string, out event.Sink) {
	if text == "" || r.Texts.Repeated(words, string(kind), by) {
		return
	}
	e := rec.Event(kind)
	e.Text, e.Model = text, r.Model
	out.Emit(e)
}

// reasoning reads the readable parts of what the model thought. The program shows
// each part as an event of its own.
func (r *reader) reasoning(rec records.Line, out event.Sink) {
	var parts []string
	readable := false
	for _, list := range []string{"summary", "content", "summary_text", "raw_content"} {
		for _, p := range lazyjson.All(rec.Get(list)) {
			text := p.Get("text").Str
			if p.Type == lazyjson.String {
				text = p.Str
			}
			if text != "" {
				readable = true
				if !r.Texts.Repeated(text, string(event.Thinking), records.Items) {
					parts = append(parts, text)
				}
			}
		}
	}
	e := rec.Event(event.Thinking)
	e.Model, e.Text = r.Model, strings.Join(parts, "\n\n")
	// That there are encrypted parts is noted; they are not kept.
	e.Quiet = !readable
	if e.Quiet || len(parts) > 0 {
		out.Emit(e)
	}
}

// agentMessage reads what one agent writes to another.
func (r *reader) agentMessage(rec records.Line, out event.Sink) {
	text := contentText(rec.Get("content"))
	if text == "" {
		rec.EmitQuiet(event.System, out)
		return
	}
	if r.Texts.Repeated(text, "between", records.Channel(rec.Text("type") == "agent_message")) {
		return
	}
	e := rec.Event(event.User)
	e.Origin, e.Text = event.Injected, text
	if from := rec.Text("author"); from != "" {
		e.Text = from + " to " + rec.Text("recipient") + ":\n" + text
	}
	out.Emit(e)
}

// call reads a call of a tool.
func (r *reader) call(rec records.Line, out event.Sink) {
	c := &event.Call{ID: rec.Text("call_id"), Name: rec.Text("name")}
	if c.ID == "" {
		c.ID = rec.Text("id")
	}
	if c.Name == "" {
		c.Name = rec.Get("function.name").Str
	}
	if c.Name == "" {
		c.Name = strings.TrimSuffix(rec.Text("type"), "_call")
	}
	if ns := rec.Text("namespace"); ns != "" && !strings.HasPrefix(c.Name, ns) {
		c.Name = ns + "." + c.Name
	}
	for _, key := range []string{"arguments", "input", "action"} {
		if v := rec.Get(key); v.Exists() {
			c.Input = v.String()
			break
		}
	}
	e := rec.Event(event.ToolCall)
	e.ID, e.Model, e.Call = c.ID, r.Model, c
	out.Emit(e)
	if c.ID != "" {
		out.Note("call:" + c.ID)
		r.Tools.Add(c.ID, c.Name)
	}
}

// result reads what a tool returned.
func (r *reader) result(rec records.Line, out event.Sink) {
	res := &event.Result{CallID: rec.Text("call_id")}
	res.Name = r.Tools.Take(res.CallID)
	if res.Name == "" {
		res.Name = rec.Text("name")
	}
	for _, key := range []string{"output", "result", "tools"} {
		if v := rec.Get(key); v.Exists() {
			res.Text, res.Error = outputText(v)
			break
		}
	}
	e := rec.Event(event.ToolResult)
	e.ID, e.Result = res.CallID, res
	if id := lazyjson.ParseString(res.Text).Get("agent_id"); strings.HasSuffix(res.Name, "spawn_agent") && id.Type == lazyjson.String {
		e.Subagent = id.Str
	}
	out.Emit(e)
}

// outputText returns the text of a result: a string, a list of parts, an object
// with the text, or a string with such an object, as the first shell tool had it:
// {output, metadata: {exit_code}}. failed reports whether the call failed.
func outputText(v lazyjson.Value) (text string, failed bool) {
	switch {
	case v.IsArray():
		text = contentText(v)
	case v.IsObject():
		return objectText(v)
	default:
		text = v.String()
		if strings.HasPrefix(text, `{"output":`) && lazyjson.Valid([]byte(text)) {
			return objectText(lazyjson.ParseString(text))
		}
	}
	return text, exitCodeFailed(text)
}

func objectText(v lazyjson.Value) (text string, failed bool) {
	text = v.Raw
	for _, key := range []string{"output", "content", "content_items", "text"} {
		if t := v.Get(key); t.Type == lazyjson.String || t.IsArray() {
			text = contentText(t)
			break
		}
	}
	if out := v.Get("stdout"); out.Type == lazyjson.String {
		text = out.Str + v.Get("stderr").Str
	}
	failed = v.Get("metadata.exit_code").Int() != 0 || v.Get("exitCode").Int() != 0 || v.Get("success").Type == lazyjson.False
	return text, failed || exitCodeFailed(text)
}

// exitCodeFailed reports whether the head that Codex writes before a command's
// output has an exit code other than 0.
func exitCodeFailed(text string) bool {
	head, _, _ := strings.Cut(text[:min(len(text), 400)], "\nOutput:")
	for line := range strings.Lines(head) {
		for _, before := range []string{"Process exited with code ", "Exit code: "} {
			if code, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n"), before); ok {
				return code != "0"
			}
		}
	}
	return false
}

// contentText returns the text of a message's content.
func contentText(v lazyjson.Value) string {
	if !v.IsArray() {
		return v.String()
	}
	return records.JoinText(v, partText)
}

// textOnly is contentText without the notes for images.
func textOnly(v lazyjson.Value) string {
	if !v.IsArray() {
		return v.String()
	}
	var parts []string
	for _, p := range lazyjson.All(v) {
		if t := p.Get("text"); t.Exists() {
			parts = append(parts, t.String())
		}
	}
	return strings.Join(parts, "\n")
}

// partText returns the text of one part of a content.
func partText(p lazyjson.Value) string {
	switch p.Get("type").Str {
	case "input_image", "image", "inputImage", "local_image":
		url := p.Get("image_url")
		if !url.Exists() {
			url = p.Get("path")
		}
		return records.ImageNote(url.String())
	case "encrypted_content":
		return ""
	}
	if p.Type == lazyjson.String {
		return p.Str
	}
	if t := p.Get("text"); t.Exists() {
		return t.String()
	}
	return p.Raw
}

// workingFolder returns the working directory that the program tells the model,
// in the two forms of <environment_context> that it has used.
func workingFolder(text string) string {
	_, text, ok := strings.Cut(text, "<environment_context>")
	if !ok {
		return ""
	}
	text, _, _ = strings.Cut(text, "</environment_context>")
	if _, rest, ok := strings.Cut(text, "<cwd>"); ok {
		folder, _, _ := strings.Cut(rest, "</cwd>")
		return strings.TrimSpace(folder)
	}
	for line := range strings.Lines(text) {
		if name, folder, ok := strings.Cut(line, ":"); ok && strings.EqualFold(strings.TrimSpace(name), "current working directory") {
			return strings.TrimSpace(folder)
		}
	}
	return ""
}

// isInjected reports, by the form of a text in the user's name, whether the
// program wrote it: all that it adds is an element of its own, except for the
// project's instructions and some warnings.
func isInjected(text string) bool {
	text = strings.TrimSpace(text)
	for _, begin := range []string{"# AGENTS.md instructions", "<environment_context>", "<user_instructions>", "<turn_aborted>",
		"Warning: apply_patch was requested", "Warning: The maximum number of", "Warning: Your account was flagged"} {
		if strings.HasPrefix(text, begin) {
			return true
		}
	}
	rest, ok := strings.CutPrefix(text, "<")
	if !ok || rest == "" || rest[0] < 'a' || rest[0] > 'z' {
		return false
	}
	name := rest[:max(strings.IndexAny(rest, " >"), 0)]
	return strings.Contains(name, "_") && strings.HasSuffix(text, "</"+name+">") || name == "skill" && strings.HasSuffix(text, "</skill>")
}
