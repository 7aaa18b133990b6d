// Package copilot reads the sessions of GitHub Copilot: those of its command line
// (cli.go) and those of VS Code's chat (vscode.go), which Copilot also writes in
// the command line's format.
package copilot

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"

	"ctxfs/providers/internal/frontmatter"
	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/internal/regexps"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/agents/records"
	"ctxfs/providers/transcripts/event"
)

// CLI returns the reader of Copilot CLI. A session is session-state/<id>/events.jsonl
// below ~/.copilot (first versions: session-state/<id>.jsonl), with the session's
// name in workspace.yaml beside it. A line is {type, data, id, parentId, timestamp};
// the events of subagents are among the session's own, with the id of the call that
// started them.
func CLI() history.Agent {
	return history.InFolder("copilot", history.Place{
		File: cliFormat,
		Skip: func(rel string) bool { return strings.Contains(rel, "/") },
	})
}

// cliFormat returns the format of a file below session-state.
func cliFormat(rel string) history.Format {
	id, name, deep := strings.Cut(rel, "/")
	if deep && name != "events.jsonl" {
		return nil
	}
	rank := 2
	if !deep {
		rank = 1
		if id, deep = strings.CutSuffix(id, ".jsonl"); !deep {
			return nil
		}
	}
	return history.Log{ID: id, Rank: rank, Spent: spentInCLI, Open: func(path string) history.Reader {
		return &reader{describe: func(out event.Sink) { readWorkspace(filepath.Dir(path), out) }}
	}}
}

// readWorkspace reads what the file beside the log says of the session.
func readWorkspace(dir string, out event.Sink) {
	body, err := os.ReadFile(filepath.Join(dir, "workspace.yaml"))
	if err != nil || len(body) > 1<<20 {
		return
	}
	doc, _, err := frontmatter.YAML(string(body))
	if err != nil {
		return
	}
	text := func(key string) string {
		v, _ := doc.Get(key)
		return v.Text
	}
	s := out.Session()
	if s.CWD == "" {
		s.CWD = text("cwd")
	}
	if s.Branch == "" {
		s.Branch = text("branch")
	}
	s.Name(event.FromSummary, records.FirstLine(text("summary")))
	s.Name(event.FromAgent, records.FirstLine(text("name")))
}

// reader reads the events of Copilot CLI, and those that Copilot in VS Code
// writes in the same form.
type reader struct {
	// describe adds what other files say of the session; may be nil.
	describe func(event.Sink)

	// Texts are the thoughts that the log has both as events of their own and
	// with the message.
	Texts records.Dedup `json:"twice,omitzero"`
	// Thought is the hash of the last thought: each message of a turn may repeat
	// it.
	Thought uint64 `json:"thought,omitempty,string"`
	// Tools are the calls whose results have not come yet.
	Tools records.PendingCalls `json:"tools,omitzero"`
}

// cliEvent is an event of Copilot's.
type cliEvent struct {
	records.Line
	id, agent string
}

// event returns an event with the id, the time and the subagent of Copilot's
// event.
func (r cliEvent) event(kind event.Kind) event.Event {
	return event.Event{Kind: kind, ID: r.id, Time: r.Time, Agent: r.agent}
}

// quiet emits an event that is not shown in the transcript.
func (r cliEvent) quiet(out event.Sink) {
	e := r.event(event.System)
	e.Quiet, e.Record = true, string(r.Source)
	out.Emit(e)
}

// system emits a text of the program.
func (r cliEvent) system(text string, out event.Sink) {
	e := r.event(event.System)
	e.Text = text
	out.Emit(e)
}

// Record implements [history.Reader].
func (r *reader) Record(line []byte, out event.Sink) {
	v, ok := records.ParseLine(line, out)
	if !ok {
		return
	}
	rec := cliEvent{Line: records.Line{Source: line}}
	typ := ""
	for k, v := range lazyjson.All(v) {
		switch k.Str {
		case "type":
			typ = v.Str
		case "data":
			rec.Line = rec.Part(v)
		case "id":
			rec.id = v.Str
		case "timestamp":
			rec.Time = records.ParseTime(v.Str)
		case "agentId":
			rec.agent = v.Str
		}
	}
	if rec.agent == "" {
		rec.agent = rec.Text("parentToolCallId")
	}
	switch typ {
	case "session.start", "session.resume", "session.context_changed":
		r.session(rec, out)
	case "session.model_change":
		if m := rec.Text("newModel"); m != "" && m != "auto" {
			out.Session().Model = m
		}
		rec.quiet(out)
	case "session.title_changed":
		out.Session().Name(event.FromAgent, records.FirstLine(rec.Text("title")))
		rec.quiet(out)
	case "user.message":
		r.user(rec, out)
	case "assistant.message":
		r.assistant(rec, out)
	case "assistant.reasoning":
		r.thought(rec, rec.Text("content"), records.Events, out)
	case "tool.execution_start":
		r.call(rec, rec.Text("toolCallId"), rec.Text("toolName"), rec.Get("arguments"), out)
	case "tool.execution_complete":
		r.result(rec, out)
	case "session.compaction_complete":
		r.compaction(rec, out)
	case "session.snapshot_rewind":
		mark := &event.Rewound{Count: int(rec.Get("eventsRemoved").Int())}
		if seq, ok := out.Known("event:" + rec.Text("upToEventId")); ok {
			mark.To = max(0, seq-1)
		}
		e := rec.event(event.Rewind)
		e.Rewound = mark
		out.Emit(e)
	default:
		r.programEvent(typ, rec, out)
	}
}

