package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// agentLog is the log of a session that an agent writes, made by hand.
type agentLog struct {
	*box
	agent, id string
	path      string // of the log, below the home folder
	folder    string // of the session, below transcripts/
	n         int
	// record writes the n-th message, or a long result of a tool.
	record func(l *agentLog, role, text string) string
}

// The sessions of the tests took place on one day.
const sessionDay = "2026-05-12"

func (l *agentLog) time() string {
	return time.Date(2026, 5, 12, 1, 0, l.n, 0, time.UTC).Format(time.RFC3339)
}

// append is the agent writing to its log.
func (l *agentLog) append(text string) {
	l.Helper()
	appendTo(l.T, filepath.Join(l.home, l.path), text)
}

func appendTo(t testing.TB, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	must(t, err)
	_, err = f.WriteString(text)
	must(t, err)
	must(t, f.Close())
}

func (l *agentLog) say(role, text string) {
	l.Helper()
	l.n++
	l.append(l.record(l, role, text))
}

func (l *agentLog) assistant(text string) { l.Helper(); l.say("assistant", text) }

// idle has the log be one that nobody has written to for a day.
func (l *agentLog) idle() *agentLog {
	l.Helper()
	old := time.Now().Add(-24 * time.Hour)
	must(l.T, os.Chtimes(filepath.Join(l.home, l.path), old, old))
	return l
}

// transcript is the path of the transcript in the mount.
func (l *agentLog) transcript() string { return "transcripts/" + l.folder + "/transcript.md" }

func (b *box) cwd() string { return filepath.Join(b.home, "work") }

func first8(id string) string { return id[:8] }

// claude begins a session of Claude Code whose title is its first prompt.
func (b *box) claude(id, prompt string) *agentLog {
	b.Helper()
	l := &agentLog{box: b, agent: "claude-code", id: id, path: ".claude/projects/-work/" + id + ".jsonl", record: claudeRecord}
	l.n++
	b.write(l.path, claudeRecord(l, "user", prompt))
	l.folder = "claude-code/work/" + sessionDay + "_" + strings.ReplaceAll(prompt, " ", "-") + "_" + first8(id)
	return l
}

func claudeRecord(l *agentLog, role, text string) string {
	message := map[string]any{"role": role, "content": text}
	switch role {
	case "assistant":
		message["content"] = []any{map[string]any{"type": "text", "text": text}}
		message["id"], message["model"] = fmt.Sprintf("msg_%d", l.n), "claude-opus-4-5"
	case "call":
		message["role"] = "assistant"
		message["id"], message["model"] = fmt.Sprintf("msg_%d", l.n), "claude-opus-4-5"
		message["content"] = []any{map[string]any{"type": "tool_use", "id": fmt.Sprintf("toolu_%d", l.n), "name": "Bash", "input": map[string]any{"command": text}}}
	case "result":
		message["role"] = "user"
		message["content"] = []any{map[string]any{"type": "tool_result", "tool_use_id": fmt.Sprintf("toolu_%d", l.n-1), "content": text}}
	}
	record := map[string]any{
		"type": message["role"], "uuid": l.uuid(l.n), "parentUuid": nil, "timestamp": l.time(), "sessionId": l.id,
		"cwd": l.cwd(), "version": "2.1.42", "message": message,
	}
	if l.n > 1 {
		record["parentUuid"] = l.uuid(l.n - 1)
	}
	return oneLine(record)
}

func (l *agentLog) uuid(n int) string { return fmt.Sprintf("%s-4000-8000-%012d", l.id[:13], n) }

// oneLine is a value as a line of JSON.
func oneLine(value any) string {
	var b strings.Builder
	for line := range strings.Lines(asJSON(value)) {
		b.WriteString(strings.TrimSpace(line))
	}
	return b.String() + "\n"
}

// pi begins a session of Pi.
func (b *box) pi(id, prompt string) *agentLog {
	b.Helper()
	l := &agentLog{box: b, agent: "pi", id: id, path: ".pi/agent/sessions/--work--/2026-05-12T01-00-00-000Z_" + id + ".jsonl", record: piRecord}
	begin := oneLine(map[string]any{"type": "session", "version": 3, "id": id, "timestamp": l.time(), "cwd": b.cwd()})
	l.n++
	b.write(l.path, begin+piRecord(l, "user", prompt))
	l.folder = "pi/work/" + sessionDay + "_" + strings.ReplaceAll(prompt, " ", "-") + "_" + first8(id)
	return l
}

