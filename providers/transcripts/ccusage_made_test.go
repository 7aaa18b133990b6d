package transcripts

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/providers/transcripts/agents/historytest"
)

// logOf joins the lines of a log.
func logOf(lines ...string) string { return strings.Join(lines, "\n") + "\n" }

// answer is a line of Claude Code.
func answer(session, at, message, request, rest, usage string) string {
	if message != "" {
		message = fmt.Sprintf(`"id":%q,`, message)
	}
	if request != "" {
		request = fmt.Sprintf(`"requestId":%q,`, request)
	}
	return fmt.Sprintf(`{"type":"assistant","uuid":"u-%s-%s","sessionId":%q,"version":"2.1.50","cwd":"/work/app",%s%s"timestamp":"2026-03-0%sZ","message":{%s"role":"assistant","model":"claude-sonnet-4-5","content":[],"usage":{%s}}}`,
		session, at, session, request, rest, at, message, usage)
}

// TestClaudeCodeAsCCUsage counts what Claude Code logs more than once.
func TestClaudeCodeAsCCUsage(t *testing.T) {
	home := t.TempDir()
	const a, b = "00000000-0000-4000-8000-00000000000a", "00000000-0000-4000-8000-00000000000b"
	dir := filepath.Join(home, ".claude", "projects", "-work-app")
	streamed := []string{ // one answer, as it comes
		answer(a, "1T10:00:00.000", "msg_1", "req_1", "", `"input_tokens":10,"cache_read_input_tokens":500,"cache_creation_input_tokens":70,"output_tokens":1`),
		answer(a, "1T10:00:01.000", "msg_1", "req_1", "", `"input_tokens":10,"cache_read_input_tokens":500,"cache_creation_input_tokens":70,"output_tokens":99`),
		answer(a, "1T10:00:02.000", "msg_1", "req_1", "", `"input_tokens":10,"cache_read_input_tokens":500,"cache_creation_input_tokens":70,"output_tokens":40`),
	}
	historytest.WriteFile(t, dir, a+".jsonl", logOf(append(streamed,
		answer(a, "1T23:30:00.000", "msg_2", "req_2", "", `"input_tokens":3,"output_tokens":4,"cache_creation_input_tokens":9,"cache_creation":{"ephemeral_5m_input_tokens":2,"ephemeral_1h_input_tokens":7}`),
		answer(a, "2T10:00:00.000", "msg_3", "", "", `"input_tokens":5,"output_tokens":6`), // without a request
		answer(a, "2T10:00:00.000", "msg_3", "", "", `"input_tokens":5,"output_tokens":8`),
		answer(a, "2T10:00:10.000", "chatcmpl", "", "", `"input_tokens":50,"output_tokens":6`), // a proxy's id is no id
		answer(a, "2T10:00:11.000", "chatcmpl", "", "", `"input_tokens":60,"output_tokens":6`),
		answer(a, "2T10:00:12.000", "", "", "", `"input_tokens":1,"output_tokens":1`), // nothing tells these apart
		answer(a, "2T10:00:12.000", "", "", "", `"input_tokens":1,"output_tokens":1`),
		answer(a, "2T11:00:00.000", "msg_4", "req_4", `"costUSD":0.5,`, `"input_tokens":7,"output_tokens":7,"speed":"fast"`),
		answer(a, "2T12:00:00.000", "msg_5", "req_5", "", `"input_tokens":7,"output_tokens":7,"iterations":[{"type":"message","input_tokens":7,"output_tokens":7},{"type":"advisor_message","model":"claude-opus-4-6","input_tokens":300,"output_tokens":30}]`),
		answer(a, "3T12:00:00.000", "msg_6", "req_6", `"isSidechain":true,`, `"input_tokens":8,"output_tokens":80`), // a side question, with other requests
		answer(a, "3T12:00:00.000", "msg_5", "req_7", `"isSidechain":true,`, `"input_tokens":9000,"output_tokens":7`),
		fmt.Sprintf(`{"type":"progress","sessionId":%q,"timestamp":"2026-03-03T13:00:05.000Z","data":{"type":"agent_progress","message":{"type":"assistant","timestamp":"2026-03-03T13:00:00.000Z","requestId":"req_8","isSidechain":true,"message":{"id":"msg_8","model":"claude-haiku-4-5","content":[],"usage":{"input_tokens":11,"output_tokens":12}}}}}`, a),
		`{"type":"assistant","timestamp":"2026-03-03T14:00:00.000Z","message":{"id":"msg_9","usage":{"input_tokens":`, // half a line
	)...))
	// A fork begins with the lines of the other session, and its own id.
	historytest.WriteFile(t, dir, b+".jsonl", logOf(
		strings.ReplaceAll(streamed[1], a, b),
		answer(b, "4T10:00:00.000", "msg_10", "req_10", "", `"input_tokens":20,"output_tokens":21`),
	))
	// The subagent of the report above has its own log.
	historytest.WriteFile(t, filepath.Join(dir, a, "subagents"), "agent-x1.jsonl", logOf(
		strings.Replace(answer(a, "3T13:00:00.000", "msg_8", "req_8", `"isSidechain":true,"agentId":"x1",`, `"input_tokens":11,"output_tokens":12`), "claude-sonnet-4-5", "claude-haiku-4-5", 1),
		answer(a, "3T13:00:02.000", "msg_11", "req_11", `"isSidechain":true,"agentId":"x1",`, `"input_tokens":13,"output_tokens":14`),
	))
	sameAsCCUsage(t, home)
}