// programEvent reads the events that are about the program.
func (r *reader) programEvent(typ string, rec cliEvent, out event.Sink) {
	switch typ {
	case "system.message":
		if rec.Text("role") == "system" { // the instructions that every session has
			rec.quiet(out)
			return
		}
		rec.system(rec.Text("content"), out)
	case "system.notification":
		rec.system(rec.Text("content"), out)
	case "session.info", "session.error", "session.warning", "session.task_complete", "session.handoff", "subagent.failed":
		text := ""
		for _, key := range []string{"message", "summary", "error", "context"} {
			if text == "" {
				text = rec.Text(key)
			}
		}
		_, word, _ := strings.Cut(typ, ".")
		rec.system(strings.ReplaceAll(word, "_", " ")+": "+text, out)
	case "session.truncation":
		rec.system("the oldest messages were left out of the context", out)
	case "abort":
		rec.system("aborted: "+rec.Text("reason"), out)
	case "skill.invoked":
		e := rec.event(event.User)
		e.Origin, e.Text = event.Injected, rec.Text("content")
		if e.Text == "" {
			e.Text = "skill " + rec.Text("name")
		}
		out.Emit(e)
	case "assistant.turn_start", "assistant.turn_end", "assistant.intent", "assistant.usage", "assistant.idle",
		"session.idle", "session.shutdown", "session.usage_info", "session.usage_checkpoint", "session.usage_record", "session.auto_mode_resolved",
		"session.compaction_start", "session.mode_changed", "session.plan_changed", "session.workspace_file_changed",
		"session.tools_updated", "session.skills_loaded", "session.mcp_servers_loaded", "session.mcp_server_status_changed",
		"session.custom_agents_updated", "session.background_tasks_changed", "session.permissions_changed",
		"session.remote_steerable_changed", "session.autopilot_objective_changed", "session.todos_changed",
		"hook.start", "hook.end", "hook.progress", "subagent.started", "subagent.completed", "subagent.selected", "subagent.deselected",
		"tool.user_requested", "tool.execution_progress", "tool.execution_partial_result",
		"permission.requested", "permission.completed", "pending_messages.modified":
		rec.quiet(out)
	default:
		records.EmitUnknown(out, typ, rec.Source)
	}
}

// session reads what the log says of the session.
func (r *reader) session(rec cliEvent, out event.Sink) {
	s := out.Session()
	if id := rec.Text("sessionId"); id != "" && s.ID == "" {
		s.ID = id
	}
	s.Program = cmp.Or(rec.Text("copilotVersion"), s.Program)
	if m := rec.Text("selectedModel"); m != "" && m != "auto" {
		s.Model = m
	}
	at := rec.Get("context")
	if !at.Exists() {
		at = rec.Value
	}
	if dir := at.Get("cwd").Str; dir != "" && s.CWD == "" {
		s.CWD = dir
	}
	s.Branch = cmp.Or(at.Get("branch").Str, s.Branch)
	if r.describe != nil {
		r.describe(out)
	}
	rec.quiet(out)
}

// user reads what the user typed, or another program wrote in the user's name.
func (r *reader) user(rec cliEvent, out event.Sink) {
	e := rec.event(event.User)
	parts := []string{}
	if text := rec.Text("content"); text != "" {
		parts = append(parts, text)
	}
	for _, a := range lazyjson.All(rec.Get("attachments")) {
		parts = append(parts, attachmentNote(a))
	}
	e.Text = strings.Join(parts, "\n")
	source := rec.Text("source")
	switch delivery := rec.Text("delivery"); {
	case source != "" && source != "user" || rec.agent != "":
		e.Origin = event.Injected
	case strings.Contains(delivery, "queue") || delivery == "steering":
		e.Origin = event.Queued
	}
	if sent := rec.Text("transformedContent"); sent != "" && sent != rec.Text("content") {
		e.Record = string(rec.Source)
	}
	out.Emit(e)
	out.Note("event:" + rec.id)
	if e.Origin != event.Injected {
		out.Session().Name(event.FromPrompt, records.FirstLine(e.Text))
	}
	if r.describe != nil {
		r.describe(out)
	}
}

