package transcripts

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/sqlite"
	"ctxfs/providers/internal/zstd"
	"ctxfs/providers/transcripts/catalogue"
)

// aSession is a session of an agent as that keeps it: a record of a person's, one
// of a sort that does not exist (it holds "hologram"), and one of a person's.
type aSession struct {
	agent, id string
	file      string // below the home folder
	text      string // of a file
	sql       []string
	beside    map[string]string // other files
}

const (
	someID   = "0a1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f"
	someTime = "2026-05-12T01:02:03Z"
)

// eighteen has one session for each agent.
func eighteen(t testing.TB) []aSession {
	line := func(lines ...string) string { return strings.Join(lines, "\n") + "\n" }
	anthropic := `[{"role":"user","content":[{"type":"text","text":"FIRST"},{"type":"hologram","x":1}]},{"role":"assistant","content":[{"type":"text","text":"SECOND"}]}]`
	threads, err := zstdOf(`{"title":"t","messages":[{"User":{"id":"1","content":[{"Text":"FIRST"}]}},{"Hologram":{"x":1}},{"Agent":{"content":[{"Text":"SECOND"}],"tool_results":{}}}]}`)
	fstest.Must(t, err)
	return []aSession{
		{agent: "claude-code", id: someID, file: ".claude/projects/-w/" + someID + ".jsonl", text: line(
			`{"type":"user","uuid":"u1","parentUuid":null,"sessionId":"`+someID+`","cwd":"/w","version":"9.9.9","timestamp":"`+someTime+`","message":{"role":"user","content":"FIRST"}}`,
			`{"type":"hologram","uuid":"u2","sessionId":"`+someID+`","timestamp":"`+someTime+`","x":1}`,
			`{"type":"assistant","uuid":"u3","parentUuid":"u1","sessionId":"`+someID+`","timestamp":"`+someTime+`","extra":{"y":2},"message":{"id":"m","role":"assistant","content":[{"type":"text","text":"SECOND"}]}}`)},
		{agent: "codex", id: someID, file: ".codex/sessions/2026/05/12/rollout-2026-05-12T01-02-03-" + someID + ".jsonl", text: line(
			`{"timestamp":"`+someTime+`","type":"session_meta","payload":{"id":"`+someID+`","cwd":"/w","cli_version":"9.9","new":1}}`,
			`{"timestamp":"`+someTime+`","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"FIRST"}]}}`,
			`{"timestamp":"`+someTime+`","type":"hologram","payload":{"x":1}}`,
			`{"timestamp":"`+someTime+`","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"SECOND"}]}}`)},
		{agent: "cursor", id: someID, file: ".cursor/projects/w/agent-transcripts/" + someID + "/" + someID + ".jsonl", text: line(
			`{"role":"user","message":{"content":[{"type":"text","text":"FIRST"}]}}`, `{"type":"hologram","x":1}`, `{"role":"assistant","message":{"content":[{"type":"text","text":"SECOND"}]}}`)},
		{agent: "gemini", id: someID, file: ".gemini/tmp/w/chats/session-2026-05-12T01-02-0a1b2c3d.jsonl", text: line(
			`{"sessionId":"`+someID+`","projectHash":"h","startTime":"`+someTime+`","kind":"main"}`,
			`{"id":"1","timestamp":"`+someTime+`","type":"user","content":"FIRST"}`, `{"id":"2","timestamp":"`+someTime+`","type":"hologram","content":"x"}`,
			`{"id":"3","timestamp":"`+someTime+`","type":"gemini","content":"SECOND"}`)},
		{agent: "opencode", id: "ses_a", file: ".local/share/opencode/opencode.db", sql: []string{
			`CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT, title TEXT, version TEXT, time_created INTEGER, time_updated INTEGER)`,
			`CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT)`,
			`CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT)`,
			`INSERT INTO session VALUES ('ses_a', NULL, '/w', 't', '9', 1, 1)`, `INSERT INTO message VALUES ('m', 'ses_a', 1, 1, '{"role":"user"}')`,
			`INSERT INTO part VALUES ('p1', 'm', 'ses_a', 1, 1, '{"type":"text","text":"FIRST"}')`, `INSERT INTO part VALUES ('p2', 'm', 'ses_a', 1, 1, '{"type":"hologram","x":1}')`,
			`INSERT INTO part VALUES ('p3', 'm', 'ses_a', 1, 1, '{"type":"text","text":"SECOND"}')`}},
		{agent: "copilot", id: someID, file: ".copilot/session-state/" + someID + "/events.jsonl", text: line(
			`{"type":"session.start","data":{"sessionId":"`+someID+`","copilotVersion":"9.9"},"id":"1","timestamp":"`+someTime+`"}`,
			`{"type":"user.message","data":{"content":"FIRST"},"id":"2","timestamp":"`+someTime+`"}`, `{"type":"session.usage_record","data":{"x":1},"id":"3","timestamp":"`+someTime+`"}`,
			`{"type":"hologram.started","data":{"x":1},"id":"4","timestamp":"`+someTime+`"}`, `{"type":"assistant.message","data":{"content":"SECOND"},"id":"5","timestamp":"`+someTime+`"}`)},
		{agent: "vscode", id: someID, file: ".config/Code/User/workspaceStorage/h/chatSessions/" + someID + ".json",
			text: `{"version":99,"sessionId":"` + someID + `","creationDate":1778547723000,"requests":[{"requestId":"r","message":{"text":"FIRST"},"response":[{"kind":"hologram","x":1},{"value":"SECOND"}],"timestamp":1778547723000}]}`},
		{agent: "cline", id: "1783376868634", file: ".config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/1783376868634/api_conversation_history.json", text: anthropic},
		{agent: "roo", id: "019e", file: ".config/Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks/019e/api_conversation_history.json", text: anthropic},
		{agent: "goose", id: "1", file: ".local/share/goose/sessions/sessions.db", sql: []string{
			`CREATE TABLE sessions (id TEXT PRIMARY KEY, name TEXT, working_dir TEXT, created_at TIMESTAMP, updated_at TIMESTAMP)`,
			`CREATE TABLE messages (id INTEGER PRIMARY KEY, message_id TEXT, session_id TEXT, role TEXT, content_json TEXT, created_timestamp INTEGER)`,
			`INSERT INTO sessions VALUES ('1', 'n', '/w', '2026-05-12 01:02:03', '2026-05-12 01:02:03')`,
			`INSERT INTO messages VALUES (1, 'a', '1', 'user', '[{"type":"text","text":"FIRST"},{"type":"hologram","x":1}]', 1770091506)`,
			`INSERT INTO messages VALUES (2, 'b', '1', 'assistant', '[{"type":"text","text":"SECOND"}]', 1770091507)`}},
		{agent: "zed", id: "th", file: ".local/share/zed/threads/threads.db", sql: []string{
			`CREATE TABLE threads (id TEXT PRIMARY KEY, summary TEXT, updated_at TEXT, data_type TEXT, data BLOB)`,
			fmt.Sprintf(`INSERT INTO threads VALUES ('th', 's', '%s', 'zstd', x'%x')`, someTime, threads)}},
		{agent: "crush", id: "cr", file: ".local/share/crush/crush.db", sql: []string{
			`CREATE TABLE sessions (id TEXT PRIMARY KEY, parent_session_id TEXT, title TEXT, updated_at INTEGER, created_at INTEGER)`,
			`CREATE TABLE messages (id TEXT PRIMARY KEY, session_id TEXT, role TEXT, parts TEXT, created_at INTEGER, updated_at INTEGER)`,
			`INSERT INTO sessions VALUES ('cr', NULL, 't', 1770091506, 1770091506)`,
			`INSERT INTO messages VALUES ('a', 'cr', 'user', '[{"type":"text","data":{"text":"FIRST"}},{"type":"hologram","data":{"x":1}}]', 1, 1)`,
			`INSERT INTO messages VALUES ('b', 'cr', 'assistant', '[{"type":"text","data":{"text":"SECOND"}},{"type":"finish","data":{}}]', 2, 2)`}},
		{agent: "aider", file: "work/.aider.chat.history.md", text: "\n# aider chat started at 2026-05-12 01:02:03\n\n> Aider v99  \n> Hologram: engaged  \n\n#### FIRST  \n\nSECOND\n"},
		{agent: "continue", id: someID, file: ".continue/sessions/" + someID + ".json",
			text:   `{"sessionId":"` + someID + `","title":"t","workspaceDirectory":"/w","history":[{"message":{"role":"user","content":"FIRST"}},{"message":{"role":"hologram","content":{"x":1}}},{"message":{"role":"assistant","content":"SECOND"}}]}`,
			beside: map[string]string{".continue/sessions/sessions.json": `[{"sessionId":"` + someID + `","title":"t","dateCreated":"1778547723000","workspaceDirectory":"/w"}]`}},
		{agent: "pi", id: someID, file: ".pi/agent/sessions/--w--/2026-05-12T01-02-03-000Z_" + someID + ".jsonl", text: line(
			`{"type":"session","version":99,"id":"`+someID+`","timestamp":"`+someTime+`","cwd":"/w"}`,
			`{"type":"message","id":"1","timestamp":"`+someTime+`","message":{"role":"user","content":[{"type":"text","text":"FIRST"}]}}`, `{"type":"hologram","id":"2","parentId":"1","x":1}`,
			`{"type":"message","id":"3","parentId":"2","timestamp":"`+someTime+`","message":{"role":"assistant","content":[{"type":"text","text":"SECOND"}]}}`)},
		{agent: "droid", id: someID, file: ".factory/sessions/-w/" + someID + ".jsonl", text: line(
			`{"type":"session_start","id":"`+someID+`","title":"t","cwd":"/w","version":99}`,
			`{"type":"message","id":"1","timestamp":"`+someTime+`","message":{"role":"user","content":[{"type":"text","text":"FIRST"}]}}`, `{"type":"hologram","x":1}`,
			`{"type":"message","id":"2","timestamp":"`+someTime+`","message":{"role":"assistant","content":[{"type":"text","text":"SECOND"}]}}`)},
		{agent: "kiro", id: someID, file: ".kiro/sessions/cli/" + someID + ".jsonl", text: line(
			`{"version":"v9","kind":"Prompt","data":{"message_id":"1","content":[{"kind":"text","data":"FIRST"}]}}`, `{"version":"v9","kind":"Hologram","data":{"x":1}}`,
			`{"version":"v9","kind":"AssistantMessage","data":{"message_id":"2","content":[{"kind":"text","data":"SECOND"}]}}`)},
		{agent: "amp", id: "T-0a1b2c3d", file: ".local/share/amp/threads/T-0a1b2c3d.json",
			text: `{"v":99,"id":"T-0a1b2c3d","created":1778547723000,"messages":[{"role":"user","content":[{"type":"text","text":"FIRST"}]},{"role":"hologram","content":[{"x":1}]},{"role":"assistant","content":[{"type":"text","text":"SECOND"}]}]}`},
	}
}

