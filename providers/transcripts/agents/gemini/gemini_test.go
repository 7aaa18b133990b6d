package gemini

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/agents/historytest"
	"ctxfs/providers/transcripts/agents/records"
	"ctxfs/providers/transcripts/event"
)

func openNowhere() history.Reader { return open("") }

const head = `{"sessionId":"s","projectHash":"h","startTime":"2026-01-02T03:04:05Z","kind":"main"}`

func TestGeminiPlaces(t *testing.T) {
	p := Agent().Places(history.Machine{Home: "/h", LookupEnv: func(string) (string, bool) { return "", false }})[0]
	fstest.Equal(t, p.Dir, "/h/.gemini/tmp")
	if f, ok := p.File("slug/chats/session-2026-01-02T03-04-abcdef01.jsonl").(history.Log); !ok || f.ID != "" || !f.KeepTexts {
		t.Errorf("%+v", f)
	}
	if f, ok := p.File("slug/chats/session-2025-01-02T03-04-abcdef01.json").(history.Store); !ok || f.Rank >= 2 {
		t.Errorf("%+v", f)
	}
	if f, ok := p.File("slug/chats/parent/child.jsonl").(history.Log); !ok || f.ID != "child" || f.Parent != "parent" {
		t.Errorf("%+v", f)
	}
	for _, rel := range []string{"slug/logs.json", "slug/chats/x.json", "slug/chats/parent/child.json", "slug/tool-outputs/session-s/x.txt", "oauth_creds.json"} {
		if p.File(rel) != nil {
			t.Errorf("%s is opened", rel)
		}
	}
	for rel, skip := range map[string]bool{"slug": false, "slug/chats": false, "slug/chats/parent": false, "slug/tool-outputs": true, "slug/chats/parent/x": true} {
		fstest.Equal(t, p.Skip(rel), skip, "skip", rel, !skip)
	}
}

func TestGeminiNewerVersions(t *testing.T) {
	call := func(rest string) string {
		return `{"id":"g","type":"gemini","content":"I look.","thoughts":[{"subject":"Plan","description":"look"}],"toolCalls":[{"id":"c","name":"ls","args":{"p":"."}` + rest + `}]}`
	}
	c := historytest.RoundTrip(t, openNowhere, historytest.LogOf(
		head,
		`{"id":"u","timestamp":"2026-01-02T03:04:06Z","type":"user","content":[{"text":"look"}]}`,
		`{"$set":{"lastUpdated":"2026-01-02T03:04:07Z"}}`,
		`{"id":"g","type":"gemini","content":"I","model":"gemini-3"}`,
		`{"id":"g","type":"gemini","content":"I look.","model":"gemini-3"}`,
		call(`,"status":"executing"`),
		call(`,"status":"success","result":[{"functionResponse":{"id":"c","response":{"output":"a.txt"}}}]`),
		call(`,"status":"success","result":[{"functionResponse":{"id":"c","response":{"output":"a.txt"}}}]`),
		`{"id":"g2","type":"gemini","content":"I look."}`,
		`{"id":"g2","type":"gemini","content":"Something else."}`,
		`{"$set":{"summary":"Looking around"}}`,
	))
	historytest.CheckShown(t, c.Events, `
		user "look"
		assistant "I"
		assistant " look."
		thinking "Plan\nlook"
		tool-call c ls {"p":"."}
		tool-result c ls "a.txt"
		assistant "I look."
		assistant "Something else."`)
	if c.Of.ID != "s" || c.Of.Title != "Looking around" || c.Of.Model != "gemini-3" || !c.Of.Start.Equal(records.ParseTime("2026-01-02T03:04:05Z")) {
		t.Errorf("%+v", c.Of)
	}
}

