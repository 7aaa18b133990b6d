package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// turn is one thing in a session: what the user or the agent says, or a command
// with its output.
type turn struct {
	who          byte // U, A or T
	text, output string
	failed       bool
}

// story is a session as it is written down.
type story struct {
	name, agent, project string
	at                   time.Time
	turns                []turn
}

// writeSessions writes the histories of agents: the recorded sessions of
// ../shared/data, the stories of the world, and others of the same projects.
func (w *findingWorld) writeSessions() {
	w.Helper()
	for _, dir := range slices.Sorted(maps.Keys(projectTopics)) {
		w.write(filepath.Join("work", dir, ".git/HEAD"), "ref: refs/heads/main\n")
	}
	n := w.copySessions()
	for _, file := range []string{"sessions-1.txt", "sessions-2.txt"} {
		for _, s := range worldSections(w, file) {
			days, err := strconv.Atoi(s.fields[2])
			must(w, err)
			w.writeSession(story{name: s.name, agent: s.fields[0], project: s.fields[1], at: w.daysAgo(days), turns: turnsOf(s.text)})
			n++
		}
	}
	for chance := newChance("sessions"); n < worldSessions; n++ {
		w.writeSession(chance.story(fmt.Sprintf("other-%d", n), w))
	}
}

// copySessions copies the recorded sessions, and returns how many there are.
func (w *findingWorld) copySessions() int {
	w.Helper()
	logs, err := filepath.Glob(testData("sessions/claude-code/*.jsonl"))
	must(w, err)
	if len(logs) == 0 {
		w.Skip("the recorded sessions in ../shared/data/sessions/claude-code are missing; CTXFS_TEST_DATA names another folder")
	}
	for i, log := range logs {
		text, err := os.ReadFile(log)
		must(w, err)
		w.history(".claude/projects/-work/"+filepath.Base(log), string(text), w.daysAgo(3+4*i))
	}
	return len(logs)
}

// turnsOf reads lines "U: …", "A: …" and "T: command => output".
func turnsOf(text string) (turns []turn) {
	for line := range strings.Lines(text) {
		who, said, ok := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		if !ok {
			continue
		}
		t := turn{who: who[0], text: said}
		if t.who == 'T' {
			t.text, t.output, _ = strings.Cut(said, " => ")
			t.output = strings.ReplaceAll(t.output, `\n`, "\n")
			lower := strings.ToLower(t.output)
			t.failed = strings.Contains(lower, "error") || strings.Contains(lower, "failed")
		}
		turns = append(turns, t)
	}
	return turns
}

// history writes a file of an agent that was last written to at a time.
func (w *findingWorld) history(path, text string, at time.Time) {
	w.Helper()
	w.write(path, text)
	must(w, os.Chtimes(filepath.Join(w.home, path), at, at))
}

// writeSession writes a session as its agent does.
func (w *findingWorld) writeSession(s story) {
	w.Helper()
	id := stableID(s.name)
	w.sessions[s.name] = id
	cwd := w.project(s.project)
	stamp := s.at.UTC().Format("2006-01-02T15-04-05")
	l := &sessionLog{id: id, cwd: cwd, at: s.at}
	var path string
	switch s.agent {
	case "claude-code":
		path = ".claude/projects/-work-" + s.project + "/" + id + ".jsonl"
		l.claude(s.turns)
	case "codex":
		path = ".codex/sessions/" + s.at.UTC().Format("2006/01/02") + "/rollout-" + stamp + "-" + id + ".jsonl"
		l.codex(s.turns)
	case "gemini":
		w.write(".gemini/tmp/"+s.project+"/.project_root", cwd)
		path = ".gemini/tmp/" + s.project + "/chats/session-" + stamp[:16] + "-" + id[:8] + ".jsonl"
		l.gemini(s.turns)
	case "pi":
		path = ".pi/agent/sessions/--work-" + s.project + "--/" + stamp + "-000Z_" + id + ".jsonl"
		l.pi(s.turns)
	case "copilot":
		w.write(".copilot/session-state/"+id+"/workspace.yaml", "cwd: "+cwd+"\n")
		path = ".copilot/session-state/" + id + "/events.jsonl"
		l.copilot(s.turns)
	default:
		w.Fatalf("%s: nobody writes sessions of %s", s.name, s.agent)
	}
	w.history(path, l.text.String(), s.at.Add(time.Hour))
}

// sessionLog is the log of one session.
type sessionLog struct {
	id, cwd string
	at      time.Time
	n       int
	last    string // the ID of the last record
	text    strings.Builder
}

// object is a JSON object.
type object = map[string]any

// next returns the ID and the time of the next record.
func (l *sessionLog) next() (id, at string) {
	l.n++
	return stableID(fmt.Sprint(l.id, l.n)), l.at.Add(time.Duration(l.n) * 20 * time.Second).UTC().Format("2006-01-02T15:04:05.000Z")
}

func (l *sessionLog) line(o object) {
	text, err := json.Marshal(o)
	if err != nil {
		panic(err)
	}
	l.text.Write(append(text, '\n'))
}