func zstdOf(text string) ([]byte, error) {
	var out strings.Builder
	w, err := zstd.NewWriter(&out)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write([]byte(text)); err != nil {
		return nil, err
	}
	err = w.Close()
	return []byte(out.String()), err
}

// put writes a session below a home folder; change changes its statements.
func (s *aSession) put(t testing.TB, home string, change func(statement string) string) {
	t.Helper()
	path := filepath.Join(home, s.file)
	for rel, text := range s.beside {
		fstest.Must(t, os.MkdirAll(filepath.Join(home, filepath.Dir(rel)), 0o755))
		fstest.Must(t, os.WriteFile(filepath.Join(home, rel), []byte(text), 0o644))
	}
	fstest.Must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	if s.sql == nil {
		fstest.Must(t, os.WriteFile(path, []byte(s.text), 0o644))
		return
	}
	db, err := sqlite.Own(path)
	fstest.Must(t, err)
	for _, statement := range s.sql {
		if statement = change(statement); statement == "" {
			continue
		}
		for one := range strings.SplitSeq(statement, ";;") {
			if _, err := db.Exec(one); err != nil {
				t.Fatalf("%s: %v", one, err)
			}
		}
	}
	fstest.Must(t, db.Close())
}

func asItIs(statement string) string { return statement }