func TestGeminiCompressionAndRewind(t *testing.T) {
	c := historytest.RoundTrip(t, openNowhere, historytest.LogOf(
		head, // 1
		`{"id":"u1","type":"user","content":"one"}`,
		`{"id":"g1","type":"gemini","content":"1","toolCalls":[{"id":"c","name":"cat","args":{},"status":"success","result":[{"functionResponse":{"id":"c","response":{"output":"long long"}}}]}]}`, // 3, 4, 5
		// Outputs are masked: no compression.
		`{"$set":{"messages":[{"id":"u1","type":"user","content":[{"text":"one"}]},{"id":"g1","type":"gemini","content":[{"text":"1"}],"toolCalls":[{"id":"c","name":"cat","args":{},"result":[{"functionResponse":{"id":"c","response":{"output":"masked"}}}]}]},{"id":"x1","type":"user","content":[{"functionResponse":{"id":"c","response":{"output":"masked"}}}]}]}}`, // 6
		`{"$set":{"messages":[{"id":"x2","type":"user","content":[{"text":"<state_snapshot>much</state_snapshot>"}]},{"id":"x3","type":"gemini","content":[{"text":"Got it."}]}]}}`,                                                                                                                                                                                        // 7, 8
		`{"id":"u2","type":"user","content":"two"}`,        // 9
		`{"id":"g2","type":"gemini","content":"2"}`,        // 10
		`{"$rewindTo":"u2"}`,                               // 11
		`{"id":"u3","type":"user","content":"two, again"}`, // 12
		`{"$rewindTo":"unknown"}`,
	))
	historytest.CheckShown(t, c.Events, `
		user "one"
		assistant "1"
		tool-call c cat {}
		tool-result c cat "long long"
		compaction "" 0 "<state_snapshot>much</state_snapshot>"
		assistant "Got it."
		user "two"
		assistant "2"
		rewind to 8, 0
		user "two, again"
		rewind to 0, 0`)
}

func TestGeminiResults(t *testing.T) {
	c := historytest.RoundTrip(t, openNowhere, historytest.LogOf(
		`{"id":"g","type":"gemini","content":"","toolCalls":[{"id":"a","name":"x","args":{},"status":"error","result":[{"functionResponse":{"id":"a","response":{"error":"not there"}}}]},`+
			`{"id":"b","name":"x","args":{},"status":"cancelled","resultDisplay":"stopped"},`+
			`{"id":"c","name":"sh","args":{},"status":"success","result":[{"functionResponse":{"id":"c","response":{"output":"Output: no\nExit Code: 1"}}}]},`+
			`{"id":"d","name":"read","args":{},"status":"success","result":[{"functionResponse":{"id":"d","response":{"output":"cut. For full output see: /h/.gemini/tmp/s/tool-outputs/session-s/read_1.txt"}}},{"inlineData":{"mimeType":"image/png","data":"AAAA"}}]},`+
			`{"id":"e","name":"agent","args":{},"agentId":"kid","status":"success","result":[{"functionResponse":{"id":"e","response":{"output":"done"}}}]}]}`,
		`{"id":"i","type":"info","content":"Request cancelled."}`,
		`{"id":"f","type":"error","content":"quota"}`,
		`{"id":"z","type":"from_the_future"}`,
		`{"x":1}`,
	))
	historytest.CheckShown(t, c.Events, `
		tool-call a x {}
		tool-result a x failed "not there"
		tool-call b x {}
		tool-result b x failed "stopped"
		tool-call c sh {}
		tool-result c sh failed "Output: no\nExit Code: 1"
		tool-call d read {}
		tool-result d read "cut. For full output see: /h/.gemini/tmp/s/tool-outputs/session-s/read_1.txt\n[image/png 3 bytes]"
		tool-call e agent {}
		tool-result e agent "done"
		system "Request cancelled."
		system "error: quota"
		unknown "from_the_future"
		unknown`)
	for _, e := range c.Events {
		if e.Result != nil && e.Result.CallID == "d" && e.Result.Spill != "/h/.gemini/tmp/s/tool-outputs/session-s/read_1.txt" {
			t.Errorf("the whole output is at %q", e.Result.Spill)
		}
		if e.Call != nil && e.Call.ID == "e" && e.Subagent != "kid" {
			t.Errorf("the subagent is %q", e.Subagent)
		}
	}
}

func TestGeminiTypedAndPutIn(t *testing.T) {
	c := historytest.RoundTrip(t, openNowhere, historytest.LogOf(
		`{"id":"u","type":"user","content":[{"text":"read @a"},{"text":"--- Content from referenced files ---\nwords"}],"displayContent":[{"text":"read @a"}]}`))
	historytest.CheckShown(t, c.Events, `
		user "read @a"
		user (injected) "--- Content from referenced files ---\nwords"`)
	fstest.Equal(t, c.Of.Title, "read @a", "title")
}

