package cline

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/fstest"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/agents/historytest"
	"ctxfs/providers/transcripts/event"
)

// taskStore returns the format of a task's history.
func taskStore(t testing.TB, agent history.Agent) history.Store {
	t.Helper()
	m := history.Machine{Home: "/home/u", OS: "linux", LookupEnv: func(string) (string, bool) { return "", false }}
	for _, place := range agent.Places(m) {
		if f := place.File("1783376868634/" + taskHistory); f != nil {
			return f.(history.Store)
		}
	}
	t.Fatal("no place holds tasks")
	return history.Store{}
}

func TestClineTask(t *testing.T) {
	dir := t.TempDir()
	path := historytest.WriteFile(t, dir, "1783376868634/"+taskHistory, `[
		{"role":"user","content":[{"type":"text","text":"<task>\nfix it\n</task>"},{"type":"text","text":"<environment_details>\n# Current Working Directory (/p/x) Files\n</environment_details>"}]},
		{"role":"assistant","content":[{"type":"text","text":"<read_file>\n<path>a.go</path>\n</read_file>"}],"modelInfo":{"modelId":"m1"}},
		{"role":"user","content":[{"type":"text","text":"[read_file for 'a.go'] Result:"},{"type":"text","text":"package a"},{"type":"text","text":"<environment_details></environment_details>"}]},
		{"role":"assistant","content":[{"type":"thinking","thinking":"hm"},{"type":"tool_use","id":"t1","name":"execute_command","input":{"command":"ls"}}],"ts":1783376873493},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"a.go"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"QUJD"}}],"is_error":true}]},
		{"role":"assistant","content":[{"type":"tool_use","id":"t2","name":"summarize_task","input":{"context":"so far"}}]},
		{"role":"user","content":"[attempt_completion] Result: The user said <feedback>go on</feedback>"},
		{"role":"tool","content":[{"type":"dream"}]},
		{"role":"narrator","content":"x"}
	]`)
	historytest.WriteFile(t, dir, "1783376868634/"+taskScreen, `[
		{"ts":1783376868700,"type":"say","say":"task","text":"fix it","conversationHistoryIndex":-1},
		{"ts":1783376869000,"type":"say","say":"api_req_started","conversationHistoryIndex":0},
		{"ts":1783376870000,"type":"say","say":"text","conversationHistoryIndex":1},
		{"ts":1783376871000,"type":"say","say":"text","conversationHistoryIndex":1},
		{"ts":1783376990000,"type":"ask","ask":"completion_result"}]`)
	historytest.WriteFile(t, dir, "1783376868634/"+taskModels, `{"model_usage":[{"model_id":"m0"}]}`)
	l, c := historytest.ReadOne(t, taskStore(t, Cline()), path)
	want := "user fix it\n" +
		"user/injected <environment_details>⏎# Current Working Directory (/p/x) Files⏎</environment_details>\n" +
		"assistant <read_file>⏎<path>a.go</path>⏎</read_file>\n" +
		"tool-result  read_file package a\nuser/injected <environment_details></environment_details>\n" +
		"thinking hm\ntool-call t1 execute_command {\"command\":\"ls\"}\n" +
		"tool-result t1 execute_command a.go⏎[image/png 3 bytes] FAILED\n" +
		"tool-call t2 summarize_task {\"context\":\"so far\"}\ncompaction auto 0\n" +
		"tool-result  attempt_completion The user said\nuser go on\n" +
		"unknown dream\nunknown message of narrator\n"
	fstest.Equal(t, historytest.Lines(c.Events), want)
	if l.ID != "1783376868634" || l.Title != "fix it" || l.CWD != "/p/x" || c.Of.Title != "fix it" || c.Of.Model != "m1" {
		t.Errorf("listed %+v, read %+v", l, c.Of)
	}
	fstest.Equal(t, c.Events[0].Time.UnixMilli(), 1783376869000, "first message has the time")
	fstest.Equal(t, c.Events[2].Time.UnixMilli(), 1783376870000, "second message has the time")
	if c.Of.Start.UnixMilli() != 1783376868634 || c.Of.Last.UnixMilli() != 1783376990000 {
		t.Errorf("from %v to %v", c.Of.Start, c.Of.Last)
	}
}