// tokenCount is a line of Codex: the tokens of the last request, and of all so far.
func tokenCount(at string, last, sum string) string {
	info := ""
	for _, part := range []struct{ name, counts string }{{"total_token_usage", sum}, {"last_token_usage", last}} {
		if part.counts == "" {
			continue
		}
		var n [4]int
		fmt.Sscan(part.counts, &n[0], &n[1], &n[2], &n[3])
		info += fmt.Sprintf(`"%s":{"input_tokens":%d,"cached_input_tokens":%d,"output_tokens":%d,"reasoning_output_tokens":%d,"total_tokens":%d},`, part.name, n[0], n[1], n[2], n[3], n[0]+n[2])
	}
	return fmt.Sprintf(`{"timestamp":"2026-04-0%sZ","type":"event_msg","payload":{"type":"token_count","info":{%s"model_context_window":258400}}}`, at, info)
}

// TestCodexAsCCUsage counts sums, their repetitions, and what forks copy.
func TestCodexAsCCUsage(t *testing.T) {
	home := t.TempDir()
	const id = "019f0000-0000-7000-8000-00000000000"
	rollout := func(n int, meta string, lines ...string) {
		head := fmt.Sprintf(`{"timestamp":"2026-04-0%dT09:00:00.000Z","type":"session_meta","payload":{"id":"%s%d","cwd":"/work/app"%s}}`, n, id, n, meta)
		model := fmt.Sprintf(`{"timestamp":"2026-04-0%dT09:00:00.000Z","type":"turn_context","payload":{"model":"gpt-5.2-codex"}}`, n)
		historytest.WriteFile(t, filepath.Join(home, ".codex", "sessions", "2026", "04", fmt.Sprintf("0%d", n)),
			fmt.Sprintf("rollout-2026-04-0%dT09-00-00-%s%d.jsonl", n, id, n), logOf(append([]string{head, model}, lines...)...))
	}
	rollout(1, "",
		tokenCount("1T10:00:00.000", "1000 200 30 5", "1000 200 30 5"),
		tokenCount("1T10:00:05.000", "1000 200 30 5", "1000 200 30 5"), // the same again
		tokenCount("1T10:01:00.000", "", "2500 900 70 15"),             // only the sum
		tokenCount("1T23:59:00.000", "2000 2200 9 0", "4500 2900 79 15"),
		`{"timestamp":"2026-04-02T00:30:00.000Z","type":"turn_context","payload":{"model":"gpt-5.2"}}`,
		tokenCount("2T00:31:00.000", "10 0 1 0", "4510 2900 80 15"),
		tokenCount("2T00:32:00.000", "7 0 7 0", ""), // no sum
	)
	copied := func(day int) []string { // at the time of the fork
		at := func(ms string) string { return fmt.Sprintf("%dT09:00:00.%s", day, ms) }
		return []string{
			tokenCount(at("010"), "1000 200 30 5", "1000 200 30 5"),
			tokenCount(at("020"), "", "2500 900 70 15"),
			tokenCount(at("030"), "2000 2200 9 0", "4500 2900 79 15"),
		}
	}
	rollout(3, `,"forked_from_id":"`+id+`1"`, append(copied(3), tokenCount("3T09:02:00.000", "50 0 5 0", "4550 2900 84 15"))...)
	rollout(4, `,"forked_from_id":"`+id+`9"`, append(copied(4), tokenCount("4T09:02:00.000", "60 0 6 0", "4560 2900 85 15"))...) // of one that is gone
	rollout(5, `,"source":{"subagent":{"thread_spawn":{"parent_thread_id":"`+id+`1","depth":1}}}`, tokenCount("5T09:02:00.000", "70 0 7 0", "70 0 7 0"))
	sameAsCCUsage(t, home)
}