func TestGeminiProject(t *testing.T) {
	root := t.TempDir()
	chats := filepath.Join(root, "tmp", "slug", "chats", "parent")
	fstest.Must(t, os.MkdirAll(chats, 0o700))
	log := filepath.Join(chats, "child.jsonl")
	write := func(name, text string) {
		t.Helper()
		fstest.Must(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o600))
	}
	fstest.Equal(t, workingFolder(log, ""), "", "no project")
	write("projects.json", `{"projects":{"/other":"o","/w/by-name":"slug"}}`)
	fstest.Equal(t, workingFolder(log, ""), "/w/by-name", "by name")
	write("projects.json", `{"projects":{"/w/by-hash":"x"}}`)
	fstest.Equal(t, workingFolder(log, "a12f33f8ef8c2a3f6f0bd2c5e1f3d8f1"), "", "by a wrong hash")
	write("tmp/slug/.project_root", "/w/by-file\n")
	fstest.Equal(t, workingFolder(log, ""), "/w/by-file", "by file")
}

func TestGeminiOldFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "session-2025-01-02T03-04-abcdef01.json")
	text := `{"sessionId":"old","startTime":"2025-01-02T03:04:05Z","lastUpdated":"2025-01-02T04:04:05Z","messages":[
		{"id":"1","timestamp":"2025-01-02T03:04:06Z","type":"user","content":"hello"},
		{"id":"2","type":"model","parts":[{"text":"hi"}]},
		{"id":"3","type":"model","parts":[{"text":"hi"}]}]}`
	fstest.Must(t, os.WriteFile(path, []byte(text), 0o600))
	list, err := listSessions(context.Background(), path)
	if err != nil || len(list) != 1 || list[0].ID != "old" || list[0].Key != "old" || !list[0].Last.Equal(records.ParseTime("2025-01-02T04:04:05Z")) {
		t.Fatalf("%+v, %v", list, err)
	}
	c := &event.Collector{}
	fstest.Must(t, readSession(context.Background(), path, "old", c))
	historytest.CheckShown(t, c.Events, `
		user "hello"
		assistant "hi"
		assistant "hi"`)
	fstest.Must(t, os.WriteFile(path, []byte(text[:50]), 0o600))
	if _, err := listSessions(context.Background(), path); err == nil {
		t.Error("half a file is listed")
	}
}

// TestGeminiBegins: versions of late 2026 write the first messages, which the
// program made, as if they replaced others.
func TestGeminiBegins(t *testing.T) {
	out := historytest.RoundTrip(t, func() history.Reader { return &reader{} }, historytest.LogOf(
		`{"sessionId":"s","projectHash":"h","startTime":"2026-11-22T08:49:02Z","kind":"main"}`,
		`{"$set":{"messages":[{"id":"m0","timestamp":"2026-11-22T08:49:02Z","type":"user","content":[{"text":"<session_context>\nThis is the Gemini CLI.\n</session_context>"}]}]}}`,
		`{"id":"m1","timestamp":"2026-11-22T08:49:03Z","type":"user","content":[{"text":"why?"}]}`,
	))
	historytest.CheckOutline(t, out.Events, "user (injected) <session_context>\nThis is the Gemini CLI.\n</session_context>", "user why?")
}

func FuzzGemini(f *testing.F) {
	historytest.FuzzLog(f, openNowhere,
		historytest.LogOf(head, `{"id":"u","type":"user","content":[{"text":"x"}],"displayContent":"y"}`, `{"$rewindTo":"u"}`),
		historytest.LogOf(`{"id":"g","type":"gemini","content":"a","toolCalls":[{"id":"c","result":[{"functionResponse":{"response":{"output":"x"}}}]}]}`,
			`{"id":"g","type":"gemini","content":"ab"}`),
		historytest.LogOf(`{"$set":{"messages":[{"id":"x","type":"user","content":[{"text":"s"}]},{"id":"y","type":"gemini","content":"z"}]}}`))
}
