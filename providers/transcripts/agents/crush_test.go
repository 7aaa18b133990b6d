package agents

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/agents/historytest"
	"ctxfs/providers/transcripts/agents/records"
	"ctxfs/providers/transcripts/event"
)

const crushSchema = `CREATE TABLE sessions (id TEXT PRIMARY KEY, parent_session_id TEXT, title TEXT NOT NULL,
	message_count INTEGER NOT NULL DEFAULT 0, updated_at INTEGER NOT NULL, created_at INTEGER NOT NULL, summary_message_id TEXT, todos TEXT);
	CREATE TABLE messages (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, role TEXT NOT NULL, parts TEXT NOT NULL DEFAULT '[]', model TEXT,
	created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, finished_at INTEGER, provider TEXT, is_summary_message INTEGER DEFAULT 0 NOT NULL);
	CREATE INDEX idx_messages_session_id ON messages (session_id)`

// crushMachine returns a machine with one project with a database.
func crushMachine(t testing.TB) (history.Machine, string) {
	home := t.TempDir()
	project := filepath.Join(home, "work", "app")
	global := filepath.Join(home, ".local", "share", "crush")
	fstest.Must(t, os.MkdirAll(global, 0o700))
	list := fmt.Sprintf(`{"projects":[{"path":%q,"data_dir":%q,"last_accessed":"2026-01-01T00:00:00Z"},{"path":%q,"data_dir":".crush"}]}`,
		project, filepath.Join(project, ".crush"), filepath.Join(home, "two"))
	fstest.Must(t, os.WriteFile(filepath.Join(global, "projects.json"), []byte(list), 0o600))
	return historytest.Linux(home), filepath.Join(project, ".crush", "crush.db")
}

func TestCrush(t *testing.T) {
	m, path := crushMachine(t)
	store := historytest.StoreAt(t, crush(), m, path)
	db := historytest.MakeDatabase(t, path, crushSchema,
		`INSERT INTO sessions (id, title, updated_at, created_at) VALUES ('s1', 'A title', 1770091600, 1770091506)`,
		`INSERT INTO sessions (id, parent_session_id, title, updated_at, created_at) VALUES ('title-s1', 's1', 'Generate a title', 1770091507, 1770091507)`,
		`INSERT INTO sessions (id, parent_session_id, title, updated_at, created_at) VALUES ('m2$$call2', 's1', 'New Agent Session', 1770091508, 1770091508)`,
		`INSERT INTO messages (id, session_id, role, parts, created_at, updated_at) VALUES ('x', 'm2$$call2', 'user', '[{"type":"text","data":{"text":"go"}}]', 1770091508, 1770091508)`)
	for i, m := range []struct {
		role, parts string
		summary     bool
	}{
		{"user", `[{"type":"text","data":{"text":"hello"}},{"type":"binary","data":{"Path":"a.png","MIMEType":"image/png","Data":"AAAA"}}]`, false},
		{"assistant", `[{"type":"reasoning","data":{"thinking":"so","finished_at":1}},{"type":"text","data":{"text":"ok"}},
			{"type":"tool_call","data":{"id":"call1","name":"bash","input":"{\"command\":\"ls\"}","finished":true}},
			{"type":"tool_call","data":{"id":"call2","name":"agent","input":"{}","finished":true}},{"type":"finish","data":{"reason":"tool_use","time":1}}]`, false},
		{"tool", `[{"type":"tool_result","data":{"tool_call_id":"call1","name":"bash","content":"a b","is_error":true}},{"type":"tool_result","data":{"tool_call_id":"call2","content":"found"}}]`, false},
		{"assistant", `[{"type":"text","data":{"text":"the summary"}},{"type":"finish","data":{"reason":"end_turn"}}]`, true},
		{"user", `[{"type":"text","data":{"text":"go on","hidden":true}},{"type":"shell_command","data":{"command":"pwd","output":"/x","exit_code":0}},{"type":"new_part","data":{}}]`, false},
		{"assistant", `[{"type":"finish","data":{"reason":"error","message":"Bad","details":"gateway"}}]`, false},
		{"assistant", `[{"type":"reasoning","data":{"thinking":"whole","finished_at":5}},{"type":"text","data":{"text":"half a sen"}}]`, false},
	} {
		historytest.Execute(t, db, "INSERT INTO messages (id, session_id, role, parts, model, created_at, updated_at, is_summary_message) VALUES (?, 's1', ?, ?, 'model-x', ?, ?, ?)",
			fmt.Sprintf("m%d", i+1), m.role, m.parts, 1770091506+i, 1770091506+i, m.summary)
	}
	list := historytest.ListStore(t, store, path)
	if len(list) != 2 || list[1].ID != "m2$$call2" || list[1].Parent != "s1" {
		t.Fatalf("sessions %+v", list)
	}
	c := historytest.ReadStore(t, store, path, "s1")
	historytest.CheckOutline(t, c.Events,
		"user hello", "user a.png [image/png 3 bytes]", "thinking so", "assistant ok",
		`tool-call bash call1 {"command":"ls"}`, "tool-call agent call2 {} -> m2$$call2",
		"tool-result bash call1 a b FAILED", "tool-result agent call2 found",
		"compaction ", "assistant the summary", "user (injected) go on", "user $ pwd\n/x", "unknown new_part",
		"system Bad\ngateway", "thinking whole")
	if c.Of.CWD != filepath.Dir(filepath.Dir(path)) || c.Of.Start.Year() != 2026 || c.Of.Title != "A title" || c.Of.Model != "model-x" {
		t.Errorf("session %+v", c.Of)
	}
	// The text is completed within the same second.
	before := historytest.ListStore(t, store, path)[0].Stamp
	historytest.Execute(t, db, `UPDATE messages SET parts = '[{"type":"text","data":{"text":"half a sentence"}},{"type":"finish","data":{}}]' WHERE id = 'm7'`)
	if historytest.ListStore(t, store, path)[0].Stamp == before {
		t.Error("the stamp did not change")
	}
	events := historytest.Outline(historytest.ReadStore(t, store, path, "s1").Events)
	fstest.Equal(t, events[len(events)-1], "assistant half a sentence", "last")
}

