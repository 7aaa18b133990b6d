package codex

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/agents/historytest"
	"ctxfs/providers/transcripts/agents/records"
	"ctxfs/providers/transcripts/event"
)

func open() history.Reader { return &reader{} }

// line is a line of today's form.
func line(typ, payload string) string {
	return `{"timestamp":"2026-01-02T03:04:05Z","type":"` + typ + `","payload":` + payload + `}`
}

func itemLine(payload string) string  { return line("response_item", payload) }
func eventLine(payload string) string { return line("event_msg", payload) }

func messageLine(role, text string) string {
	return itemLine(`{"type":"message","role":"` + role + `","content":[{"type":"input_text","text":"` + text + `"}]}`)
}

func TestCodexPlaces(t *testing.T) {
	m := history.Machine{Home: "/h", OS: "linux", LookupEnv: func(k string) (string, bool) { return "/c", k == "CODEX_HOME" }}
	places := Agent().Places(m)
	if len(places) != 2 || places[0].Dir != "/c/sessions" || places[1].Dir != "/c/archived_sessions" {
		t.Fatalf("%+v", places)
	}
	const id = "019e03b2-11a2-7320-9098-5d831813e66c"
	plain, ok := places[0].File("2026/05/07/rollout-2026-05-07T18-27-42-" + id + ".jsonl").(history.Log)
	if !ok || plain.ID != id || plain.Archived || plain.Compressed {
		t.Errorf("%+v", plain)
	}
	packed, ok := places[1].File("rollout-2026-05-07T18-27-42-" + id + ".jsonl.zst").(history.Log)
	if !ok || packed.ID != id || !packed.Archived || !packed.Compressed || packed.Rank >= plain.Rank {
		t.Errorf("%+v", packed)
	}
	for _, rel := range []string{"auth.json", "2026/05/07/rollout-x.jsonl", "rollout-2026-05-07T18-27-42-" + id + ".jsonl.tmp", "history.jsonl"} {
		if f := places[0].File(rel); f != nil {
			t.Errorf("%s is opened", rel)
		}
	}
}

func TestCodexSession(t *testing.T) {
	home := t.TempDir()
	index := `{"id":"a","thread_name":"old","updated_at":"x"}` + "\nno json\n" + `{"id":"a","thread_name":"what it is called","updated_at":"y"}` + "\n"
	fstest.Must(t, os.WriteFile(filepath.Join(home, "session_index.jsonl"), []byte(index), 0o600))
	names := &threadNames{path: filepath.Join(home, "session_index.jsonl")}
	c := historytest.RoundTrip(t, func() history.Reader { return &reader{names: names} }, historytest.LogOf(
		line("session_meta",
			`{"id":"a","timestamp":"2026-01-02T03:04:00Z","cwd":"/w","cli_version":"0.1","git":{"branch":"main"},"source":{"subagent":{"thread_spawn":{"parent_thread_id":"p","depth":1}}},"base_instructions":{"text":"be good"}}`),
		line("turn_context", `{"cwd":"/w","model":"gpt-5"}`),
		messageLine("user", "first words"),
	))
	want := event.Session{ID: "a", Parent: "p", CWD: "/w", Title: "what it is called", TitleRank: event.FromAgent, Model: "gpt-5",
		Branch: "main", Program: "0.1", Start: records.ParseTime("2026-01-02T03:04:00Z"), Last: records.ParseTime("2026-01-02T03:04:05Z")}
	if c.Of.ID != want.ID || c.Of.Parent != want.Parent || c.Of.CWD != want.CWD || c.Of.Title != want.Title || c.Of.Model != want.Model ||
		c.Of.Branch != want.Branch || c.Of.Program != want.Program || !c.Of.Start.Equal(want.Start) || !c.Of.Last.Equal(want.Last) {
		t.Errorf("got  %+v\nwant %+v", c.Of, want)
	}
	if !c.Events[0].Quiet || !strings.Contains(c.Events[0].Record, "be good") {
		t.Errorf("the instructions are not kept quiet: %+v", c.Events[0])
	}
}

