package transcripts

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

// plannedBy are sessions with a list of two tasks as each agent stores them, of which the
// first one is done.
func plannedBy() map[string]aSession {
	line := func(lines ...string) string { return strings.Join(lines, "\n") + "\n" }
	const (
		todos   = `{"todos":[{"id":"1","content":"write it","status":"completed"},{"id":"2","content":"test it","status":"in_progress"}]}`
		checked = `"- [x] write it\n- [-] test it"`
		cursor  = `INSERT INTO cursorDiskKV VALUES `
	)
	quoted := strings.ReplaceAll(todos, `"`, `\"`)
	anthropic := func(tool, input string) string {
		return `[{"role":"user","content":[{"type":"text","text":"do it"}],"ts":1778547723000},
			{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"` + tool + `","input":` + input + `}],"ts":1778547724000},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"}],"ts":1778547725000}]`
	}
	return map[string]aSession{
		"codex": {id: someID, file: ".codex/sessions/2026/05/12/rollout-2026-05-12T01-02-03-" + someID + ".jsonl", text: line(
			`{"timestamp":"`+someTime+`","type":"session_meta","payload":{"id":"`+someID+`","cwd":"/w","cli_version":"9.9"}}`,
			`{"timestamp":"`+someTime+`","type":"response_item","payload":{"type":"function_call","name":"update_plan","arguments":"{\"explanation\":\"why\",\"plan\":[{\"step\":\"write it\",\"status\":\"completed\"},{\"step\":\"test it\",\"status\":\"in_progress\"}]}","call_id":"c1"}}`,
			`{"timestamp":"`+someTime+`","type":"response_item","payload":{"type":"function_call_output","call_id":"c1","output":"Plan updated"}}`)},
		"gemini": {id: someID, file: ".gemini/tmp/w/chats/session-2026-05-12T01-02-0a1b2c3d.jsonl", text: line(
			`{"sessionId":"`+someID+`","projectHash":"h","startTime":"`+someTime+`","kind":"main"}`,
			`{"id":"1","timestamp":"`+someTime+`","type":"user","content":"do it"}`,
			`{"id":"2","timestamp":"`+someTime+`","type":"gemini","content":"","toolCalls":[{"id":"c1","name":"write_todos","args":{"todos":[{"description":"write it","status":"completed"},{"description":"test it","status":"in_progress"}]},"status":"success","result":[{"functionResponse":{"id":"c1","response":{"output":"Successfully updated the todo list."}}}]}]}`)},
		"opencode": {id: "ses_a", file: ".local/share/opencode/opencode.db", sql: []string{
			`CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT, title TEXT, version TEXT, time_created INTEGER, time_updated INTEGER)`,
			`CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT)`,
			`CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT)`,
			`INSERT INTO session VALUES ('ses_a', NULL, '/w', 't', '9', 1778547723000, 1778547723000)`, `INSERT INTO message VALUES ('m', 'ses_a', 1778547723000, 1778547723000, '{"role":"assistant","time":{"created":1778547723000,"completed":1778547723000}}')`,
			`INSERT INTO part VALUES ('p1', 'm', 'ses_a', 1778547723000, 1778547723000, '{"type":"tool","tool":"todowrite","callID":"c1","state":{"status":"completed","input":` + todos + `,"output":"[]","title":"1 todos","time":{"start":1778547723000,"end":1778547724000}}}')`}},
		"copilot": {id: someID, file: ".copilot/session-state/" + someID + "/events.jsonl", text: line(
			`{"type":"session.start","data":{"sessionId":"`+someID+`","copilotVersion":"9.9"},"id":"1","timestamp":"`+someTime+`"}`,
			`{"type":"tool.execution_start","data":{"toolCallId":"c1","toolName":"update_todo","arguments":{"todos":`+checked+`}},"id":"2","timestamp":"`+someTime+`"}`,
			`{"type":"tool.execution_complete","data":{"toolCallId":"c1","success":true,"result":{"content":"TODO list updated"}},"id":"3","timestamp":"`+someTime+`"}`)},
		"vscode": {id: someID, file: ".config/Code/User/workspaceStorage/h/chatSessions/" + someID + ".json",
			text: `{"version":3,"sessionId":"` + someID + `","creationDate":1778547723000,"requests":[{"requestId":"r","message":{"text":"do it"},"timestamp":1778547723000,"response":[
				{"kind":"toolInvocationSerialized","toolCallId":"call_1","toolId":"manage_todo_list","isComplete":true,"isConfirmed":{"type":1},"pastTenseMessage":{"value":"Updated"}}],
				"result":{"metadata":{"toolCallRounds":[{"response":"","toolCalls":[{"id":"call_1","name":"manage_todo_list","arguments":"{\"operation\":\"write\",\"todoList\":[{\"id\":1,\"title\":\"write it\",\"description\":\"x\",\"status\":\"completed\"},{\"id\":2,\"title\":\"test it\",\"description\":\"y\",\"status\":\"in-progress\"}]}"}]}],"toolCallResults":{"call_1":{"content":[{"value":"ok"}]}}}}}]}`},
		"cline": {id: "1783376868634", file: ".config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/1783376868634/api_conversation_history.json",
			text: anthropic("read_file", `{"path":"x","task_progress":`+checked+`}`)},
		"roo": {id: "019e", file: ".config/Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks/019e/api_conversation_history.json",
			text: anthropic("update_todo_list", `{"todos":"[x] write it\n[-] test it"}`)},
		"droid": {id: someID, file: ".factory/sessions/-w/" + someID + ".jsonl", text: line(
			`{"type":"session_start","id":"`+someID+`","title":"t","cwd":"/w","version":2}`,
			`{"type":"message","id":"1","timestamp":"`+someTime+`","message":{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"TodoWrite","input":`+todos+`}]}}`,
			`{"type":"message","id":"2","timestamp":"`+someTime+`","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"}]}}`)},
		"amp": {id: "T-0a1b2c3d", file: ".local/share/amp/threads/T-0a1b2c3d.json",
			text: `{"v":9,"id":"T-0a1b2c3d","created":1778547723000,"messages":[{"role":"user","content":[{"type":"text","text":"do it"}]},{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"todo_write","input":` + todos + `}]},{"role":"user","content":[{"type":"tool_result","toolUseID":"t1","run":{"status":"done","result":"ok"}}]}]}`},
		"crush": {id: "cr", file: ".local/share/crush/crush.db", sql: []string{
			`CREATE TABLE sessions (id TEXT PRIMARY KEY, parent_session_id TEXT, title TEXT, updated_at INTEGER, created_at INTEGER)`,
			`CREATE TABLE messages (id TEXT PRIMARY KEY, session_id TEXT, role TEXT, parts TEXT, created_at INTEGER, updated_at INTEGER)`,
			`INSERT INTO sessions VALUES ('cr', NULL, 't', 1770091506, 1770091506)`,
			`INSERT INTO messages VALUES ('a', 'cr', 'assistant', '[{"type":"tool_call","data":{"id":"c1","name":"todos","input":"` + quoted + `","finished":true}},{"type":"finish","data":{}}]', 1, 1)`,
			`INSERT INTO messages VALUES ('b', 'cr', 'tool', '[{"type":"tool_result","data":{"tool_call_id":"c1","name":"todos","content":"ok"}}]', 2, 2)`}},
		"cursor": {id: someID, file: ".config/Cursor/User/globalStorage/state.vscdb", sql: []string{
			`CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)`, `CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)`,
			cursor + `('composerData:` + someID + `', '{"composerId":"` + someID + `","createdAt":1778547723000,"fullConversationHeadersOnly":[{"bubbleId":"b1","type":1},{"bubbleId":"b2","type":2}]}')`,
			cursor + `('bubbleId:` + someID + `:b1', '{"type":1,"text":"do it","createdAt":"` + someTime + `"}')`,
			cursor + `('bubbleId:` + someID + `:b2', '{"type":2,"text":"","createdAt":"` + someTime + `","toolFormerData":{"toolCallId":"c1","name":"todo_write","status":"completed","rawArgs":"{\"merge\":false,` + quoted[1:] + `","result":"{\"success\":true}"}}')`}},
		"kiro": {id: someID, file: ".kiro/sessions/cli/" + someID + ".jsonl", text: line(
			`{"version":"v1","kind":"Prompt","data":{"message_id":"1","content":[{"kind":"text","data":"do it"}]}}`,
			`{"version":"v1","kind":"AssistantMessage","data":{"message_id":"2","content":[{"kind":"toolUse","data":{"toolUseId":"t1","name":"todo_list","input":{"command":"create","tasks":[{"task_description":"write it"},{"task_description":"test it"}],"todo_list_description":"two"}}}]}}`,
			`{"version":"v1","kind":"ToolResults","data":{"message_id":"3","content":[{"kind":"toolResult","data":{"toolUseId":"t1","content":[{"kind":"text","data":"ok"}],"status":"success"}}]}}`,
			`{"version":"v1","kind":"AssistantMessage","data":{"message_id":"4","content":[{"kind":"toolUse","data":{"toolUseId":"t2","name":"todo_list","input":{"command":"complete","completed_indices":[0]}}}]}}`,
			`{"version":"v1","kind":"ToolResults","data":{"message_id":"5","content":[{"kind":"toolResult","data":{"toolUseId":"t2","content":[{"kind":"text","data":"ok"}],"status":"success"}}]}}`)},
		"pi": {id: someID, file: ".pi/agent/sessions/--w--/2026-05-12T01-02-03-000Z_" + someID + ".jsonl", text: line(
			`{"type":"session","version":3,"id":"`+someID+`","timestamp":"`+someTime+`","cwd":"/w"}`,
			`{"type":"message","id":"1","timestamp":"`+someTime+`","message":{"role":"assistant","content":[{"type":"toolCall","id":"t1","name":"todo_write","arguments":`+todos+`}]}}`,
			`{"type":"message","id":"2","parentId":"1","timestamp":"`+someTime+`","message":{"role":"toolResult","toolCallId":"t1","toolName":"todo_write","content":[{"type":"text","text":"ok"}],"isError":false}}`)},
		"goose": {id: "1", file: ".local/share/goose/sessions/sessions.db", sql: []string{
			`CREATE TABLE sessions (id TEXT PRIMARY KEY, name TEXT, working_dir TEXT, created_at TIMESTAMP, updated_at TIMESTAMP)`,
			`CREATE TABLE messages (id INTEGER PRIMARY KEY, message_id TEXT, session_id TEXT, role TEXT, content_json TEXT, created_timestamp INTEGER)`,
			`INSERT INTO sessions VALUES ('1', 'n', '/w', '2026-05-12 01:02:03', '2026-05-12 01:02:03')`,
			`INSERT INTO messages VALUES (1, 'a', '1', 'assistant', '[{"type":"toolRequest","id":"t1","toolCall":{"status":"success","value":{"name":"todo__todo_write","arguments":{"content":` + checked + `}}}}]', 1770091506)`,
			`INSERT INTO messages VALUES (2, 'b', '1', 'user', '[{"type":"toolResponse","id":"t1","toolResult":{"status":"success","value":[{"type":"text","text":"Updated"}]}}]', 1770091507)`}},
	}
}