// TestClineResultsAsTexts: in tasks of 2026 calls are blocks, and results are
// texts.
func TestClineResultsAsTexts(t *testing.T) {
	dir := t.TempDir()
	path := historytest.WriteFile(t, dir, "1783376868634/"+taskHistory, `[
		{"role":"user","content":[{"type":"text","text":"<task>\nfix it\n</task>\n\nRecent files:\na.go"},{"type":"text","text":"<environment_details>x</environment_details>"}]},
		{"role":"assistant","content":[{"type":"text","text":"I look."},
			{"type":"tool_use","id":"t1","name":"read_file","input":{"absolutePath":"/p/x/a.go"}},
			{"type":"tool_use","id":"t2","name":"read_file","input":{"absolutePath":"/p/x/b.go"}},
			{"type":"tool_use","id":"t3","name":"execute_command","input":{"command":"make"}}]},
		{"role":"user","content":[
			{"type":"text","text":"[read_file for '/p/x/a.go'] Result:\npackage a\n\n[not a head] Result"},
			{"type":"text","text":"[read_file for '/p/x/b.go'] Result:"},{"type":"text","text":"package b"},
			{"type":"text","text":"[execute_command for 'make'] Result:\n[ERROR] no rule"},
			{"type":"text","text":"The user provided the following feedback:\n<feedback>\nuse <b>go</b> build\n</feedback>"},
			{"type":"text","text":"<environment_details>y</environment_details>"}]},
		{"role":"assistant","content":[{"type":"tool_use","id":"t4","name":"attempt_completion","input":{"result":"done"}}]},
		{"role":"user","content":[{"type":"text","text":"[attempt_completion] Result:"},{"type":"text","text":"<user_message>\nthanks\n</user_message>"}]},
		{"role":"user","content":[{"type":"text","text":"What is <task> for?"}]}
	]`)
	l, c := historytest.ReadOne(t, taskStore(t, Cline()), path)
	want := "user fix it\nuser/injected Recent files:⏎a.go\nuser/injected <environment_details>x</environment_details>\nassistant I look.\n" +
		"tool-call t1 read_file {\"absolutePath\":\"/p/x/a.go\"}\ntool-call t2 read_file {\"absolutePath\":\"/p/x/b.go\"}\ntool-call t3 execute_command {\"command\":\"make\"}\n" +
		"tool-result t1 read_file package a⏎⏎[not a head] Result\ntool-result t2 read_file package b\ntool-result t3 execute_command [ERROR] no rule FAILED\n" +
		"user/injected The user provided the following feedback:\nuser use <b>go</b> build\nuser/injected <environment_details>y</environment_details>\n" +
		"tool-call t4 attempt_completion {\"result\":\"done\"}\nuser thanks\ntool-result t4 attempt_completion \nuser What is <task> for?\n"
	fstest.Equal(t, historytest.Lines(c.Events), want)
	fstest.Equal(t, l.Title, "fix it")
}

func TestRoo(t *testing.T) {
	dir := t.TempDir()
	path := historytest.WriteFile(t, dir, "019e/"+taskHistory, `[
		{"role":"user","content":[{"type":"text","text":"<user_message>\nfix\n</user_message>"}],"ts":1783376868000,"condenseParent":"c1"},
		{"role":"assistant","content":[{"type":"text","text":"done"}],"reasoning_content":"deep","ts":1783376869000,"condenseParent":"c1"},
		{"type":"reasoning","summary":[{"type":"summary_text","text":"plan"}],"encrypted_content":"AAAA","role":"assistant","ts":1783376869500},
		{"role":"user","content":[{"type":"text","text":"## Conversation Summary\nall of it"}],"isSummary":true,"condenseId":"c1","ts":1783376870000},
		{"role":"user","content":"[Sliding window truncation: 2 messages hidden]","isTruncationMarker":true,"truncationId":"w1","ts":1783376871000},
		{"role":"assistant","content":[{"type":"text","text":"on"}],"ts":1783376872000}
	]`)
	historytest.WriteFile(t, dir, "019e/"+taskScreen, `[{"ts":1783376870000,"type":"say","say":"condense_context","contextCondense":{"condenseId":"c1","prevContextTokens":1234}}]`)
	historytest.WriteFile(t, dir, "019e/"+taskItem, `{"id":"019e","task":"fix","workspace":"/w","parentTaskId":"019d","ts":1783376868000}`)
	l, c := historytest.ReadOne(t, taskStore(t, Roo()), path)
	want := "user fix\nthinking deep\nassistant done\nthinking plan\n" +
		"compaction  1234 ## Conversation Summary\nall of it\n" +
		"compaction truncation 0 [Sliding window truncation: 2 messages hidden]\nassistant on\n"
	fstest.Equal(t, historytest.Lines(c.Events), want)
	if l.ID != "019e" || l.Agent != "roo" || l.Parent != "019d" || l.CWD != "/w" || l.Title != "fix" || c.Of.Parent != "019d" {
		t.Errorf("listed %+v, read %+v", l, c.Of)
	}
}

