package opencode

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/agents/historytest"
	"ctxfs/providers/transcripts/event"
)

const tables = `CREATE TABLE project (id TEXT PRIMARY KEY, worktree TEXT NOT NULL);
	CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT NOT NULL, parent_id TEXT, slug TEXT NOT NULL DEFAULT '', directory TEXT NOT NULL, title TEXT NOT NULL,
		version TEXT NOT NULL DEFAULT '1', revert TEXT, time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL, time_compacting INTEGER, time_archived INTEGER);
	CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL, data TEXT NOT NULL);
	CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT NOT NULL, session_id TEXT NOT NULL, time_created INTEGER NOT NULL, time_updated INTEGER NOT NULL, data TEXT NOT NULL);
	CREATE INDEX message_session_idx ON message (session_id);
	CREATE INDEX part_message_idx ON part (message_id);
	CREATE INDEX part_session_idx ON part (session_id)`

const (
	messageRow = "INSERT INTO message VALUES (?, ?, ?, ?, ?)"
	partRow    = "INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)"
)

func newStore(t testing.TB) (history.Store, string) {
	home := t.TempDir()
	path := filepath.Join(home, ".local", "share", "opencode", "opencode.db")
	return historytest.StoreAt(t, Agent(), historytest.Linux(home), path), path
}

func TestOpencode(t *testing.T) {
	store, path := newStore(t)
	db := historytest.MakeDatabase(t, path, tables,
		`INSERT INTO session (id, project_id, directory, title, revert, time_created, time_updated)
			VALUES ('ses_a', 'p', '/src/app', 'New session - 2026-02-03T04:05:06Z', '{"messageID":"msg_5"}', 1770091506000, 1770091600000)`,
		`INSERT INTO session (id, project_id, parent_id, directory, title, time_created, time_updated, time_archived)
			VALUES ('ses_b', 'p', 'ses_a', '/src/app', 'child', 1770091507000, 1770091600000, 1770091700000)`)
	n := 0
	message := func(id, data string, parts ...string) {
		n++
		at := 1770091506000 + n*1000
		historytest.Execute(t, db, messageRow, id, "ses_a", at, at, data)
		for i, p := range parts {
			historytest.Execute(t, db, partRow, fmt.Sprintf("prt_%d_%d", n, i), id, "ses_a", at, at, p)
		}
	}
	message("msg_1", `{"role":"user","time":{"created":1770091507000}}`, `{"type":"text","text":"why?"}`, `{"type":"text","text":"a file","synthetic":true}`,
		`{"type":"file","filename":"a.png","mime":"image/png","url":"data:image/png;base64,AAAA"}`, `{"type":"agent","name":"x"}`)
	message("msg_2", `{"role":"assistant","modelID":"model-x","time":{"created":1,"completed":2},"error":{"name":"MessageAbortedError","data":{"message":"stopped"}}}`,
		`{"type":"step-start"}`, `{"type":"reasoning","text":"hm","time":{"start":1770091508500}}`,
		`{"type":"tool","tool":"bash","callID":"c1","state":{"status":"completed","input":{"command":"ls"},"output":"a b","time":{"start":1770091508600,"end":1770091508700,"compacted":1}}}`,
		`{"type":"tool","tool":"task","callID":"c2","state":{"status":"error","input":{},"error":"no","metadata":{"sessionId":"ses_b"}}}`,
		`{"type":"retry","attempt":1,"error":{"name":"APIError","data":{"message":"overloaded"}}}`, `{"type":"novel","x":1}`, `{"type":`)
	message("msg_3", `{"role":"user"}`, `{"type":"compaction","auto":true}`)
	message("msg_4", `{"role":"assistant","summary":true,"time":{"completed":1}}`, `{"type":"text","text":"the summary"}`, `{"type":"patch","hash":"h"}`)
	message("msg_5", `{"role":"user"}`, `{"type":"text","text":"wrong"}`, `{"type":"subtask","prompt":"do it","agent":"a"}`)
	message("msg_6", `{"role":"assistant","time":{"created":1770091512000}}`,
		`{"type":"text","text":"before","time":{"start":1,"end":2}}`,
		`{"type":"tool","tool":"bash","callID":"c3","state":{"status":"running","input":{"command":"sleep"}}}`,
		`{"type":"tool","tool":"bash","callID":"c4","state":{"status":"pending","input":{},"raw":"{\"comm"}}`,
		`{"type":"text","text":"half a sen","time":{"start":3}}`)
	c := historytest.ReadStore(t, store, path, "ses_a")
	historytest.CheckOutline(t, c.Events,
		"user why?", "user (injected) a file", "user (injected) [file] a.png [image/png 3 bytes]",
		"thinking hm", `tool-call bash c1 {"command":"ls"}`, "tool-result bash c1 a b",
		"tool-call task c2 {} -> ses_b", "tool-result task c2 no FAILED",
		"system retry: APIError: overloaded", "unknown novel", "unknown not JSON", "system MessageAbortedError: stopped",
		"compaction auto", "assistant the summary",
		"user wrong", "user do it", "assistant before", `tool-call bash c3 {"command":"sleep"}`,
		"rewind to 17, 1")
	if c.Events[16].Text != "patch" || !c.Events[16].Quiet {
		t.Errorf("the last event that counts is %+v", c.Events[16])
	}
	if c.Of.Title != "why?" || c.Of.CWD != "/src/app" || c.Of.Model != "model-x" {
		t.Errorf("session %+v", c.Of)
	}
	if b := historytest.ReadStore(t, store, path, "ses_b").Of; b.Parent != "ses_a" || !b.Archived || b.Title != "child" {
		t.Errorf("child %+v", b)
	}
	for _, change := range []string{
		`UPDATE part SET data = json_set(data, '$.state.status', 'completed'), time_updated = time_updated + 50 WHERE id = 'prt_6_1'`,
		`UPDATE message SET data = '{"role":"assistant","time":{"completed":9}}', time_updated = time_updated + 60 WHERE id = 'msg_6'`,
		`INSERT INTO part VALUES ('prt_6_9', 'msg_6', 'ses_a', 1, 1, '{"type":"text","text":"end"}')`,
		`UPDATE session SET revert = NULL WHERE id = 'ses_a'`,
	} {
		before := historytest.ListStore(t, store, path)
		historytest.Execute(t, db, change)
		after := historytest.ListStore(t, store, path)
		if before[0].Stamp == after[0].Stamp || before[1].Stamp != after[1].Stamp {
			t.Errorf("%s: stamps %s, %s", change, before[0].Stamp, after[0].Stamp)
		}
	}
	events := historytest.Outline(historytest.ReadStore(t, store, path, "ses_a").Events)
	fstest.Equal(t, strings.Join(events[len(events)-3:], "|"), "tool-result bash c3 |assistant half a sen|assistant end", "end")
	historytest.BadDatabases(t, store, "session")
}