// TestTasksOfEveryAgent: the list of each agent comes from its store to the plans.
func TestTasksOfEveryAgent(t *testing.T) {
	for agent, s := range plannedBy() {
		t.Run(agent, func(t *testing.T) {
			home := tempHome(t)
			s.put(t, home, func(statement string) string { return statement })
			f := start(t, home, offline)
			f.renderAll()
			var got []string
			for id, part := range f.partsOf(nil) {
				if part.Agent != agent || id != s.id {
					t.Errorf("%s %s", part.Agent, id)
				}
				for _, p := range part.Facts {
					for _, task := range p.Tasks {
						got = append(got, string(task.State)+" "+task.Text)
					}
				}
			}
			want := "completed write it, in_progress test it"
			if agent == "kiro" { // it has no word for that
				want = "completed write it, pending test it"
			}
			fstest.Equal(t, strings.Join(got, ", "), want, "of", f.transcript(s.id))
		})
	}
}

// TestFixturesWithoutTasks: where jq finds no call that plans in the fixtures of an agent,
// neither do we, and where it finds one, so do we.
func TestFixturesWithoutTasks(t *testing.T) {
	jq, err := exec.LookPath("jq")
	if err != nil {
		t.Skip("jq is not installed: it looks for the calls independently")
	}
	home := realHome(t)
	moreReal(t, home)
	f := start(t, home, offline)
	f.renderAll()
	const calls = `[.. | objects | (.name?, .toolName?, .tool?) | strings | select(test("^(todo_?write|task_?create|task_?update|update_?plan|write_?todos|manage_?todo_?list|update_?todo(_?list)?|todos|exit_?plan_?mode|exit_?spec_?mode|create_?plan|plan_?exit)$"; "i"))] | length`
	parts, with := f.partsOf(nil), 0
	for _, s := range f.catalogue.All() {
		v, _ := f.catalogue.View(s)
		part, listed := parts[s.ID]
		if v.Source == nil || v.Source.Key != "" || !listed || strings.HasSuffix(v.Source.Path, ".md") {
			continue // of a store, or a subagent's
		}
		out, err := exec.Command(jq, calls, v.Source.Path).Output()
		if err != nil {
			continue // a file with damaged lines
		}
		n := 0
		for _, count := range strings.Fields(string(out)) {
			var one int
			if _, err := fmt.Sscan(count, &one); err != nil {
				t.Fatal(err)
			}
			n += one
		}
		text, err := os.ReadFile(v.Source.Path)
		fstest.Must(t, err)
		if carried := strings.Contains(string(text), `"Implement the following plan:`); (n > 0 || carried) != (len(part.Facts) > 0) {
			t.Errorf("%s %s: jq finds %d calls, and there are %d plans", s.Agent, filepath.Base(v.Source.Path), n, len(part.Facts))
		}
		if n > 0 {
			with++
		}
	}
	if with < 6 {
		t.Errorf("%d sessions with calls", with)
	}
}