// TestOthersAsCCUsage counts agents that keep tokens with each message.
func TestOthersAsCCUsage(t *testing.T) {
	home := t.TempDir()
	historytest.WriteFile(t, filepath.Join(home, ".gemini/tmp/app/chats"), "session-2026-05-01T10-00-aaaaaaaa.jsonl", logOf(
		`{"sessionId":"aaaaaaaa-1","projectHash":"x","startTime":"2026-05-01T10:00:00.000Z","kind":"main"}`,
		`{"id":"m1","timestamp":"2026-05-01T10:00:00.000Z","type":"gemini","content":"a","tokens":{"input":900,"output":5,"cached":400,"thoughts":7,"tool":2,"total":914},"model":"gemini-3-flash-preview"}`,
		`{"id":"m1","timestamp":"2026-05-01T10:00:00.000Z","type":"gemini","content":"ab","tokens":{"input":900,"output":6,"cached":400,"thoughts":7,"tool":2,"total":915},"model":"gemini-3-flash-preview"}`,
		`{"id":"m2","timestamp":"2026-05-01T23:00:00.000Z","type":"gemini","content":"c","tokens":{"input":100,"output":6,"cached":400,"thoughts":0,"tool":0,"total":506},"model":"gemini-3-pro-preview"}`,
		`{"id":"m3","timestamp":"2026-05-02T01:00:00.000Z","type":"gemini","content":"c","tokens":{"total":77},"model":"gemini-3-pro-preview"}`,
	))
	historytest.WriteFile(t, filepath.Join(home, ".gemini/tmp/app/chats"), "session-2026-05-03T10-00-bbbbbbbb.json",
		`{"sessionId":"bbbbbbbb-1","projectHash":"x","startTime":"2026-05-03T10:00:00.000Z","lastUpdated":"2026-05-03T11:00:00.000Z","messages":[`+
			`{"id":"n1","timestamp":"2026-05-03T10:00:00.000Z","type":"user","content":"q"},`+
			`{"id":"n2","timestamp":"2026-05-03T10:00:01.000Z","type":"gemini","content":"r","tokens":{"input":30,"output":3,"cached":0,"thoughts":4,"tool":0,"total":37},"model":"gemini-2.5-pro"}]}`)
	db := historytest.MakeDatabase(t, filepath.Join(home, ".local/share/opencode/opencode.db"),
		`CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT, parent_id TEXT, directory TEXT NOT NULL, title TEXT NOT NULL, time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL)`,
		`CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL, data TEXT NOT NULL)`,
		`CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT NOT NULL, session_id TEXT NOT NULL, time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL, data TEXT NOT NULL)`,
		`INSERT INTO session VALUES ('ses_a', 'p', NULL, '/work/app', 'a', 1777700000000, 1777700000000)`)
	for i, data := range []string{
		`{"role":"user","time":{"created":1777700000000}}`,
		`{"role":"assistant","modelID":"claude-sonnet-4-5","providerID":"anthropic","cost":0.25,"time":{"created":1777700001000},"tokens":{"input":5,"output":60,"reasoning":7,"cache":{"read":800,"write":90}}}`,
		`{"role":"assistant","modelID":"gpt-5.2","providerID":"openai","cost":0,"time":{"created":1777800001000},"tokens":{"total":150,"input":50,"output":60,"reasoning":0,"cache":{"read":0,"write":0}}}`,
		`{"role":"assistant","modelID":"gpt-5.2","providerID":"openai","cost":0,"time":{"created":1777800002000},"tokens":{"input":0,"output":0,"reasoning":0,"cache":{"read":0,"write":0}}}`,
	} {
		historytest.Execute(t, db, `INSERT INTO message VALUES (?, 'ses_a', ?, ?, ?)`, fmt.Sprintf("msg_%d", i), 1777700000000+i, 1777700000000+i, data)
	}
	db.Close()
	entry := func(id, parent, at, usage string) string {
		return fmt.Sprintf(`{"type":"message","id":%q,"parentId":%s,"timestamp":"2026-06-0%sZ","message":{"role":"assistant","content":[],"provider":"anthropic","model":"claude-opus-4-5","usage":{%s}}}`, id, parent, at, usage)
	}
	first := entry("e1", "null", "1T10:00:00.000", `"input":10,"output":20,"cacheRead":30,"cacheWrite":40,"totalTokens":100,"cost":{"total":0.01}`)
	const id = "019f0000-0000-7000-8000-00000000000"
	historytest.WriteFile(t, filepath.Join(home, ".pi/agent/sessions/--work-app--"), "2026-06-01T09-00-00-000Z_"+id+"1.jsonl", logOf(
		`{"type":"session","version":3,"id":"`+id+`1","timestamp":"2026-06-01T09:00:00.000Z","cwd":"/work/app"}`, first,
		entry("e2", `"e1"`, "1T23:30:00.000", `"input":1,"output":2,"cacheRead":3,"cacheWrite":4,"totalTokens":10`),
	))
	historytest.WriteFile(t, filepath.Join(home, ".local/share/amp/threads"), "T-00000000-0000-4000-8000-000000000001.json",
		`{"v":1,"id":"T-00000000-0000-4000-8000-000000000001","created":1770000000000,"messages":[{"role":"user","messageId":0,"content":[]},{"role":"assistant","messageId":1,"content":[],"usage":{"model":"claude-opus-4-5","inputTokens":1,"outputTokens":2,"cacheCreationInputTokens":30,"cacheReadInputTokens":40,"timestamp":"2026-02-02T03:00:00.000Z"}}],`+
			`"usageLedger":{"events":[{"id":"e","timestamp":"2026-02-02T03:00:00.000Z","model":"claude-opus-4-5","credits":1,"toMessageId":1,"tokens":{"input":11,"output":22}}]}}`)
	historytest.WriteFile(t, filepath.Join(home, ".local/share/amp/threads"), "T-00000000-0000-4000-8000-000000000002.json",
		`{"v":1,"id":"T-00000000-0000-4000-8000-000000000002","created":1770000000000,"messages":[{"role":"assistant","messageId":1,"content":[],"usage":{"model":"claude-haiku-4-5","inputTokens":1,"outputTokens":2,"cacheCreationInputTokens":30,"cacheReadInputTokens":40,"timestamp":"2026-02-03T03:00:00.000Z"}}]}`)
	goose := historytest.MakeDatabase(t, filepath.Join(home, ".local/share/goose/sessions/sessions.db"),
		`CREATE TABLE sessions (id TEXT PRIMARY KEY, name TEXT NOT NULL DEFAULT '', working_dir TEXT NOT NULL, created_at TIMESTAMP, updated_at TIMESTAMP, provider_name TEXT, model_config_json TEXT,
			total_tokens INTEGER, input_tokens INTEGER, output_tokens INTEGER, accumulated_total_tokens INTEGER, accumulated_input_tokens INTEGER, accumulated_output_tokens INTEGER)`,
		`CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, message_id TEXT, session_id TEXT NOT NULL, role TEXT NOT NULL, content_json TEXT NOT NULL, created_timestamp INTEGER NOT NULL, timestamp TIMESTAMP, metadata_json TEXT)`,
		`INSERT INTO sessions VALUES ('20260203_1', 'a', '/work/app', '2026-02-03 04:05:06', '2026-02-03 04:06:00', 'anthropic', '{"model_name":"claude-sonnet-4-5"}', 30, 20, 10, 335, 200, 100)`,
		`INSERT INTO sessions VALUES ('20260203_2', 'b', '/work/app', '2026-02-03 23:05:06', '2026-02-03 23:06:00', 'openai', '{"model_name":"gpt-5.2"}', 30, 20, 10, NULL, NULL, NULL)`)
	goose.Close()
	sameAsCCUsage(t, home)
}