func TestCodexTellsTextsOnce(t *testing.T) {
	item := itemLine(`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Done. "}]}`)
	told := eventLine(`{"type":"agent_message","message":"Done."}`)
	tests := map[string]struct {
		log  []byte
		want string
	}{
		"event first": {historytest.LogOf(told, item), `assistant "Done."`},
		"item first":  {historytest.LogOf(item, told), `assistant "Done. "`},
		"item alone":  {historytest.LogOf(item), `assistant "Done. "`},
		"event alone": {historytest.LogOf(told), `assistant "Done."`},
		"said again":  {historytest.LogOf(told, item, told, item), "assistant \"Done.\"\nassistant \"Done.\""},
		"reasoning in parts": {historytest.LogOf(
			eventLine(`{"type":"agent_reasoning","text":"one"}`), eventLine(`{"type":"agent_reasoning","text":"two"}`),
			itemLine(`{"type":"reasoning","summary":[{"type":"summary_text","text":"one"},{"type":"summary_text","text":"two"}],"encrypted_content":"SECRET"}`)),
			"thinking \"one\"\nthinking \"two\""},
		"reasoning, item first": {historytest.LogOf(
			itemLine(`{"type":"reasoning","summary":[{"type":"summary_text","text":"one"},{"type":"summary_text","text":"two"}]}`),
			eventLine(`{"type":"agent_reasoning","text":"one"}`), eventLine(`{"type":"agent_reasoning","text":"two"}`)),
			`thinking "one\n\ntwo"`},
		"reasoning that is encrypted": {historytest.LogOf(itemLine(`{"type":"reasoning","summary":[],"encrypted_content":"SECRET"}`)), ""},
		"a prompt":                    {historytest.LogOf(messageLine("user", "go"), eventLine(`{"type":"user_message","message":"go","images":[]}`)), `user "go"`},
		"a prompt with an image": {historytest.LogOf(
			itemLine(`{"type":"message","role":"user","content":[{"type":"input_text","text":"<image name=[Image #1]>"},{"type":"input_image","image_url":"data:image/png;base64,AAAA"},{"type":"input_text","text":"</image>"},{"type":"input_text","text":"see"}]}`),
			eventLine(`{"type":"user_message","message":"see","images":[],"local_images":["/tmp/a.png"]}`)),
			`user "[image/png 3 bytes]\nsee"`},
		"an item of the mode with whole items": {historytest.LogOf(
			eventLine(`{"type":"item_completed","item":{"type":"UserMessage","id":"u","content":[{"type":"text","text":"go"}]}}`),
			eventLine(`{"type":"item_completed","item":{"type":"Reasoning","id":"r","summary_text":["hm"],"raw_content":[]}}`),
			eventLine(`{"type":"item_completed","item":{"type":"AgentMessage","id":"m","content":[{"type":"Text","text":"Done."}]}}`),
			messageLine("user", "go"), item),
			"user \"go\"\nthinking \"hm\"\nassistant \"Done.\""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c := historytest.RoundTrip(t, open, test.log)
			historytest.CheckShown(t, c.Events, test.want)
			fstest.ContainsNot(t, historytest.AllText(c.Events), "SECRET")
		})
	}
}

func TestCodexWhoSpoke(t *testing.T) {
	c := historytest.RoundTrip(t, open, historytest.LogOf(
		itemLine(`{"type":"message","role":"user","content":[{"type":"input_text","text":"# AGENTS.md instructions for /w\n\nbe brief"},{"type":"input_text","text":"<environment_context>\n<cwd>/w</cwd>\n</environment_context>"}]}`),
		messageLine("user", "<user_instructions>x</user_instructions>"),
		messageLine("developer", "<permissions instructions>none"),
		messageLine("user", "what is <b>bold</b>?"),
		eventLine(`{"type":"user_message","message":"what is <b>bold</b>?"}`),
		itemLine(`{"type":"agent_message","author":"/root","recipient":"/root/a","content":[{"type":"input_text","text":"count"},{"type":"encrypted_content","encrypted_content":"SECRET"}]}`),
		eventLine(`{"type":"turn_aborted","reason":"interrupted"}`),
		eventLine(`{"type":"error","message":"too many"}`),
		eventLine(`{"type":"token_count","info":null}`),
	))
	historytest.CheckShown(t, c.Events, `
		user (injected) "# AGENTS.md instructions for /w\n\nbe brief\n<environment_context>\n<cwd>/w</cwd>\n</environment_context>"
		user (injected) "<user_instructions>x</user_instructions>"
		system "<permissions instructions>none"
		user "what is <b>bold</b>?"
		user (injected) "/root to /root/a:\ncount"
		system "turn aborted: interrupted"
		system "error: too many"`)
	fstest.Equal(t, c.Of.Title, "what is <b>bold</b>?", "title")
}