func TestCrushPlaces(t *testing.T) {
	m, path := crushMachine(t)
	m.Projects = []string{filepath.Join(m.Home, "three"), filepath.Dir(filepath.Dir(path))}
	var dirs []string
	for _, p := range crush().Places(m) {
		rel, _ := filepath.Rel(m.Home, p.Dir)
		dirs = append(dirs, rel)
		if p.File("crush.db") == nil || p.File("crush.json") != nil || p.File("logs/crush.db") != nil {
			t.Errorf("%s: wrong files", rel)
		}
	}
	if got, want := fmt.Sprint(dirs), "[.local/share/crush work/app/.crush two/.crush three/.crush]"; got != want {
		t.Errorf("places %s", got)
	}
	if places := crush().Places(historytest.Linux("/nowhere")); len(places) != 1 {
		t.Errorf("without a list: %v", places)
	}
}

// TestCrushOfOldVersions reads the first schema.
func TestCrushOfOldVersions(t *testing.T) {
	m, path := crushMachine(t)
	store := historytest.StoreAt(t, crush(), m, path)
	historytest.MakeDatabase(t, path, `CREATE TABLE sessions (id TEXT PRIMARY KEY, title TEXT, created_at INTEGER)`,
		`CREATE TABLE messages (id TEXT PRIMARY KEY, session_id TEXT, role TEXT, parts BLOB, created_at INTEGER)`,
		`INSERT INTO sessions VALUES ('a', 't', 1750000000)`,
		`INSERT INTO messages VALUES ('m', 'a', 'user', CAST('[{"type":"text","data":{"text":"hi"}}]' AS BLOB), 1750000000000)`)
	c := historytest.ReadStore(t, store, path, "a")
	historytest.CheckOutline(t, c.Events, "user hi")
	if !c.Events[0].Time.Equal(c.Of.Start) {
		t.Errorf("seconds and milliseconds differ: %v %v", c.Events[0].Time, c.Of.Start)
	}
	historytest.BadDatabases(t, store, "sessions")
}

func TestCrushBesideAWriter(t *testing.T) {
	m, path := crushMachine(t)
	store := historytest.StoreAt(t, crush(), m, path)
	db := historytest.MakeDatabase(t, path, crushSchema, `INSERT INTO sessions (id, title, updated_at, created_at) VALUES ('a', 't', 1, 1)`)
	historytest.BesideAWriter(t, store, path, "a", func(n int) error {
		_, err := db.Exec(`INSERT INTO messages (id, session_id, role, parts, created_at, updated_at) VALUES (?, 'a', 'user', ?, 5, 5), (?, 'a', 'assistant', ?, 5, 5)`,
			fmt.Sprint("q", n), `[{"type":"text","data":{"text":"question"}}]`,
			fmt.Sprint("r", n), `[{"type":"text","data":{"text":"answer"}},{"type":"finish","data":{"reason":"end_turn"}}]`)
		return err
	}, func(events []event.Event) error {
		if len(events)%3 != 0 {
			return fmt.Errorf("half a transaction: %d events", len(events))
		}
		return nil
	})
}

func FuzzCrush(f *testing.F) {
	f.Add("assistant", `[{"type":"text","data":{"text":"x"}},{"type":"tool_call","data":{"id":"a","finished":true}},{"type":"finish","data":{}}]`, true)
	f.Add("tool", `[{"type":"tool_result","data":{"tool_call_id":"a","data":"AAAA","mime_type":"image/png"}},{"type":"binary","data":{"Data":"="}},7]`, false)
	f.Fuzz(func(t *testing.T, role, parts string, summary bool) {
		historytest.CheckEvents(t, func(out event.Sink) {
			c := crushReader{out: out, names: make(records.ToolNames)}
			c.message(crushMessage{id: "m", role: role, parts: parts, summary: summary}, true)
		})
	})
}