// TestOpencodeExport puts a real session into a database and compares counts
// with an independent count by SQL.
func TestOpencodeExport(t *testing.T) {
	text, err := os.ReadFile(fstest.Data(t, "sessions", "same-task-per-agent", "opencode", "convo.json"))
	fstest.Must(t, err)
	var export struct {
		Info struct {
			ID, Directory, Title string
			Time                 struct{ Created, Updated int64 }
		}
		Messages []struct {
			Info  json.RawMessage
			Parts []json.RawMessage
		}
	}
	fstest.Must(t, json.Unmarshal(text, &export))
	store, path := newStore(t)
	db := historytest.MakeDatabase(t, path, tables)
	historytest.Execute(t, db, `INSERT INTO session (id, project_id, directory, title, time_created, time_updated) VALUES (?, 'global', ?, ?, ?, ?)`,
		export.Info.ID, export.Info.Directory, export.Info.Title, export.Info.Time.Created, export.Info.Time.Updated)
	for _, m := range export.Messages {
		info := lazyjson.Parse(m.Info)
		at := info.Get("time.created").Int()
		historytest.Execute(t, db, messageRow, info.Get("id").Str, export.Info.ID, at, at, string(m.Info))
		for _, p := range m.Parts {
			historytest.Execute(t, db, partRow, lazyjson.Parse(p).Get("id").Str, info.Get("id").Str, export.Info.ID, at, at, string(p))
		}
	}
	c := historytest.ReadStore(t, store, path, export.Info.ID)
	counts := historytest.Tally(c.Events)
	for kind, query := range map[event.Kind]string{
		event.User:       `SELECT count(*) FROM part JOIN message m ON m.id = message_id WHERE part.data ->> 'type' = 'text' AND m.data ->> 'role' = 'user'`,
		event.Assistant:  `SELECT count(*) FROM part JOIN message m ON m.id = message_id WHERE part.data ->> 'type' = 'text' AND m.data ->> 'role' = 'assistant'`,
		event.Thinking:   `SELECT count(*) FROM part WHERE data ->> 'type' = 'reasoning' AND data ->> 'text' <> ''`,
		event.ToolCall:   `SELECT count(*) FROM part WHERE data ->> 'type' = 'tool'`,
		event.ToolResult: `SELECT count(*) FROM part WHERE data ->> 'type' = 'tool' AND data ->> '$.state.status' IN ('completed', 'error')`,
	} {
		var want int
		fstest.Must(t, db.QueryRow(query).Scan(&want))
		if counts[string(kind)] != want || want == 0 {
			t.Errorf("%s: %d, by SQL %d", kind, counts[string(kind)], want)
		}
	}
	all := strings.Join(historytest.Outline(c.Events), "\n")
	rows, err := db.Query(`SELECT value FROM part, json_tree(part.data) WHERE key IN ('text', 'output') AND path IN ('$', '$.state') AND value <> ''`)
	fstest.Must(t, err)
	defer rows.Close()
	for rows.Next() {
		var text string
		fstest.Must(t, rows.Scan(&text))
		fstest.Contains(t, all, text)
	}
	if c.Of.Title != "Tool category exercise walkthrough" || c.Of.Start.UnixMilli() != export.Info.Time.Created {
		t.Errorf("session %+v", c.Of)
	}
}

