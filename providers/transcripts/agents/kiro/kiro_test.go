package kiro

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/internal/sqlite"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/agents/historytest"
	"ctxfs/providers/transcripts/event"
)

const kiroSecond = `{"version":"v1","kind":"Prompt","data":{"message_id":"p1","content":[{"kind":"text","data":"fix it"},{"kind":"image","data":{"format":"png","source":{"kind":"bytes","data":[1,2,3]}}}],"meta":{"timestamp":1783376868}}}
{"version":"v1","kind":"AssistantMessage","data":{"message_id":"a1","content":[{"kind":"thinking","data":{"text":"hm"}},{"kind":"text","data":"so"},{"kind":"toolUse","data":{"toolUseId":"t1","name":"shell","input":{"command":"ls"}}}]}}
{"version":"v1","kind":"ToolResults","data":{"message_id":"r1","content":[{"kind":"toolResult","data":{"toolUseId":"t1","content":[{"kind":"json","data":{"exit_status":"exit status: 1","stdout":"","stderr":"no\nway"}}],"status":"error"}}]}}
{"version":"v1","kind":"Compaction","data":{"summary":"all of it"}}
{"version":"v1","kind":"Dream","data":{}}
{"version":"v1","kind":"Prom`

func TestKiroSecondEngine(t *testing.T) {
	dir := t.TempDir()
	historytest.WriteFile(t, dir, "cli/k1.json", `{"session_id":"k1","cwd":"/w","title":"The fix","created_at":"2026-07-06T00:00:00Z","updated_at":"2026-07-07T00:00:00Z","session_state":{"rts_model_state":{"model_info":{"model_id":"m"}}}}`)
	path := historytest.WriteFile(t, dir, "cli/k1.jsonl", kiroSecond)
	log := formatOf("cli/k1.jsonl").(history.Log)
	c := historytest.ReadText(t, func() history.Reader { return log.Open(path) }, kiroSecond)
	want := "user fix it\nuser [image/png 3 bytes]\nthinking hm\nassistant so\ntool-call t1 shell {\"command\":\"ls\"}\n" +
		"tool-result t1 shell exit status: 1⏎no⏎way FAILED\ncompaction  0 all of it\nunknown Dream\nunknown not JSON\n"
	fstest.Equal(t, historytest.Lines(c.Events), want)
	if log.ID != "k1" || c.Of.CWD != "/w" || c.Of.Title != "The fix" || c.Of.Model != "m" || c.Events[0].Time.Unix() != 1783376868 {
		t.Errorf("read %+v", c.Of)
	}
}

const kiroThird = `{"id":"1","timestamp":1783376868000,"payload":{"type":"user","content":"fix it"}}
{"id":"2","timestamp":1783376869000,"payload":{"type":"assistant","operationType":"Reason","content":"hm"}}
{"id":"3","timestamp":1783376870000,"payload":{"type":"assistant","operationType":"Say","content":"so","reasoningModelId":"m"}}
{"id":"4","timestamp":"2026-07-06T22:27:51Z","payload":{"type":"tool_call","toolCallId":"t1","toolName":"shell","args":{"command":"ls"}}}
{"id":"5","timestamp":1783376872000,"payload":{"type":"tool_result","toolCallId":"t1","content":"no","success":false}}
{"id":"6","timestamp":1783376873000,"payload":{"type":"usage_summary"}}
{"id":"7","timestamp":1783376874000,"payload":{"type":"dream"}}
`

func TestKiroThirdEngine(t *testing.T) {
	dir := t.TempDir()
	historytest.WriteFile(t, dir, "ws/sess_k3/session.json", `{"id":"k3","title":"The fix","workspacePaths":["/w"],"modelId":"m0"}`)
	path := historytest.WriteFile(t, dir, "ws/sess_k3/messages.jsonl", kiroThird)
	log := formatOf("ws/sess_k3/messages.jsonl").(history.Log)
	c := historytest.ReadText(t, func() history.Reader { return log.Open(path) }, kiroThird)
	want := "user fix it\nthinking hm\nassistant so\ntool-call t1 shell {\"command\":\"ls\"}\ntool-result t1 shell no FAILED\n" +
		"system (quiet) usage_summary\nunknown dream\n"
	fstest.Equal(t, historytest.Lines(c.Events), want)
	if log.ID != "k3" || c.Of.CWD != "/w" || c.Of.Title != "The fix" {
		t.Errorf("%q: read %+v", log.ID, c.Of)
	}
}