// TestPlansOfForks: what a fork goes on with is told with the words of its origin, and a
// session that goes on is read from where it was.
func TestPlansOfForks(t *testing.T) {
	home := tempHome(t)
	parent := piSession(t, home, id(1))
	parent.user("plan it")
	parent.call("c1", "TaskCreate", "Task #1 created successfully", map[string]any{"subject": "write it"})
	parent.call("c2", "TaskCreate", "Task #2 created successfully", map[string]any{"subject": "test it"})
	fork := forkOf(t, home, id(2), parent, true)
	fork.user("go on")
	fork.call("c3", "TaskUpdate", "Updated task #2 status", map[string]any{"taskId": "2", "status": "completed"})
	f := start(t, home)
	versions := make(map[string]string)
	known := func(name string) string { return versions[name] }
	tasks := func() (lines []string) {
		for _, n := range []int{1, 2} {
			part := f.partsOf(known)[id(n)]
			if part.Unchanged {
				lines = append(lines, fmt.Sprint(n, " unchanged"))
			}
			for _, p := range part.Facts {
				for _, task := range p.Tasks {
					lines = append(lines, fmt.Sprint(n, " ", task.State, " ", task.Text))
				}
			}
			versions[part.Name] = part.Version
		}
		return lines
	}
	f.await("both are rendered", func() bool { return len(f.find("plan", "")) > 0 && len(f.find("go on", "")) > 0 })
	f.await("both are read", func() bool {
		clear(versions)
		return strings.Join(tasks(), ", ") == "1 pending write it, 1 pending test it, 2 completed test it"
	})
	before := versions["transcripts/pi/"+id(2)]
	fork.user("nothing that matters")
	f.await("it has grown", func() bool { return strings.Contains(f.transcript(id(2)), "nothing that matters") })
	if got := strings.Join(tasks(), ", "); got != "1 unchanged, 2 unchanged" || versions["transcripts/pi/"+id(2)] == before {
		t.Errorf("%q, version %q, was %q", got, versions["transcripts/pi/"+id(2)], before)
	}
	fork.call("c4", "TaskUpdate", "Updated task #1 status", map[string]any{"taskId": "1", "status": "in_progress"})
	f.await("it is read again", func() bool {
		return strings.Join(tasks(), ", ") == "1 unchanged, 2 completed test it, 2 in_progress write it"
	})
}