// TestUnknownRecords: unknown records of each agent are stored and quiet, and the known
// ones around them are shown.
func TestUnknownRecords(t *testing.T) {
	all := eighteen(t)
	fstest.Equal(t, len(all), 18, "agents")
	home := tempHome(t)
	fstest.Must(t, os.WriteFile(filepath.Join(home, "config.toml"), []byte("[transcripts]\nprojects = [\"~/work\"]\n"), 0o600))
	for _, s := range all {
		s.put(t, home, asItIs)
	}
	f := start(t, home, offline)
	f.scanner.First()
	byAgent := make(map[string][]*catalogue.Session)
	for _, s := range f.catalogue.All() {
		byAgent[s.Agent] = append(byAgent[s.Agent], s)
	}
	for _, want := range all {
		t.Run(want.agent, func(t *testing.T) {
			found := byAgent[want.agent]
			if len(found) != 1 || want.id != "" && found[0].ID != want.id {
				t.Fatalf("%d sessions", len(found))
			}
			text, messages := f.read(f.catalogue.Path(found[0])+"/transcript.md"), f.read(f.catalogue.Path(found[0])+"/messages.jsonl")
			if !strings.Contains(text, "\nFIRST\n") || !strings.Contains(text, "SECOND\n") {
				t.Errorf("what is known: %s", text)
			}
			if want.agent != "aider" && strings.Contains(strings.ToLower(text), "hologram") {
				t.Errorf("it is not quiet: %s", text)
			}
			fstest.ContainsNot(t, text, "usage_record")
			if !strings.Contains(strings.ToLower(messages), "hologram") {
				t.Errorf("it is not kept: %s", messages)
			}
			if state := f.publishedOf(found[0].ID); state.Fault != "" || state.Strange {
				t.Errorf("%+v", state)
			}
		})
	}
	if s := f.Status(); s.State != "ready" || len(s.Problems) > 0 {
		t.Errorf("status %+v", s)
	}
}

