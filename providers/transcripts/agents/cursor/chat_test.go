package cursor

import (
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/transcripts/agents/historytest"
)

// chatRoot returns a root that lists messages.
func chatRoot(messages [][]byte, summaries int) []byte {
	root := []byte{0x10, 0x05} // a number, which is passed over
	for _, id := range messages {
		root = append(append(root, 0x0a, byte(len(id))), id...)
	}
	for range summaries {
		root = append(root, 0x6a, 1, 'x')
	}
	return root
}

func TestCursorChat(t *testing.T) {
	home := t.TempDir()
	const id = "f1ff7b74-0a28-4dd4-a452-e01ae080eb20"
	path := filepath.Join(home, ".cursor", "chats", "36e6", id, "store.db")
	store := historytest.StoreAt(t, Agent(), historytest.Linux(home), path)
	db := historytest.MakeDatabase(t, path, "CREATE TABLE blobs (id TEXT PRIMARY KEY, data BLOB)", "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT)")
	historytest.WriteFile(t, filepath.Dir(path), "meta.json", `{"schemaVersion":1,"createdAtMs":1780000000000,"updatedAtMs":1780000001000,"cwd":"/src/app"}`)
	var ids [][]byte
	for i, m := range []string{
		`{"role":"system","content":"the prompt of the program"}`,
		`{"role":"user","content":"<user_query>\nbefore the summary\n</user_query>"}`,
		`{"role":"assistant","content":[{"type":"text","text":"it gr"}]}`,
		`{"role":"assistant","content":[{"type":"text","text":"it grew"}]}`,
		`{"role":"user","content":[{"type":"text","text":"<user_info>\nOS: linux\n</user_info>"},{"type":"text","text":"<user_query>go on</user_query>"}]}`,
		`{"role":"assistant","content":[{"type":"reasoning","text":"hm"},{"type":"redacted-reasoning","data":"x"},{"type":"text","text":"so"},{"type":"tool-call","toolCallId":"c1","toolName":"Shell","args":{"command":"ls"}}]}`,
		`{"role":"tool","content":[{"type":"tool-result","toolCallId":"c1","toolName":"Shell","result":"a b","isError":true}]}`,
		`{"role":"assistant","content":[{"type":"text","text":"done"},{"type":"novel"}]}`,
	} {
		key := make([]byte, 32)
		key[0] = byte(i + 1)
		ids = append(ids, key)
		historytest.Execute(t, db, "INSERT INTO blobs VALUES (?, ?)", hex.EncodeToString(key), []byte(m))
	}
	root := strings.Repeat("ff", 32)
	historytest.Execute(t, db, "INSERT INTO blobs VALUES (?, ?)", root, chatRoot(append([][]byte{ids[0]}, ids[4:]...), 1))
	historytest.Execute(t, db, "INSERT INTO blobs VALUES ('other', ?)", []byte{8, 1, '{'})
	meta := fmt.Sprintf(`{"agentId":%q,"latestRootBlobId":%q,"name":"A chat","createdAt":1780000000000,"lastUsedModel":"model-x","blobEncryptionKey":"SECRET"}`, id, root)
	historytest.Execute(t, db, "INSERT INTO meta VALUES ('0', ?)", hex.EncodeToString([]byte(meta)))
	want := []string{"user before the summary", "assistant it grew", "compaction ",
		"user (injected) <user_info>\nOS: linux\n</user_info>", "user go on", "thinking hm", "assistant so",
		`tool-call Shell c1 {"command":"ls"}`, "tool-result Shell c1 a b FAILED", "assistant done", "unknown novel"}
	c := historytest.ReadStore(t, store, path, id)
	historytest.CheckOutline(t, c.Events, want...)
	secretFree(t, c)
	if c.Of.CWD != "/src/app" || c.Of.Title != "A chat" || c.Of.Model != "model-x" || c.Of.Last.UnixMilli() != 1780000001000 {
		t.Errorf("session %+v", c.Of)
	}
	before := historytest.ListStore(t, store, path)[0].Stamp
	transcriptOf(t, home, id, `{"role":"user","message":{"content":[{"type":"text","text":"<user_query>\ngo on\n</user_query>"}]}}
{"role":"assistant","message":{"content":[{"type":"text","text":"so"},{"type":"tool_use","name":"Shell","input":{"command":"ls"}}]}}
{"role":"assistant","message":{"content":[{"type":"text","text":"done"}]}}
{"role":"user","message":{"content":[{"type":"text","text":"<user_query>\nmore\n</user_query>"}]}}
`)
	if historytest.ListStore(t, store, path)[0].Stamp == before {
		t.Error("the stamp did not change with the transcript")
	}
	historytest.CheckOutline(t, historytest.ReadStore(t, store, path, id).Events, append(want, "user more")...)
	historytest.BadDatabases(t, store, "blobs")
}

// TestCursorChatReal reads a real database, whose messages were removed.
func TestCursorChatReal(t *testing.T) {
	home := t.TempDir()
	fixtures := historytest.RealSessions(t, "small-fixtures", "cursor-store")
	text, err := os.ReadFile(filepath.Join(fixtures, "test-store.db"))
	fstest.Must(t, err)
	path := historytest.WriteFile(t, home, ".cursor/chats/hash/session/store.db", string(text))
	store := historytest.StoreAt(t, Agent(), historytest.Linux(home), path)
	list := historytest.ListStore(t, store, path)
	if len(list) != 1 || list[0].Title != "Test Session" || list[0].Model != "claude-4-sonnet" || list[0].Start.IsZero() {
		t.Fatalf("%+v", list)
	}
	historytest.CheckOutline(t, historytest.ReadStore(t, store, path, list[0].ID).Events)
	words, err := os.ReadFile(filepath.Join(fixtures, "test-session.jsonl"))
	fstest.Must(t, err)
	transcriptOf(t, home, list[0].ID, string(words))
	if events := historytest.Outline(historytest.ReadStore(t, store, path, list[0].ID).Events); len(events) != 7 {
		t.Errorf("with its transcript: %q", events)
	}
}

func FuzzProto(f *testing.F) {
	f.Add(chatRoot([][]byte{make([]byte, 32)}, 2))
	f.Add([]byte{0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01})
	f.Add([]byte{0x09, 1, 2, 3, 4, 5, 6, 7, 8, 0x0d, 1, 2, 3, 4, 0x0b})
	f.Fuzz(func(t *testing.T, message []byte) {
		total := 0
		if err := protoFields(message, func(field int, value []byte) {
			if field <= 0 {
				t.Errorf("field %d", field)
			}
			total += len(value)
		}); err == nil && total > len(message) {
			t.Errorf("%d bytes of %d", total, len(message))
		}
		_, _ = chatEvents([]chatBlob{{"00", `{"role":"user","content":"x"}`}}, message)
	})
}
