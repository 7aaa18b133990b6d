package copilot

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/agents/historytest"
	"ctxfs/providers/transcripts/agents/records"
	"ctxfs/providers/transcripts/event"
)

func TestVSCodePlaces(t *testing.T) {
	none := func(string) (string, bool) { return "", false }
	linux := VSCode().Places(history.Machine{Home: "/h", OS: "linux", LookupEnv: none})
	mac := VSCode().Places(history.Machine{Home: "/h", OS: "darwin", LookupEnv: none})
	has := func(places []history.Place, dir string) bool {
		return slices.ContainsFunc(places, func(p history.Place) bool { return p.Dir == dir })
	}
	for _, dir := range []string{"/h/.config/Code/User/workspaceStorage", "/h/.config/VSCodium/User/globalStorage/emptyWindowChatSessions",
		"/h/.vscode-server/data/User/workspaceStorage"} {
		if !has(linux, dir) {
			t.Errorf("%s is not looked at", dir)
		}
	}
	if dir := "/h/Library/Application Support/Code - Insiders/User/workspaceStorage"; !has(mac, dir) {
		t.Errorf("%s is not looked at", dir)
	}
	p := linux[0]
	chat, ok := p.File("hash/chatSessions/id.jsonl").(history.Store)
	old, ok2 := p.File("hash/chatSessions/id.json").(history.Store)
	log, ok3 := p.File("hash/GitHub.copilot-chat/transcripts/id.jsonl").(history.Log)
	if !ok || !ok2 || !ok3 || chat.Rank <= old.Rank || old.Rank <= log.Rank || log.ID != "id" {
		t.Errorf("%+v %+v %+v", chat, old, log)
	}
	for _, rel := range []string{"hash/state.vscdb", "hash/workspace.json", "hash/GitHub.copilot-chat/x.jsonl", "hash/chatEditingSessions/id/state.json"} {
		if p.File(rel) != nil {
			t.Errorf("%s is opened", rel)
		}
	}
	for rel, skip := range map[string]bool{"hash": false, "hash/chatSessions": false, "hash/github.copilot-chat": false,
		"hash/GitHub.copilot-chat/transcripts": false, "hash/chatEditingSessions": true, "hash/chatSessions/x": true} {
		fstest.Equal(t, p.Skip(rel), skip, "skip", rel, !skip)
	}
}

func TestApplyChanges(t *testing.T) {
	tests := map[string]struct{ log, want, fault string }{
		"an object":       {`{"kind":0,"v":{"a":1}}`, `{"a":1}`, ""},
		"set":             {`{"kind":0,"v":{"a":{"b":1}}}` + "\n" + `{"kind":1,"k":["a","b"],"v":[2]}` + "\n" + `{"kind":1,"k":["a","c"],"v":"x"}`, `{"a":{"b":[2],"c":"x"}}`, ""},
		"push":            {`{"kind":0,"v":{"r":[1]}}` + "\n" + `{"kind":2,"k":["r"],"v":[2,3]}`, `{"r":[1,2,3]}`, ""},
		"cut and push":    {`{"kind":0,"v":{"r":[1,2,3]}}` + "\n" + `{"kind":2,"k":["r"],"v":[9],"i":1}`, `{"r":[1,9]}`, ""},
		"cut":             {`{"kind":0,"v":{"r":[1,2,3]}}` + "\n" + `{"kind":2,"k":["r"],"i":0}`, `{"r":[]}`, ""},
		"push to nothing": {`{"kind":0,"v":{}}` + "\n" + `{"kind":2,"k":["r"],"v":[1]}`, `{"r":[1]}`, ""},
		"in a list":       {`{"kind":0,"v":{"r":[{"x":1},{"x":[1]}]}}` + "\n" + `{"kind":2,"k":["r",1,"x"],"v":[2]}`, `{"r":[{"x":1},{"x":[1,2]}]}`, ""},
		"delete":          {`{"kind":0,"v":{"a":1,"b":2}}` + "\n" + `{"kind":3,"k":["a"]}`, `{"b":2}`, ""},
		"begun anew":      {`{"kind":0,"v":{"a":1}}` + "\n" + `{"kind":0,"v":{"b":1}}`, `{"b":1}`, ""},
		"torn":            {`{"kind":0,"v":{"a":1}}` + "\n" + `{"kind":1,"k":["a"],"v`, `{"a":1}`, ""},
		"an odd name":     {`{"kind":0,"v":{"a\"b":1}}` + "\n" + `{"kind":1,"k":["a\"b"],"v":2}`, `{"a\"b":2}`, ""},
		"no object":       {`{"kind":1,"k":["a"],"v":1}`, `null`, "line 1: a change before the first object"},
		"no place":        {`{"kind":0,"v":{"r":[]}}` + "\n" + `{"kind":1,"k":["r",7,"x"],"v":1}`, `{"r":[]}`, "line 2: a change of 7, which does not exist"},
		"no kind":         {`{"kind":0,"v":{}}` + "\n" + `{"kind":9,"k":["r"],"v":1}`, `{}`, "line 2: unknown kind of change 9"},
		"not JSON":        {"{\n" + `{"kind":0,"v":{}}`, `null`, "line 1 is not JSON"},
		"nothing":         {"", `null`, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			state, err := applyChanges(strings.NewReader(test.log))
			fstest.Equal(t, state.value().Raw, test.want)
			if (err == nil) != (test.fault == "") || err != nil && err.Error() != test.fault {
				t.Errorf("error %v, want %q", err, test.fault)
			}
		})
	}
}