// TestOpencodeFiles reads the trees of files of two versions.
func TestOpencodeFiles(t *testing.T) {
	fixtures := fstest.Data(t, "sessions", "small-fixtures", "opencode")
	for _, c := range []struct {
		file string
		want []string
	}{
		{"storage_legacy/session/proj_test/ses_s_stage0_drift.json", []string{
			`tool-call bash call_legacy_1 {"command":"cat README.md","cwd":"/tmp/drift"}`, "tool-result bash call_legacy_1 # Title\n\nBody\n",
			"assistant Read README and extracted the title."}},
		{"storage_v2/session/proj_test/ses_s_stage0_small.json", []string{
			"user Hello", `tool-call bash call_1 {"command":"ls","cwd":"/tmp/repo"}`, "tool-result bash call_1 a.txt\nb.txt\n", "assistant Found 2 files."}},
		{"storage_v2/session/proj_test/ses_s_stage0_large.json", []string{
			"user Step 1", `tool-call bash call_large_1 {"command":"ls /non-existent-directory","cwd":"/tmp/large"}`,
			"tool-result bash call_large_1 ls: /non-existent-directory: No such file or directory\n",
			"assistant Command failed with exit code 1.", "assistant [file] error.log file:///tmp/large/error.log", "thinking Investigating failing command.",
			"compaction auto", "system MessageAbortedError: The operation was aborted.", "user Step 2", "assistant Ok"}},
	} {
		store := history.Store{Sessions: listFile, Read: readFiles}
		path := filepath.Join(fixtures, filepath.FromSlash(c.file))
		list := historytest.ListStore(t, store, path)
		if len(list) != 1 || list[0].ID == "" || list[0].CWD == "" || list[0].Title == "" || list[0].Start.IsZero() {
			t.Fatalf("%s: %+v", c.file, list)
		}
		historytest.CheckOutline(t, historytest.ReadStore(t, store, path, list[0].ID).Events, c.want...)
	}
}

func TestOpencodePlaces(t *testing.T) {
	places := Agent().Places(historytest.Linux("/home/u", "OPENCODE_DB=/else/my.db"))
	for rel, ours := range map[string]bool{
		"opencode.db": true, "opencode-dev.db": true, "auth.json": false, "mcp-auth.json": false, "kilo.db": false,
		"storage/session/p/s.json": true, "storage/message/s/m.json": false, "storage/session/p/x/y.json": false,
	} {
		fstest.Equal(t, places[0].File(rel) != nil, ours, rel)
	}
	for rel, skipped := range map[string]bool{"log": true, "snapshot": true, "storage": false, "storage/session": false, "storage/session/p": false, "storage/part": true} {
		fstest.Equal(t, places[0].Skip(rel), skipped, rel, !skipped)
	}
	if places[1].Dir != "/else" || places[1].File("my.db") == nil || places[1].File("other.db") != nil {
		t.Errorf("OPENCODE_DB: %+v", places[1])
	}
	database, files := places[0].File("opencode.db").(history.Store), places[0].File("storage/session/p/s.json").(history.Store)
	if database.Rank <= files.Rank {
		t.Error("the files count more than the database that they were moved to")
	}
}

func TestOpencodeBesideAWriter(t *testing.T) {
	store, path := newStore(t)
	db := historytest.MakeDatabase(t, path, tables,
		`INSERT INTO session (id, project_id, directory, title, time_created, time_updated) VALUES ('a', 'p', '/x', 't', 1, 1)`)
	historytest.BesideAWriter(t, store, path, "a", func(n int) error {
		tx, err := db.Begin()
		if err != nil {
			return err
		}
		for i, role := range []string{"user", "assistant"} {
			id, at := fmt.Sprintf("m%03d%d", n, i), 1770000000000+2*n+i
			if _, err = tx.Exec(messageRow, id, "a", at, at, `{"role":"`+role+`","time":{"completed":1}}`); err != nil {
				return err
			}
			if _, err = tx.Exec(partRow, "p"+id, id, "a", at, at, `{"type":"text","text":"words"}`); err != nil {
				return err
			}
		}
		return tx.Commit()
	}, func(events []event.Event) error {
		if len(events)%2 != 0 {
			return fmt.Errorf("half a transaction: %d events", len(events))
		}
		return nil
	})
}

func FuzzOpencode(f *testing.F) {
	f.Add(`{"role":"user"}`, `{"type":"text","text":"x"}`, `{"messageID":"m"}`)
	f.Add(`{"role":"assistant","error":{"name":1}}`, `{"type":"tool","state":{"status":"error","output":[1],"attachments":[{}]}}`, `{"messageID":"m","partID":"p"}`)
	f.Add(`[]`, `{"type":"file","url":"data:,x"}`, `7`)
	f.Fuzz(func(t *testing.T, message, part, revert string) {
		historytest.CheckEvents(t, func(out event.Sink) {
			rows := []row{{message: "m", data: message}}
			emitSession(rows, map[string][]row{"m": {{message: "m", part: "p", data: part}}}, lazyjson.ParseString(revert), true, out)
		})
	})
}