// TestUnknownVersions: databases of unknown versions are read as far as possible, and
// the status says so once.
func TestUnknownVersions(t *testing.T) {
	for _, s := range eighteen(t) {
		if s.sql == nil {
			continue
		}
		tables := make(map[string]bool)
		for _, statement := range s.sql {
			if name, ok := strings.CutPrefix(statement, "CREATE TABLE "); ok {
				name, _, _ = strings.Cut(name, " ")
				tables[name] = true
			}
		}
		name := filepath.Base(s.file)
		for kind, c := range map[string]struct {
			change func(statement string) string
			reads  bool // that what was said is shown
			said   bool // that something is lacking
		}{
			"more": {func(statement string) string {
				for table := range tables {
					if strings.HasPrefix(statement, "INSERT INTO "+table) {
						return statement + ";;UPDATE " + table + " SET mood = 'glad'"
					}
					if strings.HasPrefix(statement, "CREATE TABLE "+table+" ") {
						return statement + ";;CREATE TABLE new_" + table + " (id, x)" + ";;ALTER TABLE " + table + " ADD COLUMN mood DEFAULT 1"
					}
				}
				return statement
			}, true, false},
			"renamed": {func(statement string) string {
				for table := range tables {
					statement = strings.Replace(statement, "CREATE TABLE "+table+" ", "CREATE TABLE "+table+"_v9 ", 1)
					statement = strings.Replace(statement, "INSERT INTO "+table+" ", "INSERT INTO "+table+"_v9 ", 1)
				}
				return statement
			}, true, true},
			"no table of sessions": {func(statement string) string {
				if strings.Contains(statement, "TABLE session") || strings.Contains(statement, "INTO session") {
					return ""
				}
				return statement
			}, true, len(tables) > 1},
			"no times": {func(statement string) string {
				for _, column := range []string{"created_timestamp", "time_created", "created_at"} {
					statement = strings.Replace(statement, column+" ", "other_"+column+" ", 1)
				}
				return statement
			}, true, false},
		} {
			if kind == "more" {
				c.change = func(change func(string) string) func(string) string {
					return func(statement string) string {
						statement = change(statement)
						if insert, update, ok := strings.Cut(statement, ";;UPDATE"); ok { // it has one value more than before
							return strings.TrimSuffix(insert, ")") + ", 1);;UPDATE" + update
						}
						return statement
					}
				}(c.change)
			}
			t.Run(s.agent+", "+kind, func(t *testing.T) {
				home := tempHome(t)
				s.put(t, home, c.change)
				f := start(t, home, offline)
				f.scanner.First()
				list := f.catalogue.All()
				status := f.Status()
				if len(list) != 1 {
					t.Fatalf("%d sessions: %+v", len(list), status)
				}
				if got := f.read(f.catalogue.Path(list[0]) + "/transcript.md"); c.reads != (strings.Contains(got, "\nFIRST\n") && strings.Contains(got, "SECOND\n")) {
					t.Errorf("told: %s", got)
				}
				said := 0
				for _, problem := range status.Problems {
					if said++; !strings.Contains(problem.What, name) || !strings.Contains(problem.What, "its version is unknown, and it is shown as far") {
						t.Errorf("said: %+v", problem)
					}
				}
				if c.said && said != 1 || kind == "more" && said > 0 {
					t.Errorf("said %d times: %+v", said, status)
				}
				fstest.Must(t, f.Close())
				again := start(t, home, offline)
				fstest.Equal(t, len(again.Status().Problems), said, "after a restart", again.Status())
			})
		}
	}
}