// vscodeAnswer is a request as VS Code writes it.
const vscodeAnswer = `{"requestId":"r1","timestamp":1767323045000,"modelId":"copilot/gpt-5","message":{"text":"list #file:a","parts":[]},
 "variableData":{"variables":[{"kind":"file","name":"a","value":{"fsPath":"/w/a","scheme":"file"}}]},
 "response":[
  {"kind":"mcpServersStarting"},
  {"kind":"thinking","value":["I ","think"],"id":"t"},
  {"value":"I read ","supportHtml":false},
  {"kind":"inlineReference","inlineReference":{"fsPath":"/w/a","path":"/w/a","scheme":"file"}},
  {"value":" now."},
  {"kind":"toolInvocationSerialized","toolCallId":"call_1","toolId":"copilot_readFile","isComplete":true,"isConfirmed":{"type":1},"invocationMessage":{"value":"Reading"},"pastTenseMessage":{"value":"Read a"}},
  {"kind":"toolInvocationSerialized","toolCallId":"x","toolId":"run_in_terminal","isComplete":true,"toolSpecificData":{"kind":"terminal","commandLine":{"original":"make"},"terminalCommandOutput":{"text":"no rule"},"terminalCommandState":{"exitCode":2}}},
  {"kind":"toolInvocationSerialized","toolCallId":"y","toolId":"mcp_s_t","subAgentInvocationId":"x","isComplete":true,"resultDetails":{"input":"{\"q\":1}","output":[{"type":"embed","isText":true,"value":"fine"},{"type":"embed","isText":false,"mimeType":"image/png","value":"AAAA"}],"isError":false}},
  {"kind":"textEditGroup","uri":{"fsPath":"/w/a"},"edits":[[{"text":"new"}]],"done":true},
  {"value":"Done."},
  {"kind":"fromTheFuture","x":1}],
 "result":{"errorDetails":{"message":"stopped"},"metadata":{
  "toolCallRounds":[{"response":"I read a now.","toolCalls":[{"id":"call_1","name":"read_file","arguments":"{\"filePath\":\"/w/a\"}"},{"id":"call_9","name":"unseen","arguments":"{}"}]}],
  "toolCallResults":{"call_1":{"content":[{"value":{"node":{"type":1,"children":[{"type":2,"text":"line one"},{"type":2,"lineBreakBefore":true,"text":"line two"}]}}}]},"call_9":{"content":[{"value":"hidden"}]}},
  "summary":{"toolCallRoundId":"z","text":"so far"}}},
 "isCanceled":true}`

const vscodeShown = `
	user "list #file:a\n[file /w/a]"
	thinking "I think"
	assistant "I read ` + "`/w/a`" + ` now."
	tool-call call_1 read_file {"filePath":"/w/a"}
	tool-result call_1 read_file "line one\nline two"
	tool-call x run_in_terminal make
	tool-result x run_in_terminal failed "no rule"
	tool-call in x y mcp_s_t {"q":1}
	tool-result in x y mcp_s_t "fine\n[image/png 3 bytes]"
	tool-call  textEditGroup {"kind":"textEditGroup","uri":{"fsPath":"/w/a"},"edits":[[{"text":"new"}]],"done":true}
	assistant "Done."
	unknown "fromTheFuture"
	tool-call call_9 unseen {}
	tool-result call_9 unseen "hidden"
	system "error: stopped"
	system "canceled"
	compaction "" 0 "so far"`

