package agents

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/lazyjson"
	"ctxfs/providers/internal/zstd"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/agents/historytest"
	"ctxfs/providers/transcripts/event"
)

const zedSchema = `CREATE TABLE threads (id TEXT PRIMARY KEY, summary TEXT NOT NULL, updated_at TEXT NOT NULL, data_type TEXT NOT NULL, data BLOB NOT NULL,
	parent_id TEXT, folder_paths TEXT, folder_paths_order TEXT, created_at TEXT)`

const zedThreadJSON = `{"version":"0.3.0","title":"Why it fails","updated_at":"2026-02-03T04:05:06Z","model":{"provider":"p","model":"model-x"},"messages":[
	{"User":{"id":"u1","content":[{"Text":"why?"},{"Mention":{"uri":{"File":{"abs_path":"/a.go"}},"content":"package a"}},{"Image":{"source":"AAAA"}}]}},
	{"Agent":{"content":[{"Thinking":{"text":"hm","signature":"s"}},{"RedactedThinking":"x"},{"Text":"I look."},
		{"ToolUse":{"id":"t1","name":"grep","raw_input":"{\"re\":","input":{"regex":"x"},"is_input_complete":true}},
		{"ToolUse":{"id":"t2","name":"read","raw_input":"{\"p\":1","input":null,"is_input_complete":false}}],
		"tool_results":{"t1":{"tool_use_id":"t1","tool_name":"grep","is_error":true,"content":{"Text":"found"},"output":null},
			"t2":{"tool_use_id":"t2","tool_name":"read","is_error":false,"content":[{"Text":"a"},{"Image":{"source":"AAAA"}}],"output":"a"}}}},
	"Resume",{"Novel":{"x":1}}]}`

func zedStore(t testing.TB) (history.Store, string) {
	home := t.TempDir()
	path := filepath.Join(home, ".local", "share", "zed", "threads", "threads.db")
	return historytest.StoreAt(t, zed(), historytest.Linux(home), path), path
}

func compressed(t testing.TB, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b)
	if err == nil {
		_, err = w.Write([]byte(text))
	}
	if err == nil {
		err = w.Close()
	}
	fstest.Must(t, err)
	return b.Bytes()
}

func TestZed(t *testing.T) {
	store, path := zedStore(t)
	db := historytest.MakeDatabase(t, path, zedSchema)
	insert := "INSERT INTO threads (id, summary, updated_at, data_type, data, parent_id, folder_paths, created_at) VALUES (?, ?, '2026-02-03T04:05:06+00:00', ?, ?, ?, '/src/app' || char(10) || '/src/other', '2026-02-03T04:00:00+00:00')"
	historytest.Execute(t, db, insert, "a", "Why it fails", "zstd", compressed(t, zedThreadJSON), nil)
	historytest.Execute(t, db, insert, "b", "", "json", []byte(`{"version":"0.2.0","summary":"Old","messages":[
		{"id":1,"role":"user","segments":[{"type":"text","text":"hello"}],"context":"files","tool_uses":[],"tool_results":[]},
		{"id":2,"role":"assistant","segments":[{"type":"thinking","text":"so"},{"type":"text","text":"hi"}],
			"tool_uses":[{"id":"t1","name":"ls","input":{}}],"tool_results":[{"tool_use_id":"t1","is_error":false,"content":"a\nb"}]}]}`), "a")
	historytest.Execute(t, db, insert, "c", "", "lz4", []byte("x"), nil)
	historytest.Execute(t, db, insert, "d", "", "zstd", []byte("not compressed"), nil)
	historytest.Execute(t, db, insert, "e", "", "json", []byte("{"), nil)
	a := historytest.ReadStore(t, store, path, "a")
	historytest.CheckOutline(t, a.Events, "user why?", `user (injected) [mention] {"File":{"abs_path":"/a.go"}}`+"\npackage a", "user [image 3 bytes]",
		"thinking hm", "assistant I look.", `tool-call grep t1 {"regex":"x"}`, `tool-call read t2 {"p":1`,
		"tool-result grep t1 found FAILED", "tool-result read t2 a\n[image 3 bytes]", "unknown Novel")
	if a.Of.Title != "Why it fails" || a.Of.CWD != "/src/app" || a.Of.Model != "model-x" || a.Of.Start.Hour() != 4 || !a.Events[0].Time.IsZero() {
		t.Errorf("session %+v", a.Of)
	}
	b := historytest.ReadStore(t, store, path, "b")
	historytest.CheckOutline(t, b.Events, "user (injected) files", "user hello", "thinking so", "assistant hi", "tool-call ls t1 {}", "tool-result ls t1 a\nb")
	if b.Of.Parent != "a" || b.Of.Title != "Old" {
		t.Errorf("session %+v", b.Of)
	}
	for id, words := range map[string]string{"c": `unknown type "lz4"`, "d": "zstd", "e": "not JSON"} {
		if err := store.Read(context.Background(), path, id, &event.Collector{}); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("thread %s: %v", id, err)
		}
	}
	before := historytest.ListStore(t, store, path)[0].Stamp
	historytest.Execute(t, db, "UPDATE threads SET data = ? WHERE id = 'a'", compressed(t, zedThreadJSON+"   "))
	if historytest.ListStore(t, store, path)[0].Stamp == before {
		t.Error("the stamp did not change")
	}
	historytest.BadDatabases(t, store, "threads")
}

func TestZedOnMacOS(t *testing.T) {
	m := historytest.Linux("/Users/u")
	m.OS = "darwin"
	fstest.Equal(t, zed().Places(m)[0].Dir, "/Users/u/Library/Application Support/Zed/threads")
}

func FuzzZedThread(f *testing.F) {
	historytest.FuzzText(f, func(t *testing.T, text string) {
		if !lazyjson.Valid([]byte(text)) {
			return
		}
		historytest.CheckEvents(t, func(out event.Sink) { zedThread(lazyjson.ParseString(text), out) })
	}, zedThreadJSON, `{"messages":[{"role":"user","segments":[{}]},{"User":{"content":["x",{}]}},{"Agent":{"content":{"Text":1}}},7,null]}`)
}
