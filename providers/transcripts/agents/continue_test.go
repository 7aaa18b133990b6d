package agents

import (
	"strings"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/agents/historytest"
	"ctxfs/providers/transcripts/event"
)

const continueSession = `{"sessionId":"s1","title":"The fix","workspaceDirectory":"file:///w","chatModelTitle":"m","history":[
 {"message":{"id":"1","role":"user","content":[{"type":"text","text":"fix it"},{"type":"imageUrl","imageUrl":{"url":"data:image/png;base64,QUJD"}}]},"contextItems":[{"name":"a.go","description":"a.go","content":"package a"}]},
 {"message":{"id":"2","role":"thinking","content":"hm"},"contextItems":[]},
 {"message":{"id":"3","role":"assistant","content":"","toolCalls":[{"id":"t1","type":"function","function":{"name":"read","arguments":"{\"p\":1}"}}]},"contextItems":[],"promptLogs":[{"modelTitle":"m2"}],
  "toolCallStates":[{"toolCallId":"t1","toolCall":{"id":"t1","function":{"name":"read","arguments":"{\"p\":1}"}},"status":"done","output":[{"name":"a","content":"one"},{"name":"b","content":"two"}]}]},
 {"message":{"id":"4","role":"assistant","content":"so"},"reasoning":{"text":"deep","startAt":1783376868000},
  "toolCallStates":[{"toolCallId":"t2","toolCall":{"function":{"name":"run","arguments":"{}"}},"status":"errored","output":[{"content":"told twice"}]},
   {"toolCallId":"t3","toolCall":{"function":{"name":"run","arguments":"{}"}},"status":"calling"},
   {"toolCallId":"t4","toolCall":{"function":{"name":"run","arguments":"{}"}},"status":"canceled"}]},
 {"message":{"role":"tool","toolCallId":"t2","content":"told once"}},
 {"message":{"role":"assistant","content":"done"},"conversationSummary":"all of it"},
 {"message":{"role":"system","content":"be good"}},
 {"message":{"role":"dream"}}
]}`

func TestContinue(t *testing.T) {
	l, c := historytest.ReadOne(t, continueFile("s1.json"), historytest.WriteFile(t, t.TempDir(), "s1.json", continueSession))
	want := "user/injected a.go⏎package a\nuser fix it\nuser [image/png 3 bytes]\nthinking hm\n" +
		"tool-call t1 read {\"p\":1}\ntool-result t1 read one⏎two\n" +
		"thinking deep\nassistant so\ntool-call t2 run {}\ntool-call t3 run {}\ntool-call t4 run {}\ntool-result t4 run canceled FAILED\n" +
		"tool-result t2 run told once FAILED\nassistant done\ncompaction  0 all of it\nsystem (quiet) be good\nunknown message of dream\n"
	fstest.Equal(t, historytest.Lines(c.Events), want)
	if l.ID != "s1" || l.Title != "The fix" || l.CWD != "/w" || c.Of.Model != "m" || c.Of.Start.UnixMilli() != 1783376868000 {
		t.Errorf("listed %+v, read %+v", l, c.Of)
	}
}

func TestContinuePlaces(t *testing.T) {
	for _, rel := range []string{"sessions.json", "x/s.json", "s.jsonl", "config.yaml"} {
		if continueFile(rel) != nil {
			t.Errorf("%s would be opened", rel)
		}
	}
}

func FuzzContinue(f *testing.F) {
	dir := f.TempDir()
	historytest.FuzzText(f, func(t *testing.T, text string) {
		path := historytest.WriteFile(t, dir, "s.json", text)
		_, _ = continueSessions(t.Context(), path)
		_ = continueRead(t.Context(), path, "", &event.Collector{})
	}, continueSession)
}

// TestHalfWrittenDocuments: reading a half-written file is an error.
func TestHalfWrittenDocuments(t *testing.T) {
	dir := t.TempDir()
	for rel, store := range map[string]history.Format{
		"sessions/x.json":    continueFile("x.json"),
		"threads/T-abc.json": ampFile("T-abc.json"),
	} {
		for _, text := range []string{"", `[{"role":"us`, `{"messages":[{"role":"user"`} {
			path := historytest.WriteFile(t, dir, rel, text)
			if err := store.(history.Store).Read(t.Context(), path, "", &event.Collector{}); err == nil || !strings.Contains(err.Error(), path) {
				t.Errorf("%s with %q: %v", rel, text, err)
			}
		}
	}
}