func TestCodexResults(t *testing.T) {
	call := itemLine(`{"type":"function_call","name":"shell","arguments":"{\"command\":[\"ls\"]}","call_id":"c"}`)
	tests := map[string]struct{ output, want string }{
		"a text":               {`"a.txt\n"`, `tool-result c shell "a.txt\n"`},
		"a text with its exit": {`"Exit code: 1\nWall time: 0 seconds\nOutput:\nno\n"`, `tool-result c shell failed "Exit code: 1\nWall time: 0 seconds\nOutput:\nno\n"`},
		"an exit in the output": {`"Process exited with code 0\nOutput:\nExit code: 1\n"`,
			`tool-result c shell "Process exited with code 0\nOutput:\nExit code: 1\n"`},
		"an object":      {`{"content":"no","success":false}`, `tool-result c shell failed "no"`},
		"a text of JSON": {`"{\"output\":\"no such file\\n\",\"metadata\":{\"exit_code\":2,\"duration_seconds\":0.1}}"`, `tool-result c shell failed "no such file\n"`},
		"parts":          {`[{"type":"input_text","text":"one"},{"type":"input_image","image_url":"data:image/png;base64,AAAA"}]`, `tool-result c shell "one\n[image/png 3 bytes]"`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c := historytest.RoundTrip(t, open, historytest.LogOf(call, itemLine(`{"type":"function_call_output","call_id":"c","output":`+test.output+`}`)))
			historytest.CheckShown(t, c.Events, `tool-call c shell {"command":["ls"]}`+"\n"+test.want)
		})
	}
}

func TestCodexCalls(t *testing.T) {
	c := historytest.RoundTrip(t, open, historytest.LogOf(
		itemLine(`{"type":"custom_tool_call","name":"apply_patch","input":"*** Begin Patch","call_id":"p"}`),
		itemLine(`{"type":"custom_tool_call_output","call_id":"p","output":"ok"}`),
		eventLine(`{"type":"patch_apply_end","call_id":"p","stdout":"ok","success":true}`),
		itemLine(`{"type":"local_shell_call","call_id":"l","action":{"type":"exec","command":["pwd"]}}`),
		itemLine(`{"type":"web_search_call","id":"w","action":{"type":"search","query":"go"}}`),
		eventLine(`{"type":"web_search_end","call_id":"w","query":"go","results":[{"title":"Go","url":"https://go.dev"}]}`),
		eventLine(`{"type":"mcp_tool_call_end","call_id":"m","invocation":{"server":"s","tool":"t","arguments":{"a":1}},"result":{"Ok":{"content":[{"type":"text","text":"fine"}],"isError":false}}}`),
		itemLine(`{"type":"function_call","name":"spawn_agent","arguments":"{}","call_id":"s"}`),
		itemLine(`{"type":"function_call_output","call_id":"s","output":"{\"agent_id\":\"child\"}"}`),
		itemLine(`{"type":"image_generation_call","id":"g","status":"completed","revised_prompt":"a cat","result":"AAAABBBB"}`),
		itemLine(`{"type":"from_the_future","x":1}`),
		line("from_the_future", `{"x":1}`),
	))
	historytest.CheckShown(t, c.Events, `
		tool-call p apply_patch *** Begin Patch
		tool-result p apply_patch "ok"
		tool-call l local_shell {"type":"exec","command":["pwd"]}
		tool-call w web_search {"type":"search","query":"go"}
		tool-result w web_search "Go\nhttps://go.dev\n"
		tool-call m s.t {"a":1}
		tool-result m s.t "fine"
		tool-call s spawn_agent {}
		tool-result s spawn_agent "{\"agent_id\":\"child\"}"
		tool-call g image_generation a cat
		tool-result g image_generation "[image 6 bytes]"
		unknown "from_the_future"
		unknown "from_the_future"`)
	for _, e := range c.Events {
		if e.Result != nil && e.Result.CallID == "s" && e.Subagent != "child" {
			t.Errorf("the subagent is not named: %+v", e)
		}
	}
}