// kiroValue is a conversation of the first engine.
const kiroValue = `{"conversation_id":"c1","model_info":{"model_id":"m"},"latest_summary":["earlier",{}],"history":[
 {"user":{"content":{"Prompt":{"prompt":"fix it"}},"timestamp":"2026-07-06T22:27:48+02:00","additional_context":"hint"},
  "assistant":{"ToolUse":{"message_id":"a1","content":"so","tool_uses":[{"id":"t1","name":"execute_bash","args":{"command":"ls"}}]}},
  "request_metadata":{"stream_end_timestamp_ms":1783376870000,"model_id":"m"}},
 {"user":{"content":{"ToolUseResults":{"tool_use_results":[{"tool_use_id":"t1","content":[{"Json":{"exit_status":"0","stdout":"a.go\n"}},{"Text":"more"}],"status":"Success"}]}}},
  "assistant":{"Response":{"message_id":"a2","content":"done"}}},
 [{"content":{"CancelledToolUses":{"prompt":"stop","tool_use_results":[{"tool_use_id":"t2","content":[{"Text":"no"}],"status":"Error"}]}}},{"Response":{"content":"ok"}}]
]}`

// kiroDB returns a database as Kiro's first engine writes it.
func kiroDB(t *testing.T) (*sql.DB, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "data.sqlite3")
	db, err := sqlite.Own(path)
	fstest.Must(t, err)
	t.Cleanup(func() { _ = db.Close() })
	for _, q := range []string{
		"CREATE TABLE conversations_v2 (key TEXT NOT NULL, conversation_id TEXT NOT NULL, value TEXT NOT NULL, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, PRIMARY KEY (key, conversation_id))",
		"CREATE TABLE conversations (key TEXT PRIMARY KEY, value TEXT)",
		"CREATE TABLE auth_kv (key TEXT PRIMARY KEY, value TEXT)",
		"INSERT INTO auth_kv VALUES ('token', 'planted-secret')",
		"INSERT INTO conversations VALUES ('/old', '{\"conversation_id\":\"c0\",\"history\":[[{\"content\":{\"Prompt\":{\"prompt\":\"old one\"}}},{\"Response\":{\"content\":\"yes\"}}]]}')",
	} {
		if _, err := db.Exec(q); err != nil {
			t.Fatal(err)
		}
	}
	return db, path
}

func TestKiroFirstEngine(t *testing.T) {
	db, path := kiroDB(t)
	if _, err := db.Exec("INSERT INTO conversations_v2 VALUES ('/w', 'c1', ?, 1783376860000, 1783376875000)", kiroValue); err != nil {
		t.Fatal(err)
	}
	list, err := listSessions(t.Context(), path)
	if err != nil || len(list) != 2 {
		t.Fatalf("%d conversations, %v", len(list), err)
	}
	if l := list[0]; l.ID != "c1" || l.CWD != "/w" || l.Title != "fix it" || l.Start.UnixMilli() != 1783376860000 || l.Last.UnixMilli() != 1783376875000 {
		t.Errorf("listed %+v", l)
	}
	want := []string{
		"compaction  0 earlier\nuser/injected hint\nuser fix it\nassistant so\ntool-call t1 execute_bash {\"command\":\"ls\"}\n" +
			"tool-result t1 execute_bash 0⏎a.go⏎⏎more\nassistant done\ntool-result t2  no FAILED\nuser stop\nassistant ok\n",
		"user old one\nassistant yes\n",
	}
	for i, l := range list {
		var c event.Collector
		fstest.Must(t, readSession(t.Context(), path, l.Key, &c))
		if got := historytest.Lines(c.Events); got != want[i] || c.Of.ID != l.ID {
			t.Errorf("%s: got\n%swant\n%s", c.Of.ID, got, want[i])
		}
	}
	fstest.ContainsNot(t, fmt.Sprintf("%+v", list), "planted")
}

// TestKiroBesideAWriter: conversations that grow while they are read are read
// completely, and the writer is never refused.
func TestKiroBesideAWriter(t *testing.T) {
	db, path := kiroDB(t)
	value := func(turns int) string {
		turn := `{"user":{"content":{"Prompt":{"prompt":"` + strings.Repeat("x", 5000) + `"}}},"assistant":{"Response":{"content":"y"}}}`
		return `{"conversation_id":"c1","history":[` + strings.TrimSuffix(strings.Repeat(turn+",", turns), ",") + `]}`
	}
	if _, err := db.Exec("INSERT INTO conversations_v2 VALUES ('/w', 'c1', ?, 1, 1)", value(1)); err != nil {
		t.Fatal(err)
	}
	var writer sync.WaitGroup
	writer.Go(func() {
		for n := 2; n < 60; n++ {
			if _, err := db.Exec("UPDATE conversations_v2 SET value = ?, updated_at = ?", value(n), n); err != nil {
				t.Errorf("the writer was refused: %v", err)
				return
			}
		}
	})
	seen := 0
	for n := 0; n < 30; n++ {
		var c event.Collector
		if err := readSession(t.Context(), path, "conversations_v2/c1", &c); err != nil {
			t.Error(err)
			break
		}
		got := historytest.Tally(c.Events)
		if got["user"] != got["assistant"] || got["user"] < seen {
			t.Errorf("half a state: %v after %d", got, seen)
		}
		seen = got["user"]
	}
	writer.Wait()
}