func piRecord(l *agentLog, role, text string) string {
	message := map[string]any{"role": role, "content": []any{map[string]any{"type": "text", "text": text}}}
	switch role {
	case "call":
		message["role"] = "assistant"
		message["content"] = []any{map[string]any{"type": "toolCall", "id": fmt.Sprintf("call-%d", l.n), "name": "bash", "arguments": map[string]any{"command": text}}}
	case "result":
		message["role"], message["toolCallId"], message["toolName"], message["isError"] = "toolResult", fmt.Sprintf("call-%d", l.n-1), "bash", false
	}
	record := map[string]any{"type": "message", "id": l.uuid(l.n), "timestamp": l.time(), "message": message}
	if l.n > 1 {
		record["parentId"] = l.uuid(l.n - 1)
	}
	return oneLine(record)
}

// codex begins a session of Codex.
func (b *box) codex(id, prompt string) *agentLog {
	b.Helper()
	l := &agentLog{box: b, agent: "codex", id: id, path: ".codex/sessions/2026/05/12/rollout-2026-05-12T01-00-00-" + id + ".jsonl", record: codexRecord}
	begin := oneLine(map[string]any{"timestamp": l.time(), "type": "session_meta", "payload": map[string]any{
		"id": id, "timestamp": l.time(), "cwd": b.cwd(), "originator": "codex_cli_rs", "cli_version": "0.128.0", "source": "cli",
	}})
	l.n++
	b.write(l.path, begin+codexRecord(l, "user", prompt))
	l.folder = "codex/work/" + sessionDay + "_" + strings.ReplaceAll(prompt, " ", "-") + "_" + first8(id)
	return l
}

func codexRecord(l *agentLog, role, text string) string {
	kind := "output_text"
	if role == "user" {
		kind = "input_text"
	}
	payload := map[string]any{"type": "message", "role": role, "content": []any{map[string]any{"type": kind, "text": text}}}
	switch role {
	case "call":
		payload = map[string]any{"type": "function_call", "name": "shell", "call_id": fmt.Sprintf("call-%d", l.n), "arguments": oneLine(map[string]any{"command": text})}
	case "result":
		payload = map[string]any{"type": "function_call_output", "call_id": fmt.Sprintf("call-%d", l.n-1), "output": text}
	}
	item := oneLine(map[string]any{"timestamp": l.time(), "type": "response_item", "payload": payload})
	if role == "user" {
		item += oneLine(map[string]any{"timestamp": l.time(), "type": "event_msg", "payload": map[string]any{"type": "user_message", "message": text}})
	}
	return item
}

// rendered waits until the background process has rendered all there is.
func (b *box) rendered() {
	b.Helper()
	b.shows("STATUS.md", "## transcripts: ready")
}

// longText is a text of n numbered lines with a word of its own in the middle.
func longText(n int, word string) string {
	var b strings.Builder
	for i := range n {
		if fmt.Fprintf(&b, "line %d of a long text\n", i); i == n/2 {
			b.WriteString(word + "\n")
		}
	}
	return b.String()
}

const (
	wombatID = "c1a0de00-2222-4333-8444-555555555555"
	quokkaID = "c0de0000-2222-4333-8444-555555555555"
	numbatID = "314159aa-2222-4333-8444-555555555555"
)

// threeSessions are one of each agent, with a long result each.
func (b *box) threeSessions() []*agentLog {
	b.Helper()
	all := []*agentLog{
		b.claude(wombatID, "Mend the wombat"), b.codex(quokkaID, "Feed the quokka"), b.pi(numbatID, "Wake the numbat"),
	}
	for _, l := range all {
		l.assistant("I look at it, says " + l.agent + ".")
		l.say("call", "cat log")
		l.say("result", longText(1000, "in-the-middle-of-"+l.agent))
		l.assistant("All done by " + l.agent + ".")
	}
	return all
}