// attachmentNote returns the note that stands for an attachment.
func attachmentNote(a lazyjson.Value) string {
	if data := a.Get("data").Str; data != "" {
		return event.Blob(a.Get("mimeType").Str, records.Base64Size(data))
	}
	for _, key := range []string{"path", "filePath", "displayName", "url"} {
		if s := a.Get(key).Str; s != "" {
			return "[" + a.Get("type").Str + " " + s + "]"
		}
	}
	return "[" + a.Get("type").Str + "]"
}

// assistant reads what the model said, thought and called.
func (r *reader) assistant(rec cliEvent, out event.Sink) {
	if m := rec.Text("model"); m != "" && rec.agent == "" {
		out.Session().Model = m
	}
	r.thought(rec, rec.Text("reasoningText"), records.Items, out)
	emitted := false
	if text := rec.Text("content"); text != "" {
		e := rec.event(event.Assistant)
		e.Text, e.Model = text, rec.Text("model")
		out.Emit(e)
		emitted = true
	}
	for _, c := range lazyjson.All(rec.Get("toolRequests")) {
		r.call(rec, c.Get("toolCallId").Str, c.Get("name").Str, c.Get("arguments"), out)
		emitted = true
	}
	if !emitted && rec.Text("reasoningText") == "" {
		rec.quiet(out)
	}
}

// thought emits what the model thought, unless it was emitted before.
func (r *reader) thought(rec cliEvent, text string, by records.Channel, out event.Sink) {
	hash := records.TextHash(text)
	if text == "" || hash == r.Thought || r.Texts.Repeated(text, rec.agent, by) {
		return
	}
	r.Thought = hash
	e := rec.event(event.Thinking)
	e.Text, e.Model = text, rec.Text("model")
	out.Emit(e)
}

// call emits a call where it first occurs in the log: with the message that
// requests it, or when it begins.
func (r *reader) call(rec cliEvent, id, name string, args lazyjson.Value, out event.Sink) {
	if _, known := out.Known("call:" + id); known && id != "" {
		if rec.Text("toolCallId") == id {
			rec.quiet(out)
		}
		return
	}
	e := rec.event(event.ToolCall)
	e.ID, e.Model, e.Call = id, rec.Text("model"), &event.Call{ID: id, Name: name, Input: args.String()}
	out.Emit(e)
	if id != "" {
		out.Note("call:" + id)
		r.Tools.Add(id, name)
	}
}

// exitCode matches the shell tool's note that a command failed, savedTo the path of
// the file with the full text of a long output.
var (
	exitCode = regexps.Lazy(`with exit code -?[1-9][0-9]*>?\s*$`)
	savedTo  = regexps.Lazy(`(?i)saved to: (/[^\n]+)`)
)

// result reads what a tool returned.
func (r *reader) result(rec cliEvent, out event.Sink) {
	res := &event.Result{CallID: rec.Text("toolCallId"), Error: rec.Get("success").Type == lazyjson.False}
	res.Name = r.Tools.Take(res.CallID)
	var parts []string
	for _, key := range []string{"result.content", "result.detailedContent"} {
		if text := rec.Get(key).String(); text != "" {
			parts = append(parts, text)
			break
		}
	}
	for _, p := range lazyjson.All(rec.Get("result.contents")) {
		if data := p.Get("data").Str; data != "" {
			parts = append(parts, event.Blob(p.Get("mimeType").Str, records.Base64Size(data)))
		}
	}
	if text := rec.Get("error.message").Str; text != "" {
		parts = append(parts, text)
	}
	res.Text = strings.Join(parts, "\n")
	tail := res.Text[max(0, len(res.Text)-200):]
	res.Error = res.Error || exitCode().MatchString(tail)
	if m := savedTo().FindStringSubmatch(res.Text[:min(len(res.Text), 1000)]); m != nil {
		res.Spill = strings.TrimSpace(m[1])
	}
	e := rec.event(event.ToolResult)
	e.ID, e.Result = res.CallID, res
	out.Emit(e)
}

// compaction marks where the context was replaced by a summary.
func (r *reader) compaction(rec cliEvent, out event.Sink) {
	if rec.Get("success").Type == lazyjson.False {
		rec.system("compaction failed: "+rec.Text("error"), out)
		return
	}
	e := rec.event(event.Compaction)
	e.Compact = &event.Compact{Trigger: rec.Text("trigger"), Tokens: int(rec.Get("preCompactionTokens").Int()), Summary: rec.Text("summaryContent")}
	out.Emit(e)
}