func (l *sessionLog) claude(turns []turn) {
	record := func(kind string, message object) {
		id, at := l.next()
		o := object{
			"type": kind, "uuid": id, "parentUuid": nil, "sessionId": l.id, "timestamp": at, "cwd": l.cwd,
			"version": "2.1.42", "gitBranch": "main", "isSidechain": false, "userType": "external", "message": message,
		}
		if l.last != "" {
			o["parentUuid"] = l.last
		}
		l.last = id
		l.line(o)
	}
	for _, t := range turns {
		call := fmt.Sprintf("toolu_%s%d", l.id[:8], l.n)
		switch t.who {
		case 'U':
			record("user", object{"role": "user", "content": t.text})
		case 'A':
			record("assistant", object{"id": "msg_" + call, "role": "assistant", "model": "model-x", "content": []object{{"type": "text", "text": t.text}}})
		case 'T':
			record("assistant", object{"id": "msg_" + call, "role": "assistant", "model": "model-x",
				"content": []object{{"type": "tool_use", "id": call, "name": "Bash", "input": object{"command": t.text}}}})
			record("user", object{"role": "user", "content": []object{{"type": "tool_result", "tool_use_id": call, "content": t.output, "is_error": t.failed}}})
		}
	}
}

func (l *sessionLog) codex(turns []turn) {
	record := func(kind string, payload object) {
		_, at := l.next()
		l.line(object{"timestamp": at, "type": kind, "payload": payload})
	}
	record("session_meta", object{"id": l.id, "timestamp": l.at.UTC().Format(time.RFC3339), "cwd": l.cwd, "cli_version": "0.128.0"})
	say := func(role, kind, event, text string) {
		record("response_item", object{"type": "message", "role": role, "content": []object{{"type": kind, "text": text}}})
		record("event_msg", object{"type": event, "message": text})
	}
	for _, t := range turns {
		switch t.who {
		case 'U':
			say("user", "input_text", "user_message", t.text)
		case 'A':
			say("assistant", "output_text", "agent_message", t.text)
		case 'T':
			call := fmt.Sprint("call_", l.n)
			arguments, _ := json.Marshal(object{"command": []string{"bash", "-lc", t.text}})
			record("response_item", object{"type": "function_call", "name": "shell", "arguments": string(arguments), "call_id": call})
			record("response_item", object{"type": "function_call_output", "call_id": call, "output": "Exit code: " + map[bool]string{true: "1", false: "0"}[t.failed] + "\nOutput:\n" + t.output})
		}
	}
}

func (l *sessionLog) gemini(turns []turn) {
	l.line(object{"sessionId": l.id, "projectHash": "x", "startTime": l.at.UTC().Format(time.RFC3339), "kind": "main"})
	for _, t := range turns {
		id, at := l.next()
		switch t.who {
		case 'U':
			l.line(object{"id": id, "timestamp": at, "type": "user", "content": []object{{"text": t.text}}})
		case 'A':
			l.line(object{"id": id, "timestamp": at, "type": "gemini", "model": "model-x", "content": t.text})
		case 'T':
			response, status := object{"output": t.output}, "success"
			if t.failed {
				response, status = object{"error": t.output}, "error"
			}
			l.line(object{"id": id, "timestamp": at, "type": "gemini", "model": "model-x", "content": "", "toolCalls": []object{{
				"id": id, "name": "run_shell_command", "args": object{"command": t.text}, "status": status,
				"result": []object{{"functionResponse": object{"id": id, "name": "run_shell_command", "response": response}}},
			}}})
		}
	}
}

func (l *sessionLog) pi(turns []turn) {
	l.line(object{"type": "session", "version": 3, "id": l.id, "timestamp": l.at.UTC().Format(time.RFC3339), "cwd": l.cwd})
	record := func(message object) {
		id, at := l.next()
		o := object{"type": "message", "id": id[:8], "parentId": nil, "timestamp": at, "message": message}
		if l.last != "" {
			o["parentId"] = l.last
		}
		l.last = id[:8]
		l.line(o)
	}
	text := func(s string) []object { return []object{{"type": "text", "text": s}} }
	for _, t := range turns {
		switch t.who {
		case 'U':
			record(object{"role": "user", "content": text(t.text)})
		case 'A':
			record(object{"role": "assistant", "model": "model-x", "content": text(t.text)})
		case 'T':
			call := fmt.Sprint("call_", l.n)
			record(object{"role": "assistant", "model": "model-x", "content": []object{{"type": "toolCall", "id": call, "name": "bash", "arguments": object{"command": t.text}}}})
			record(object{"role": "toolResult", "toolCallId": call, "toolName": "bash", "content": text(t.output), "isError": t.failed})
		}
	}
}

func (l *sessionLog) copilot(turns []turn) {
	record := func(kind string, data object) {
		id, at := l.next()
		l.line(object{"type": kind, "id": id, "timestamp": at, "data": data})
	}
	record("session.start", object{"sessionId": l.id, "copilotVersion": "1.0.68", "context": object{"cwd": l.cwd}})
	for _, t := range turns {
		switch t.who {
		case 'U':
			record("user.message", object{"content": t.text})
		case 'A':
			record("assistant.message", object{"content": t.text})
		case 'T':
			call := fmt.Sprint("call_", l.n)
			record("assistant.message", object{"content": "", "toolRequests": []object{{"toolCallId": call, "name": "bash", "arguments": object{"command": t.text}}}})
			outcome := object{"toolCallId": call, "success": !t.failed, "result": object{"content": t.output}}
			if t.failed {
				outcome = object{"toolCallId": call, "success": false, "error": object{"message": t.output}}
			}
			record("tool.execution_complete", outcome)
		}
	}
}
