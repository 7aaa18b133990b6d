package cursor

import (
	"database/sql"
	"encoding/hex"
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

const editorSchema = `CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
	CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
	INSERT INTO ItemTable VALUES ('cursorAuth/accessToken', 'SECRET-TOKEN'), ('cursorAuth/refreshToken', 'SECRET-TOKEN')`

const editorRow = "INSERT INTO cursorDiskKV VALUES (?, ?)"

// editorDatabase returns the format of the editor's database in a home folder,
// its path, and its writer.
func editorDatabase(t testing.TB, home string) (history.Store, string, *sql.DB) {
	t.Helper()
	path := filepath.Join(home, ".config", "Cursor", "User", "globalStorage", "state.vscdb")
	return historytest.StoreAt(t, Agent(), historytest.Linux(home), path), path, historytest.MakeDatabase(t, path, editorSchema)
}

func transcriptOf(t testing.TB, home, id, text string) string {
	return historytest.WriteFile(t, home, ".cursor/projects/src-app/agent-transcripts/"+id+"/"+id+".jsonl", text)
}

func TestCursorPlaces(t *testing.T) {
	m := historytest.Linux("/home/u")
	ours := func(path string) bool {
		for _, p := range Agent().Places(m) {
			rel, err := filepath.Rel(p.Dir, path)
			if err != nil || !filepath.IsLocal(rel) {
				continue
			}
			for dir := filepath.Dir(rel); dir != "."; dir = filepath.Dir(dir) {
				if p.Skip != nil && p.Skip(dir) {
					return false
				}
			}
			if p.File(rel) != nil {
				return true
			}
		}
		return false
	}
	for path, want := range map[string]bool{
		"/home/u/.cursor/projects/p/agent-transcripts/a.txt":                 true,
		"/home/u/.cursor/projects/p/agent-transcripts/a/a.jsonl":             true,
		"/home/u/.cursor/projects/p/agent-transcripts/a/subagents/b.jsonl":   true,
		"/home/u/.cursor/projects/p/agent-transcripts/a/other/b.jsonl":       false,
		"/home/u/.cursor/projects/p/agent-tools/a.txt":                       false,
		"/home/u/.cursor/projects/p/a.jsonl":                                 false,
		"/home/u/.cursor/mcp.json":                                           false,
		"/home/u/.cursor/chats/h/s/store.db":                                 true,
		"/home/u/.cursor/chats/h/s/other.db":                                 false,
		"/home/u/.config/Cursor/User/globalStorage/state.vscdb":              true,
		"/home/u/.config/Cursor/User/globalStorage/state.vscdb.backup":       false,
		"/home/u/.config/Cursor/User/globalStorage/storage.json":             false,
		"/home/u/.config/Cursor/User/globalStorage/extension.x/state.vscdb":  false,
		"/home/u/.config/Cursor/User/workspaceStorage/hash/state.vscdb":      false,
		"/home/u/.cursor/projects/p/agent-transcripts/a/subagents/x/b.jsonl": false,
	} {
		fstest.Equal(t, ours(path), want, path)
	}
}

// cursorDump is the real dump of a session of the editor.
type cursorDump struct {
	Head, Data   json.RawMessage
	Bubbles      []json.RawMessage
	ContentBlobs map[string]string `json:"content_blobs"`
}

// TestCursorEditorDump puts a real session into a database: the counts equal
// those by SQL, every text is emitted, and nothing of the logins is.
func TestCursorEditorDump(t *testing.T) {
	text, err := os.ReadFile(historytest.RealSessions(t, "same-task-per-agent", "cursor", "convo.json"))
	fstest.Must(t, err)
	var dump cursorDump
	fstest.Must(t, json.Unmarshal(text, &dump))
	home := t.TempDir()
	store, path, db := editorDatabase(t, home)
	data := lazyjson.Parse(dump.Data)
	id := data.Get("composerId").Str
	historytest.Execute(t, db, editorRow, "composerData:"+id, string(dump.Data))
	for _, b := range dump.Bubbles {
		historytest.Execute(t, db, editorRow, "bubbleId:"+id+":"+lazyjson.Parse(b).Get("bubbleId").Str, string(b))
	}
	historytest.Execute(t, db, editorRow, "bubbleId:"+id+":orphan", `{"type":1,"text":"taken back"}`)
	historytest.Execute(t, db, editorRow, "composerData:draft", `{"fullConversationHeadersOnly":[]}`)
	if list := historytest.ListStore(t, store, path); len(list) != 1 {
		t.Fatalf("%d sessions", len(list))
	}
	c := historytest.ReadStore(t, store, path, id)
	counts := historytest.Tally(c.Events)
	for kind, where := range map[event.Kind]string{
		event.User:       `value ->> 'type' = 1 AND value ->> 'text' <> ''`,
		event.Assistant:  `value ->> 'type' = 2 AND value ->> 'text' <> ''`,
		event.Thinking:   `value ->> '$.thinking.text' <> ''`,
		event.ToolCall:   `value ->> '$.toolFormerData.name' <> ''`,
		event.ToolResult: `value ->> '$.toolFormerData.status' IN ('completed', 'error')`,
	} {
		var want int
		fstest.Must(t, db.QueryRow("SELECT count(*) FROM cursorDiskKV WHERE key LIKE 'bubbleId:%' AND key NOT LIKE '%orphan' AND "+where).Scan(&want))
		if counts[string(kind)] != want || want == 0 {
			t.Errorf("%s: %d, by SQL %d", kind, counts[string(kind)], want)
		}
	}
	fstest.Equal(t, counts["failed"], 1, "failed")
	for _, b := range dump.Bubbles {
		v := lazyjson.Parse(b)
		for _, said := range []string{v.Get("text").Str, v.Get("thinking.text").Str, lazyjson.ParseString(v.Get("toolFormerData.result").Str).Get("output").Str} {
			if !historytest.HasText(c.Events, said) {
				t.Errorf("missing: %q", said)
			}
		}
	}
	for sum, text := range dump.ContentBlobs {
		historytest.Execute(t, db, editorRow, contentPrefix+sum, text)
	}
	told := &fileCollector{Collector: &event.Collector{}}
	fstest.Must(t, store.Read(t.Context(), path, id, told))
	if last := len(told.files) - 1; last < 1 || told.files[0].Text != dump.ContentBlobs["ccdfd4caafd51a8e2f6fe99e2471cbb536b6a626e11b5bc04f1768e6f964bd23"] || !told.files[0].Whole || !strings.HasPrefix(told.files[last].Text, "#!/usr/bin/env bash\n") {
		t.Errorf("the files after each edit: %+v", told.files)
	}
	secretFree(t, c)
	if historytest.HasText(c.Events, "taken back") {
		t.Error("a message that is on no list is told")
	}
	if c.Of.Title != "Tool usage exercise walkthrough" || c.Of.Start.UnixMilli() != 1780338796904 || c.Events[0].Time.IsZero() {
		t.Errorf("session %+v", c.Of)
	}
	var started string
	for _, e := range c.Events {
		started += e.Subagent
	}
	fstest.Equal(t, started, data.Get("subagentComposerIds.0").Str, "subagent")

	// With the transcript of the same session nothing is emitted twice, and what
	// was written to files is emitted.
	const only, torn = `{"role":"user","message":{"content":[{"type":"text","text":"only in the transcript"}]}}` + "\n", `{"type":"turn_`
	transcriptOf(t, home, id, dumpTranscript(dump)+only+torn)
	joined := historytest.ReadStore(t, store, path, id)
	if n, m := len(joined.Events), len(c.Events); n != m+1 {
		t.Errorf("%d events joined, %d before:\n  %s", n, m, strings.Join(historytest.Outline(joined.Events), "\n  "))
	}
	last := joined.Events[len(joined.Events)-1]
	fstest.Equal(t, last.Text, "only in the transcript", "last", last)
	secretFree(t, joined)
}

// dumpTranscript returns the transcript that the editor would have written:
// texts, and calls by other names.
func dumpTranscript(dump cursorDump) string {
	var out strings.Builder
	for _, b := range dump.Bubbles {
		v := lazyjson.Parse(b)
		text := strings.TrimSpace(v.Get("text").Str)
		role := "assistant"
		if v.Get("type").Int() == 1 {
			role, text = "user", "<user_query>\n"+text+"\n</user_query>"
		}
		if text != "" {
			fmt.Fprintf(&out, `{"role":%q,"message":{"content":[{"type":"text","text":%s}]}}`+"\n", role, jsonString(text))
		}
		if tool := v.Get("toolFormerData"); tool.Exists() {
			fmt.Fprintf(&out, `{"role":"assistant","message":{"content":[{"type":"tool_use","name":"Other","input":%s}]}}`+"\n", tool.Get("params").Str)
		}
	}
	return out.String()
}

// secretFree checks that nothing of the planted logins is emitted.
func secretFree(t *testing.T, c *event.Collector) {
	t.Helper()
	text, err := json.Marshal(c.Events)
	if err == nil {
		var of []byte
		of, err = json.Marshal(c.Of)
		text = append(text, of...)
	}
	if err != nil || strings.Contains(string(text), "SECRET") || strings.Contains(string(text), "cursorAuth") {
		t.Errorf("a login surfaced (%v)", err)
	}
}

func TestCursorEditor(t *testing.T) {
	home := t.TempDir()
	store, path, db := editorDatabase(t, home)
	historytest.Execute(t, db, editorRow, "composerData:parent", `{"name":"A","createdAt":1780338796904,"lastUpdatedAt":1780338796999,"isArchived":true,"subagentComposerIds":["child"],
		"modelConfig":{"modelName":"model-x"},"workspaceIdentifier":{"uri":{"fsPath":"/src/app"}},
		"fullConversationHeadersOnly":[{"bubbleId":"1","type":1},{"bubbleId":"2","type":2},{"bubbleId":"gone","type":2},{"bubbleId":"3","type":2},{"bubbleId":"4","type":2},{"bubbleId":"5","type":2}]}`)
	historytest.Execute(t, db, editorRow, "composerData:child", `{"conversation":[{"bubbleId":"x","type":1,"text":"old shape"}]}`)
	historytest.Execute(t, db, editorRow, "composerDatb", "not ours")
	for id, b := range map[string]string{
		"1": `{"type":1,"text":"hello","images":[{"path":"/a.png"}]}`,
		"2": `{"type":2,"text":"so","allThinkingBlocks":[{"thinking":"hm"}],"toolFormerData":{"name":"edit","toolCallId":"c1","rawArgs":"{\"a\":1}","params":"{}","status":"running"}}`,
		"3": `{"type":2,"toolFormerData":{"name":"run","toolCallId":"c2","params":"{\"command\":\"ls\"}","status":"cancelled","userDecision":"rejected","error":"{\"clientVisibleErrorMessage\":\"no\"}"}}`,
		"4": `{"type":2,"conversationSummary":{"summary":"what was"},"errorDetails":{"message":"lost"}}`,
		"5": `{"type":2,"text":`,
	} {
		historytest.Execute(t, db, editorRow, "bubbleId:parent:"+id, b)
	}
	c := historytest.ReadStore(t, store, path, "parent")
	historytest.CheckOutline(t, c.Events, "user hello", "user [image] /a.png", "thinking hm", "assistant so", `tool-call edit c1 {"a":1}`,
		`tool-call run c2 {"command":"ls"}`, "tool-result run c2 no FAILED", "compaction what was", "system lost", "unknown not JSON")
	if c.Of.CWD != "/src/app" || !c.Of.Archived || c.Of.Model != "model-x" || !c.Events[0].Time.IsZero() {
		t.Errorf("session %+v", c.Of)
	}
	child := historytest.ReadStore(t, store, path, "child")
	historytest.CheckOutline(t, child.Events, "user old shape")
	fstest.Equal(t, child.Of.Parent, "parent", "child", child.Of)
	stamp := func() string { return historytest.ListStore(t, store, path)[1].Stamp }
	for _, change := range []func(){
		func() {
			historytest.Execute(t, db, "UPDATE cursorDiskKV SET value = ? WHERE key = 'bubbleId:parent:5'", `{"type":2,"text":"longer than before"}`)
		},
		func() { transcriptOf(t, home, "parent", "{}\n") },
	} {
		before := stamp()
		change()
		if stamp() == before {
			t.Error("the stamp did not change")
		}
	}
	historytest.BadDatabases(t, store, "cursorDiskKV")
}

// TestCursorEditorReadsByKey: every query uses the index.
func TestCursorEditorReadsByKey(t *testing.T) {
	_, _, db := editorDatabase(t, t.TempDir())
	for _, query := range []string{
		"SELECT key, value FROM cursorDiskKV WHERE key >= 'composerData:' AND key < 'composerData;'",
		"SELECT octet_length(value) FROM cursorDiskKV WHERE key = 'x'",
	} {
		var a, b, c int
		var plan string
		if err := db.QueryRow("EXPLAIN QUERY PLAN "+query).Scan(&a, &b, &c, &plan); err != nil || !strings.HasPrefix(plan, "SEARCH") {
			t.Errorf("%s: %s, %v", query, plan, err)
		}
	}
}

func TestCursorEditorBesideAWriter(t *testing.T) {
	store, path, db := editorDatabase(t, t.TempDir())
	var headers []string
	add := func(n int) error {
		tx, err := db.Begin()
		if err != nil {
			return err
		}
		for i, bubble := range []string{`{"type":1,"text":"question"}`, `{"type":2,"text":"answer"}`} {
			id := fmt.Sprintf("%d-%d", n, i)
			headers = append(headers, fmt.Sprintf(`{"bubbleId":%q}`, id))
			if _, err := tx.Exec(editorRow, "bubbleId:a:"+id, bubble); err != nil {
				return err
			}
		}
		if _, err := tx.Exec(editorRow, "composerData:a", `{"fullConversationHeadersOnly":[`+strings.Join(headers, ",")+`]}`); err != nil {
			return err
		}
		return tx.Commit()
	}
	historytest.BesideAWriter(t, store, path, "a", add, func(events []event.Event) error {
		if len(events)%2 != 0 {
			return fmt.Errorf("half a transaction: %d events", len(events))
		}
		return nil
	})
}

func TestJoinCursor(t *testing.T) {
	said := func(kind event.Kind, text string) event.Event { return event.Event{Kind: kind, Text: text} }
	call := func(id, name, input string) event.Event {
		return event.Event{Kind: event.ToolCall, Call: &event.Call{ID: id, Name: name, Input: input}}
	}
	u, a := event.User, event.Assistant
	for _, c := range []struct {
		name                       string
		database, transcript, want []event.Event
	}{
		{"the same", []event.Event{said(u, "go"), said(a, "x\n"), said(u, "go")}, []event.Event{said(u, "go"), said(a, "x"), said(u, "go")},
			[]event.Event{said(u, "go"), said(a, "x\n"), said(u, "go")}},
		{"only in the transcript", []event.Event{said(u, "one"), said(a, "three")}, []event.Event{said(u, "zero"), said(u, "one"), said(a, "two"), said(a, "three"), said(u, "four")},
			[]event.Event{said(u, "zero"), said(u, "one"), said(a, "two"), said(a, "three"), said(u, "four")}},
		{"only in the database", []event.Event{said(u, "one"), said(event.Thinking, "hm"), said(a, "two")}, []event.Event{said(u, "one")},
			[]event.Event{said(u, "one"), said(event.Thinking, "hm"), said(a, "two")}},
		{"calls of other names", []event.Event{said(u, "one"), call("c", "run", `{"command":"ls","cwd":""}`), said(a, "two")},
			[]event.Event{said(u, "one"), call("", "Shell", `{"command":"ls"}`), said(a, "two")},
			[]event.Event{said(u, "one"), call("c", "run", `{"command":"ls","cwd":""}`), said(a, "two")}},
		{"a call that the database lacks", []event.Event{said(u, "one"), call("c", "run", `{"command":"pwd"}`)},
			[]event.Event{said(u, "one"), call("", "Shell", `{"command":"make"}`), call("", "Shell", `{"command":"pwd"}`)},
			[]event.Event{said(u, "one"), call("", "Shell", `{"command":"make"}`), call("c", "run", `{"command":"pwd"}`)}},
		{"a text in two parts", []event.Event{said(a, "the first half of it"), said(a, "the second half of it")}, []event.Event{said(a, "the first half of it the second half of it")},
			[]event.Event{said(a, "the first half of it"), said(a, "the second half of it")}},
		{"nothing in the database", nil, []event.Event{said(u, "one")}, []event.Event{said(u, "one")}},
	} {
		got, want := historytest.Outline(joinEvents(c.database, c.transcript)), historytest.Outline(c.want)
		fstest.Equal(t, strings.Join(got, "|"), strings.Join(want, "|"), c.name)
	}
}

func FuzzCursor(f *testing.F) {
	f.Add(`{"role":"user","message":{"content":[{"type":"text","text":"<user_query>x</user_query>"}]}}`, `{"type":2,"text":"x","toolFormerData":{"name":"a","params":"{}","result":"{}"}}`)
	f.Add("user:\nx\nassistant:\n[Thinking] a\n[Tool call] B\n  c\n[Tool result] B\n", `{"type":1,"thinking":"x","images":[7],"errorDetails":{}}`)
	f.Fuzz(func(t *testing.T, text, bubble string) {
		historytest.CheckEvents(t, func(out event.Sink) {
			c := collector{}
			c.bubble(editorMessage{"b", bubble})
			emitAll(joinEvents(c.events, transcriptLines([]byte(text))), out)
			emitAll(joinEvents(transcriptText(text), c.events), out)
		})
	})
}

// TestCursorSchemas reads databases with more, fewer and other tables and columns
// than the known ones.
func TestCursorSchemas(t *testing.T) {
	meta := hex.EncodeToString([]byte(`{"agentId":"c","latestRootBlobId":"none","name":"t"}`))
	said := []string{`INSERT INTO blobs VALUES ('b1', '{"role":"user","content":"hello"}')`, `INSERT INTO blobs VALUES ('b2', '{"role":"assistant","content":"hi"}')`}
	home := t.TempDir()
	h := homeFolder(home)
	for name, c := range map[string]struct {
		store  history.Store
		tables []string
		id     string
		lacks  string
	}{
		"a chat of cursor, without what is said of it": {h.chats(), append([]string{`CREATE TABLE blobs (id, data, mood)`, `CREATE TABLE x (y)`},
			strings.Replace(said[0], ")'", ")", 1)[:len(said[0])-1]+`, 1)`, said[1][:len(said[1])-1]+`, 1)`), "folder", `no table "meta"`},
		"a chat of cursor, without its root": {h.chats(), append([]string{`CREATE TABLE meta (key, value)`, `CREATE TABLE blobs (id, data)`,
			`INSERT INTO meta VALUES ('0', '` + meta + `')`}, said...), "c", ""},
		"the editor of cursor, another table": {h.editor(), []string{`CREATE TABLE cursorDiskKV2 (key, value, mood)`,
			`INSERT INTO cursorDiskKV2 VALUES ('composerData:c', '{"fullConversationHeadersOnly":[{"bubbleId":"1"},{"bubbleId":"2"}]}', 1)`,
			`INSERT INTO cursorDiskKV2 VALUES ('bubbleId:c:1', '{"type":1,"text":"hello"}', 1)`, `INSERT INTO cursorDiskKV2 VALUES ('bubbleId:c:2', '{"type":2,"text":"hi"}', 1)`}, "c", "cursorDiskKV2"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(home, fmt.Sprintf("%x", name), "folder", "data.db")
			historytest.MakeDatabase(t, path, c.tables...)
			c := historytest.CheckSchema(t, c.store, path, c.id, c.lacks)
			historytest.CheckOutline(t, c.Events, "user hello", "assistant hi")
		})
	}
}

// fileCollector also collects what was in files.
type fileCollector struct {
	*event.Collector
	files []event.File
}

func (c *fileCollector) File(_ string, f event.File) { c.files = append(c.files, f) }