func TestCodexCompactionAndRollback(t *testing.T) {
	c := historytest.RoundTrip(t, open, historytest.LogOf(
		eventLine(`{"type":"user_message","message":"one"}`), // 1
		eventLine(`{"type":"agent_message","message":"1"}`),
		eventLine(`{"type":"user_message","message":"two"}`), // 3
		eventLine(`{"type":"agent_message","message":"2"}`),
		eventLine(`{"type":"user_message","message":"three"}`), // 5
		eventLine(`{"type":"token_count","info":{"last_token_usage":{"total_tokens":4711}}}`),
		line("compacted", `{"message":"so far: much","replacement_history":[{"type":"message","role":"user","content":[{"type":"input_text","text":"one"}]}]}`),
		eventLine(`{"type":"context_compacted"}`),
		eventLine(`{"type":"thread_rolled_back","num_turns":2}`),
		eventLine(`{"type":"user_message","message":"two, again"}`), // 10
		eventLine(`{"type":"thread_rolled_back","num_turns":1}`),
		eventLine(`{"type":"thread_rolled_back","num_turns":9}`),
	))
	historytest.CheckShown(t, c.Events, `
		user "one"
		assistant "1"
		user "two"
		assistant "2"
		user "three"
		compaction "" 4711 "so far: much"
		rewind to 2, 2
		user "two, again"
		rewind to 9, 1
		rewind to 0, 9`)
}

func TestCodexFork(t *testing.T) {
	parent := historytest.LogOf(
		line("session_meta", `{"id":"p","cwd":"/w"}`),
		eventLine(`{"type":"task_started","turn_id":"t1"}`),
		messageLine("user", "one"), eventLine(`{"type":"user_message","message":"one"}`),
		itemLine(`{"type":"function_call","name":"shell","arguments":"{}","call_id":"c1"}`),
	)
	fork := historytest.LogOf(
		line("session_meta", `{"id":"f","forked_from_id":"p","cwd":"/w"}`),
		line("session_meta", `{"id":"p","cwd":"/w"}`),
		eventLine(`{"type":"task_started","turn_id":"t1"}`),
		messageLine("user", "one"), eventLine(`{"type":"user_message","message":"one"}`),
		itemLine(`{"type":"function_call","name":"shell","arguments":"{}","call_id":"c1"}`),
		eventLine(`{"type":"task_started","turn_id":"t2"}`),
		messageLine("user", "one"), eventLine(`{"type":"user_message","message":"one"}`),
	)
	of := &event.Collector{}
	historytest.ReadLog(open(), parent, of)
	var known []string
	for _, id := range []string{"session:p", "turn:t1", "call:c1"} {
		if _, ok := of.Known(id); !ok {
			t.Errorf("the parent has not noted %s", id)
		}
		known = append(known, id)
	}
	c := historytest.RoundTrip(t, open, fork, known...)
	historytest.CheckShown(t, c.Events, `
		fork to 0, 5 "p"
		user "one"`)
	if c.Of.ID != "f" || c.Of.ForkOf != "p" {
		t.Errorf("%+v", c.Of)
	}
	for _, id := range []string{"turn:t1", "turn:t2", "call:c1"} {
		if _, ok := c.Known(id); !ok {
			t.Errorf("a fork of the fork would not find %s", id)
		}
	}

	alone := historytest.RoundTrip(t, open, fork)
	historytest.CheckShown(t, alone.Events, `
		user "one"
		tool-call c1 shell {}
		user "one"`)
}