// TestHalfWritten: reading a half-written file is an error.
func TestHalfWritten(t *testing.T) {
	dir := t.TempDir()
	for rel, store := range map[string]history.Format{
		"1/" + taskHistory:  taskStore(t, Cline()),
		"2/2.messages.json": sdkFormat("2/2.messages.json"),
	} {
		for _, text := range []string{"", `[{"role":"us`, `{"messages":[{"role":"user"`} {
			path := historytest.WriteFile(t, dir, rel, text)
			if err := store.(history.Store).Read(t.Context(), path, "", &event.Collector{}); err == nil || !strings.Contains(err.Error(), path) {
				t.Errorf("%s with %q: %v", rel, text, err)
			}
		}
	}
}

func TestClinePlaces(t *testing.T) {
	env := map[string]string{"CLINE_DIR": "~/c", "CLINE_SESSION_DATA_DIR": "/s"}
	m := history.Machine{Home: "/home/u", OS: "darwin", LookupEnv: func(name string) (string, bool) { v, ok := env[name]; return v, ok }}
	var dirs []string
	for _, place := range Cline().Places(m) {
		dirs = append(dirs, place.Dir)
		for _, rel := range []string{"1/ui_messages.json", "1/checkpoints/x.json", "secrets.json", "1/x/" + taskHistory, "1/1.json", "a/b/c.messages.json", taskHistory} {
			if place.File(rel) != nil {
				t.Errorf("%s/%s would be opened", place.Dir, rel)
			}
		}
	}
	all := strings.Join(dirs, "\n")
	for _, want := range []string{"/home/u/Library/Application Support/Code - Insiders/User/globalStorage/saoudrizwan.claude-dev/tasks", "/home/u/c/data/tasks", "/s"} {
		fstest.Contains(t, all, want)
	}
	env["CLINE_DATA_DIR"] = "/d"
	if places := Cline().Places(m); places[len(places)-2].Dir != "/d/tasks" {
		t.Errorf("CLINE_DATA_DIR does not count: %s", places[len(places)-2].Dir)
	}
}

// sdkSession arranges the files of the real session of the SDK as Cline does.
func sdkSession(t *testing.T, compaction string) string {
	t.Helper()
	const id = "1784094124598_rruoq"
	dir := t.TempDir()
	for name, ending := range map[string]string{"session.messages.json": sdkMessages, "session.json": ".json", compaction: sdkCompaction} {
		if name == "" {
			continue
		}
		text, err := os.ReadFile(historytest.RealSessions(t, "cline-sdk", "session", name))
		fstest.Must(t, err)
		historytest.WriteFile(t, dir, id+"/"+id+ending, string(text))
	}
	return filepath.Join(dir, id, id+sdkMessages)
}

func TestClineSDKReal(t *testing.T) {
	path := sdkSession(t, "basic.compaction.json")
	l, c := historytest.ReadOne(t, sdkFormat("s/s.messages.json"), path)
	text, err := os.ReadFile(path)
	fstest.Must(t, err)
	want := map[string]int{"compaction": 1}
	for _, m := range historytest.DecodeJSON(t, string(text))["messages"].([]any) {
		m := m.(map[string]any)
		for _, b := range m["content"].([]any) {
			block := b.(map[string]any)
			switch block["type"] {
			case "text":
				want[m["role"].(string)]++
				if !historytest.HasText(c.Events, block["text"].(string)) {
					t.Errorf("not told: %.80q", block["text"])
				}
			case "file":
				want["user injected"]++
				if !historytest.HasText(c.Events, block["content"].(string)) {
					t.Errorf("a file is not told")
				}
			case "tool_use":
				want["tool-call"]++
			case "tool_result":
				want["tool-result"]++
				content := block["content"]
				if s, ok := content.(string); ok {
					fstest.Must(t, json.Unmarshal([]byte(s), &content))
					content = []any{content}
				}
				for _, item := range content.([]any) {
					if result := item.(map[string]any)["result"].(string); !historytest.HasText(c.Events, result) {
						t.Errorf("not told: %.80q", result)
					}
				}
			}
		}
	}
	historytest.CheckTally(t, c.Events, want)
	if l.ForkOf != "1784094053271_p8pzo" || !strings.HasSuffix(l.Title, "(fork)") || l.CWD != "/Users/example/dev/cline" {
		t.Errorf("listed %+v", l)
	}
	last := c.Events[len(c.Events)-1]
	if last.Compact == nil || last.Compact.Trigger != "manual" || strings.Count(last.Compact.Summary, "<SYSTEM_NOTICE>") != 4 {
		t.Errorf("the compaction: %+v", last.Compact)
	}
}

