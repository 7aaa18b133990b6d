package agents

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/event"
)

// TestShapes reads databases of Kiro and Cursor with more, fewer and other
// tables and columns than are known.
func TestShapes(t *testing.T) {
	const conversation = `{"conversation_id":"c","history":[{"user":{"content":{"Prompt":{"prompt":"hello"}}},"assistant":{"Response":{"message_id":"m","content":"hi"}}}]}`
	meta := hex.EncodeToString([]byte(`{"agentId":"c","latestRootBlobId":"none","name":"t"}`))
	said := []string{`INSERT INTO blobs VALUES ('b1', '{"role":"user","content":"hello"}')`, `INSERT INTO blobs VALUES ('b2', '{"role":"assistant","content":"hi"}')`}
	home := t.TempDir()
	h := cursorHome(home)
	for name, c := range map[string]struct {
		store  history.Store
		tables []string
		id     string
		lacks  string
	}{
		"kiro, more columns": {kiroDatabase("data.sqlite3").(history.Store), []string{`CREATE TABLE conversations_v2 (key, conversation_id, value, created_at, updated_at, mood)`,
			`INSERT INTO conversations_v2 VALUES ('/w', 'c', '` + conversation + `', 1, 1, 'glad')`}, "c", ""},
		"kiro, no id": {kiroDatabase("data.sqlite3").(history.Store), []string{`CREATE TABLE conversations_v2 (key, value)`,
			`INSERT INTO conversations_v2 VALUES ('/w', '` + conversation + `')`}, "c", ""},
		"kiro, a later version": {kiroDatabase("data.sqlite3").(history.Store), []string{`CREATE TABLE conversations_v3 (key, conversation_id, value)`,
			`INSERT INTO conversations_v3 VALUES ('/w', 'c', '` + conversation + `')`}, "c", "conversations_v3"},
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
			makeDatabase(t, path, c.tables...)
			list, err := c.store.Sessions(context.Background(), path)
			var partial *history.Partial
			if c.lacks == "" && err != nil || c.lacks != "" && (!errors.As(err, &partial) || !strings.Contains(err.Error(), c.lacks)) {
				t.Errorf("it lacks %q: %v", c.lacks, err)
			}
			if len(list) != 1 || list[0].ID != c.id {
				t.Fatalf("%+v", list)
			}
			out := &event.Collector{Of: list[0].Session}
			if err := c.store.Read(context.Background(), path, list[0].Key, out); err != nil {
				t.Fatal(err)
			}
			tells(t, out.Events, "user hello", "assistant hi")
		})
	}
}