func TestCodexForkWithoutTurnIDs(t *testing.T) {
	fork := historytest.LogOf(
		line("session_meta", `{"id":"f","forked_from_id":"p"}`),
		eventLine(`{"type":"user_message","message":"one"}`),
		eventLine(`{"type":"agent_message","message":"1"}`),
		eventLine(`{"type":"user_message","message":"two"}`),
		eventLine(`{"type":"agent_message","message":"1"}`),
	)
	c := historytest.RoundTrip(t, open, fork, "session:p", promptID("one"))
	historytest.CheckShown(t, c.Events, `
		fork to 0, 2 "p"
		user "two"
		assistant "1"`)
}

func TestCodexBareItems(t *testing.T) {
	c := historytest.RoundTrip(t, open, historytest.LogOf(
		`{"id":"old","timestamp":"2025-06-01T10:00:00.000Z","instructions":"be good","git":{"branch":"main"}}`,
		`{"record_type":"state"}`,
		`{"type":"message","id":null,"role":"user","content":[{"type":"input_text","text":"<environment_context>\n</environment_context>"}]}`,
		`{"type":"message","id":null,"role":"user","content":[{"type":"input_text","text":"hello"}]}`,
		`{"type":"reasoning","id":"rs","summary":[]}`,
		`{"type":"function_call","name":"shell","arguments":"{}","call_id":"c"}`,
		`{"type":"function_call_output","call_id":"c","output":"{\"output\":\"x\",\"metadata\":{\"exit_code\":0}}"}`,
		`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"hi"}]}`,
		``,
		`no JSON`,
		`[1]`,
	))
	historytest.CheckShown(t, c.Events, `
		user (injected) "<environment_context>\n</environment_context>"
		user "hello"
		tool-call c shell {}
		tool-result c shell "x"
		assistant "hi"
		unknown "not JSON"
		unknown "not an object"`)
	if c.Of.ID != "old" || c.Of.Branch != "main" || !c.Of.Start.Equal(records.ParseTime("2025-06-01T10:00:00Z")) {
		t.Errorf("%+v", c.Of)
	}
}

// TestCodexOf2025: the working directory is in what the program tells the model.
func TestCodexOf2025(t *testing.T) {
	for _, context := range []string{
		`<environment_context>\n  <cwd>/src/app</cwd>\n  <approval_policy>on-request</approval_policy>\n</environment_context>`,
		`<environment_context>\n\nCurrent working directory: /src/app\nApproval policy: on-request\n</environment_context>`,
	} {
		out := historytest.RoundTrip(t, func() history.Reader { return &reader{} }, historytest.LogOf(
			`{"id":"c1","timestamp":"2025-08-01T10:00:00.000Z","instructions":null,"git":{"branch":"main"}}`,
			`{"record_type":"state"}`,
			`{"type":"message","role":"user","content":[{"type":"input_text","text":"`+context+`"}]}`,
			`{"type":"message","role":"user","content":[{"type":"input_text","text":"fix it in <environment_context><cwd>/elsewhere</cwd></environment_context>"}]}`,
		))
		fstest.Equal(t, out.Of.CWD, "/src/app", context, out.Of)
	}
}

func FuzzCodex(f *testing.F) {
	historytest.FuzzLog(f, open,
		historytest.LogOf(line("session_meta", `{"id":"f","forked_from_id":"p","cwd":"/w"}`), eventLine(`{"type":"task_started","turn_id":"t1"}`),
			messageLine("user", "one"), eventLine(`{"type":"user_message","message":"one"}`)),
		historytest.LogOf(itemLine(`{"type":"function_call","name":"shell","arguments":"{}","call_id":"c"}`),
			itemLine(`{"type":"function_call_output","call_id":"c","output":"{\"output\":\"x\",\"metadata\":{\"exit_code\":1}}"}`)),
		historytest.LogOf(eventLine(`{"type":"thread_rolled_back","num_turns":2}`), line("compacted", `{"message":"x"}`)),
		historytest.LogOf(eventLine(`{"type":"item_completed","item":{"type":"CommandExecution","id":"c","command":["ls"],"aggregated_output":"x"}}`)),
		historytest.LogOf(`{"type":"message","role":"user","content":[{"type":"input_image","image_url":"data:image/png;base64,AA"}]}`))
}