func TestClineSDKAgentic(t *testing.T) {
	_, c := historytest.ReadOne(t, sdkFormat("s/s.messages.json"), sdkSession(t, "agentic.compaction.json"))
	last := c.Events[len(c.Events)-1]
	if last.Compact == nil || last.Compact.Tokens != 21919 || !strings.HasPrefix(last.Compact.Summary, "## Goal") ||
		!last.Time.Equal(time.UnixMilli(1784245216178)) {
		t.Errorf("the compaction: %+v at %v", last.Compact, last.Time)
	}
}

// TestClineSDKFork: messages that the parent has are left out.
func TestClineSDKFork(t *testing.T) {
	path := sdkSession(t, "")
	c := &event.Collector{Parent: map[string]bool{"msg_mr9sjimy_1": true, "msg_7mYEbh8N": true}}
	fstest.Must(t, sdkRead(t.Context(), path, "", c))
	if first := c.Events[0]; first.Kind != event.Fork || first.Text != "1784094053271_p8pzo" || first.Rewound.Count != 2 {
		t.Errorf("begins with %+v", first)
	}
	if second := c.Events[1]; second.Kind != event.ToolResult {
		t.Errorf("goes on with %+v", second)
	}
}

// TestClineSDKSubagent: another file in the folder is a subagent's.
func TestClineSDKSubagent(t *testing.T) {
	dir := t.TempDir()
	historytest.WriteFile(t, dir, "p1/p1.json", `{"session_id":"p1","cwd":"/w","model":"m"}`)
	path := historytest.WriteFile(t, dir, "p1/helper__run1.messages.json", `{"messages":[{"id":"a","role":"user","content":[{"type":"text","text":"look"}],"ts":1783376868634}],"origin":{"subagent":"helper"}}`)
	l, c := historytest.ReadOne(t, sdkFormat("p1/helper__run1.messages.json"), path)
	if l.ID != "p1__helper__run1" || l.Parent != "p1" || l.CWD != "/w" || l.Title != "helper" || c.Of.Parent != "p1" {
		t.Errorf("listed %+v, read %+v", l, c.Of)
	}
	fstest.Equal(t, historytest.Lines(c.Events), "user look\n")
}

func FuzzTask(f *testing.F) {
	dir := f.TempDir()
	store := taskStore(f, Cline())
	historytest.FuzzText(f, func(t *testing.T, text string) {
		history, screen, _ := strings.Cut(text, "\n")
		path := historytest.WriteFile(t, dir, "1/"+taskHistory, history)
		historytest.WriteFile(t, dir, "1/"+taskScreen, screen)
		_, _ = store.Sessions(t.Context(), path)
		_ = store.Read(t.Context(), path, "", &event.Collector{})
	}, `[{"role":"user","content":[{"type":"text","text":"<task>x</task>"}]}]`+"\n"+`[{"ts":1,"conversationHistoryIndex":0}]`)
}

func FuzzClineSDK(f *testing.F) {
	dir := f.TempDir()
	historytest.FuzzText(f, func(t *testing.T, text string) {
		messages, compaction, _ := strings.Cut(text, "\n")
		path := historytest.WriteFile(t, dir, "1/1"+sdkMessages, messages)
		historytest.WriteFile(t, dir, "1/1"+sdkCompaction, compaction)
		_, _ = sdkSessions(t.Context(), path)
		_ = sdkRead(t.Context(), path, "", &event.Collector{})
	}, `{"messages":[{"role":"user","content":[{"type":"text","text":"x"}]}]}`+"\n"+`{"messages":[{"metadata":{"kind":"compaction"}}]}`)
}
