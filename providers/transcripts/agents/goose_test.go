package agents

import (
	"fmt"
	"path/filepath"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/agents/historytest"
	"ctxfs/providers/transcripts/agents/records"
	"ctxfs/providers/transcripts/event"
)

const gooseSchema = `CREATE TABLE sessions (id TEXT PRIMARY KEY, name TEXT NOT NULL DEFAULT '', description TEXT NOT NULL DEFAULT '',
	user_set_name BOOLEAN DEFAULT FALSE, session_type TEXT NOT NULL DEFAULT 'user', working_dir TEXT NOT NULL,
	created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
	extension_data TEXT DEFAULT '{}', provider_name TEXT, model_config_json TEXT, archived_at TIMESTAMP, parent_session_id TEXT);
	CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, message_id TEXT, session_id TEXT NOT NULL REFERENCES sessions(id),
	role TEXT NOT NULL, content_json TEXT NOT NULL, created_timestamp INTEGER NOT NULL, timestamp TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
	tokens INTEGER, metadata_json TEXT);
	CREATE INDEX idx_messages_session ON messages(session_id)`

func gooseStore(t testing.TB) (history.Store, string) {
	home := t.TempDir()
	path := filepath.Join(home, ".local", "share", "goose", "sessions", "sessions.db")
	return historytest.StoreAt(t, goose(), historytest.Linux(home), path), path
}

func TestGoose(t *testing.T) {
	store, path := gooseStore(t)
	db := historytest.MakeDatabase(t, path, gooseSchema,
		`INSERT INTO sessions (id, name, working_dir, created_at, updated_at, model_config_json)
			VALUES ('20260203_1', 'Fix the build', '/src/app', '2026-02-03 04:05:06', '2026-02-03 04:06:00', '{"model_name":"gpt-x"}')`,
		`INSERT INTO sessions (id, name, user_set_name, working_dir, session_type, parent_session_id, archived_at)
			VALUES ('20260203_2', 'mine', 1, '/src/app', 'sub_agent', '20260203_1', '2026-02-04 00:00:00')`)
	for i, m := range []struct{ role, content, metadata string }{
		{"user", `[{"type":"text","text":"why does it fail?"},{"type":"image","data":"AAAABBBB","mimeType":"image/png"}]`, `{"userVisible":true,"agentVisible":false}`},
		{"assistant", `[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"redactedThinking","data":"x"},{"type":"text","text":"I look."},
			{"type":"toolRequest","id":"c1","toolCall":{"status":"success","value":{"name":"developer__shell","arguments":{"command":"make"}}}},
			{"type":"toolRequest","id":"c2","toolCall":{"status":"error","error":"no such tool"}}]`, `{"userVisible":true,"agentVisible":false}`},
		{"user", `[{"type":"toolResponse","id":"c1","toolResult":{"status":"success","value":{"content":[{"type":"text","text":"line 1"},{"type":"text","text":"line 2"}],"isError":true}}}]`, `{"userVisible":true,"agentVisible":false}`},
		{"user", `[{"type":"text","text":"the summary"}]`, `{"userVisible":false,"agentVisible":true}`},
		{"assistant", `[{"type":"toolRequest","id":"c3","toolCall":{"status":"success","value":{"name":"t","arguments":{}}}}]`, ``},
		{"user", `[{"type":"toolResponse","id":"c3","toolResult":{"status":"success","value":[{"type":"text","text":"old shape"}]}}]`, ``},
		{"user", `[{"type":"toolResponse","id":"c9","toolResult":{"status":"error","error":"broken"}}]`, ``},
		{"assistant", `[{"type":"systemNotification","notificationType":"inlineMessage","msg":"note"},{"type":"novelty","x":1}]`, ``},
		{"assistant", `[{"type":"text"`, ``},
		{"assistant", `[{"type":"text","text":"done"}]`, ``},
	} {
		historytest.Execute(t, db, "INSERT INTO messages (message_id, session_id, role, content_json, created_timestamp, metadata_json) VALUES (?, '20260203_1', ?, ?, ?, ?)",
			fmt.Sprintf("msg_%d", i), m.role, m.content, 1770091506+i, m.metadata)
	}
	list := historytest.ListStore(t, store, path)
	if len(list) != 2 {
		t.Fatalf("%d sessions", len(list))
	}
	c := historytest.ReadStore(t, store, path, "20260203_1")
	historytest.CheckOutline(t, c.Events,
		"user why does it fail?", "user [image/png 6 bytes]", "thinking hm", "assistant I look.",
		`tool-call developer__shell c1 {"command":"make"}`, "system no such tool",
		"tool-result developer__shell c1 line 1\nline 2 FAILED",
		"compaction ", "user (injected) the summary",
		"tool-call t c3 {}", "tool-result t c3 old shape", "tool-result  c9 broken FAILED",
		"system note", "unknown novelty", "unknown not JSON", "assistant done")
	if c.Of.Title != "Fix the build" || c.Of.CWD != "/src/app" || c.Of.Model != "gpt-x" || c.Of.Start.Format("15:04:05") != "04:05:06" {
		t.Errorf("session %+v", c.Of)
	}
	child := historytest.ReadStore(t, store, path, "20260203_2").Of
	if child.Parent != "20260203_1" || !child.Archived || child.TitleRank != event.FromUser {
		t.Errorf("child %+v", child)
	}
	before := historytest.ListStore(t, store, path)
	historytest.Execute(t, db, "INSERT INTO messages (session_id, role, content_json, created_timestamp) VALUES ('20260203_1', 'user', '[]', 1770091600)")
	for i, l := range historytest.ListStore(t, store, path) {
		fstest.Equal(t, l.Stamp != before[i].Stamp, (l.ID == "20260203_1"), "stamp", l.ID, before[i].Stamp, l.Stamp)
	}
}