func TestVSCodeChats(t *testing.T) {
	workspace := t.TempDir()
	chats := filepath.Join(workspace, "chatSessions")
	fstest.Must(t, os.Mkdir(chats, 0o700))
	answer := strings.ReplaceAll(vscodeAnswer, "\n", "")
	whole := `{"version":3,"sessionId":"s","creationDate":1767323045000,"lastMessageDate":1767323046000,"customTitle":"Listing","requests":[` + answer + `]}`
	at := strings.Index(answer, `"response":[`) + len(`"response":[`)
	end := strings.Index(answer, ` "result":`) - 2
	log := `{"kind":0,"v":{"version":3,"sessionId":"s","creationDate":1767323045000,"requests":[]}}` + "\n" +
		`{"kind":2,"k":["requests"],"v":[` + answer[:at] + answer[end:] + `]}` + "\n" +
		`{"kind":2,"k":["requests",0,"response"],"v":[{"value":"half"}]}` + "\n" +
		`{"kind":2,"k":["requests",0,"response"],"v":[` + answer[at:end] + `],"i":0}` + "\n" +
		`{"kind":1,"k":["customTitle"],"v":"Listing"}` + "\n" +
		`{"kind":1,"k":["lastMessageDate"],"v":1767323046000}` + "\n"
	files := map[string]string{
		filepath.Join(chats, "s.json"):             whole,
		filepath.Join(chats, "s.jsonl"):            log,
		filepath.Join(workspace, "workspace.json"): `{"folder":"file:///w/with%20space"}`,
	}
	for path, text := range files {
		fstest.Must(t, os.WriteFile(path, []byte(text), 0o600))
	}
	for _, name := range []string{"s.json", "s.jsonl"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(chats, name)
			list, err := listChat(context.Background(), path)
			if err != nil || len(list) != 1 {
				t.Fatalf("%+v, %v", list, err)
			}
			s := list[0]
			if s.ID != "s" || s.Title != "Listing" || s.TitleRank != event.FromUser || s.CWD != "/w/with space" || s.Model != "gpt-5" ||
				!s.Start.Equal(records.Millis(1767323045000)) || !s.Last.Equal(records.Millis(1767323046000)) {
				t.Errorf("%+v", s)
			}
			c := &event.Collector{}
			fstest.Must(t, emitChat(context.Background(), path, s.Key, c))
			historytest.CheckShown(t, c.Events, vscodeShown)
		})
	}
}

func TestVSCodeFaultyLogShowsWhatCameBefore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "id.jsonl")
	log := `{"kind":0,"v":{"requests":[{"requestId":"r","message":{"text":"hello"},"response":[{"value":"hi"}]}]}}` + "\n" + `{"kind":1,"k":["a","b"],"v":1}` + "\n" + `{"kind":3,"k":["requests"]}`
	fstest.Must(t, os.WriteFile(path, []byte(log), 0o600))
	c := &event.Collector{}
	err := emitChat(context.Background(), path, "id", c)
	if err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("%v", err)
	}
	historytest.CheckShown(t, c.Events, "user \"hello\"\nassistant \"hi\"")
}

func TestVSCodeTranscript(t *testing.T) {
	workspace := t.TempDir()
	fstest.Must(t, os.WriteFile(filepath.Join(workspace, "workspace.json"), []byte(`{"workspace":"file:///w/a.code-workspace"}`), 0o600))
	log := workspaceFormat("hash/GitHub.copilot-chat/transcripts/s.jsonl").(history.Log)
	c := &event.Collector{}
	historytest.ReadLog(log.Open(filepath.Join(workspace, "GitHub.copilot-chat", "transcripts", "s.jsonl")), historytest.LogOf(
		`{"type":"session.start","data":{"sessionId":"s"}}`, `{"type":"user.message","data":{"content":"hi"}}`), c)
	if c.Of.ID != "s" || c.Of.CWD != "/w" {
		t.Errorf("%+v", c.Of)
	}
	historytest.CheckShown(t, c.Events, `user "hi"`)
}

func FuzzVSCode(f *testing.F) {
	f.Add(`{"kind":0,"v":{"requests":[` + strings.ReplaceAll(vscodeAnswer, "\n", "") + `]}}`)
	f.Add(`{"kind":0,"v":{"r":[1]}}` + "\n" + `{"kind":2,"k":["r"],"v":[2,3],"i":0}` + "\n" + `{"kind":1,"k":["r",0],"v":{}}` + "\n" + `{"kind":3,"k":["r"]}`)
	f.Fuzz(func(t *testing.T, log string) {
		chat, _ := applyChanges(strings.NewReader(log))
		if state := chat.value(); !json.Valid([]byte(state.Raw)) {
			t.Fatalf("the state is not JSON: %s", state.Raw)
		}
		c := &event.Collector{}
		for _, r := range chat.get("requests").items() {
			if v := r.value(); v.IsObject() {
				newRequest(v, c).emit()
			}
		}
	})
}