// TestTheLastTimeOfALogWithoutTimes: it is the modification time of the log.
func TestTheLastTimeOfALogWithoutTimes(t *testing.T) {
	home := tempHome(t)
	path := filepath.Join(home, ".codex", "sessions", "2025", "08", "01", "rollout-2025-08-01T10-00-00-"+someID+".jsonl")
	fstest.Must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	fstest.Must(t, os.WriteFile(path, []byte(`{"id":"`+someID+`","timestamp":"2025-08-01T10:00:00.000Z","instructions":null}`+"\n"+
		`{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>\n<cwd>/src/app</cwd>\n</environment_context>"}]}`+"\n"+
		`{"type":"message","role":"user","content":[{"type":"input_text","text":"fix it"}]}`+"\n"), 0o644))
	written := time.Date(2025, 8, 1, 11, 30, 0, 0, time.UTC)
	fstest.Must(t, os.Chtimes(path, written, written))
	f := start(t, home, offline)
	f.transcript(someID)
	meta := f.read(catalogue.ByID + "/" + someID + "/meta.json")
	for _, want := range []string{`"start": "2025-08-01T10:00:00Z"`, `"last": "2025-08-01T11:30:00Z"`, `"cwd": "/src/app"`} {
		fstest.Contains(t, meta, want)
	}
	if path := f.catalogue.Path(f.catalogue.Find(someID)[0]); !strings.HasPrefix(path, "codex/src_app/2025-08-01_fix-it_") {
		t.Error(path)
	}
}