// TestGooseOfOldVersions reads the first schema: no metadata, no names.
func TestGooseOfOldVersions(t *testing.T) {
	store, path := gooseStore(t)
	historytest.MakeDatabase(t, path, `CREATE TABLE sessions (id TEXT PRIMARY KEY, description TEXT, working_dir TEXT, created_at TIMESTAMP)`,
		`CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT, role TEXT, content_json TEXT, created_timestamp INTEGER)`,
		`INSERT INTO sessions VALUES ('a', 'old', '/x', '2025-09-01 10:00:00')`,
		`INSERT INTO messages VALUES (1, 'a', 'user', '[{"type":"text","text":"hello"}]', 1756720800)`)
	c := historytest.ReadStore(t, store, path, "a")
	historytest.CheckOutline(t, c.Events, "user hello")
	if c.Events[0].ID != "1" || c.Of.Title != "old" {
		t.Errorf("%+v %+v", c.Events[0], c.Of)
	}
	historytest.BadDatabases(t, store, "sessions")
}

func TestGoosePlaces(t *testing.T) {
	for _, c := range []struct{ env, want string }{
		{"", "/home/u/.local/share/goose/sessions"},
		{"XDG_DATA_HOME=/data", "/data/goose/sessions"},
		{"GOOSE_PATH_ROOT=~/g", "/home/u/g/data/sessions"},
	} {
		fstest.Equal(t, goose().Places(historytest.Linux("/home/u", c.env))[0].Dir, c.want, c.env)
	}
}

func TestGooseBesideAWriter(t *testing.T) {
	store, path := gooseStore(t)
	db := historytest.MakeDatabase(t, path, gooseSchema, `INSERT INTO sessions (id, working_dir) VALUES ('a', '/x')`)
	historytest.BesideAWriter(t, store, path, "a", func(n int) error {
		_, err := db.Exec(`INSERT INTO messages (session_id, role, content_json, created_timestamp)
			VALUES ('a', 'user', ?, ?), ('a', 'assistant', ?, ?)`,
			`[{"type":"text","text":"question"}]`, 1770000000+n, `[{"type":"text","text":"answer"}]`, 1770000000+n)
		return err
	}, func(events []event.Event) error {
		if len(events)%2 != 0 {
			return fmt.Errorf("half a transaction: %d events", len(events))
		}
		return nil
	})
	fstest.Equal(t, len(historytest.ReadStore(t, store, path, "a").Events), 120, "events")
}

func FuzzGoose(f *testing.F) {
	f.Add("user", `[{"type":"text","text":"x"},{"type":"image","data":"AA=="}]`, `{"userVisible":false}`)
	f.Add("assistant", `[{"type":"toolRequest","id":"a","toolCall":{"value":{"name":"n","arguments":1}}},{"type":"toolResponse","id":"a","toolResult":{"value":{"content":[{"type":"resource","resource":{"blob":"A"}}]}}}]`, `{"agentVisible":false}`)
	f.Fuzz(func(t *testing.T, role, content, metadata string) {
		historytest.CheckEvents(t, func(out event.Sink) {
			g := gooseReader{out: out, names: make(records.ToolNames), hidden: true}
			g.message(gooseMessage{id: "m", role: role, content: content, metadata: metadata})
		})
	})
}