func TestKiroFaults(t *testing.T) {
	dir := t.TempDir()
	other := filepath.Join(dir, "other.sqlite3")
	db, err := sqlite.Own(other)
	fstest.Must(t, err)
	if _, err := db.Exec("CREATE TABLE history (x)"); err != nil {
		t.Fatal(err)
	}
	db.Close()
	if _, err := listSessions(t.Context(), other); !errors.Is(err, sqlite.ErrSchema) {
		t.Errorf("without its tables: %v", err)
	}
	if _, err := listSessions(t.Context(), historytest.WriteFile(t, dir, "bad.sqlite3", strings.Repeat("no database ", 1000))); !errors.Is(err, sqlite.ErrDamaged) {
		t.Errorf("no database: %v", err)
	}
	if _, err := listSessions(t.Context(), filepath.Join(dir, "gone")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := listSessions(ctx, other); err == nil {
		t.Error("read although nobody wants it")
	}
}

func TestKiroPlaces(t *testing.T) {
	m := history.Machine{Home: "/home/u", OS: "linux", LookupEnv: func(string) (string, bool) { return "", false }}
	for _, place := range Agent().Places(m) {
		for _, rel := range []string{"k.jsonl", "cli/k.json", "cli/k.lock", "ws/sess_1/session.json", "ws/x/messages.jsonl", "settings/mcp.json", "history"} {
			if place.File(rel) != nil {
				t.Errorf("%s/%s would be opened", place.Dir, rel)
			}
		}
	}
	fstest.Equal(t, Agent().Places(m)[1].Dir, "/home/u/.local/share/kiro-cli", "database is looked")
}

func FuzzKiro(f *testing.F) {
	historytest.FuzzText(f, func(t *testing.T, log string) { historytest.ReadText(t, newKiro, log) }, kiroSecond, kiroThird)
}

func FuzzKiroConversation(f *testing.F) {
	historytest.FuzzText(f, func(_ *testing.T, value string) { readConversation(lazyjson.ParseString(value), &event.Collector{}) }, kiroValue)
}

func newKiro() history.Reader { return new(reader) }

// TestKiroSchemas reads databases with more, fewer and other tables and columns
// than the known ones.
func TestKiroSchemas(t *testing.T) {
	const conversation = `{"conversation_id":"c","history":[{"user":{"content":{"Prompt":{"prompt":"hello"}}},"assistant":{"Response":{"message_id":"m","content":"hi"}}}]}`
	home := t.TempDir()
	for name, c := range map[string]struct {
		store  history.Store
		tables []string
		id     string
		lacks  string
	}{
		"kiro, more columns": {databaseFormat("data.sqlite3").(history.Store), []string{`CREATE TABLE conversations_v2 (key, conversation_id, value, created_at, updated_at, mood)`,
			`INSERT INTO conversations_v2 VALUES ('/w', 'c', '` + conversation + `', 1, 1, 'glad')`}, "c", ""},
		"kiro, no id": {databaseFormat("data.sqlite3").(history.Store), []string{`CREATE TABLE conversations_v2 (key, value)`,
			`INSERT INTO conversations_v2 VALUES ('/w', '` + conversation + `')`}, "c", ""},
		"kiro, a later version": {databaseFormat("data.sqlite3").(history.Store), []string{`CREATE TABLE conversations_v3 (key, conversation_id, value)`,
			`INSERT INTO conversations_v3 VALUES ('/w', 'c', '` + conversation + `')`}, "c", "conversations_v3"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(home, fmt.Sprintf("%x", name), "folder", "data.db")
			historytest.MakeDatabase(t, path, c.tables...)
			c := historytest.CheckSchema(t, c.store, path, c.id, c.lacks)
			historytest.CheckOutline(t, c.Events, "user hello", "assistant hi")
		})
	}
}
