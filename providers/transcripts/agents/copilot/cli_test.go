package copilot

import (
	"os"
	"path/filepath"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/agents/historytest"
	"ctxfs/providers/transcripts/event"
)

func open() history.Reader { return &reader{} }

func TestCopilotPlaces(t *testing.T) {
	p := CLI().Places(history.Machine{Home: "/h", LookupEnv: func(string) (string, bool) { return "", false }})[0]
	fstest.Equal(t, p.Dir, "/h/.copilot/session-state")
	if f, ok := p.File("abc/events.jsonl").(history.Log); !ok || f.ID != "abc" {
		t.Errorf("%+v", f)
	}
	if f, ok := p.File("abc.jsonl").(history.Log); !ok || f.ID != "abc" {
		t.Errorf("%+v", f)
	}
	for _, rel := range []string{"abc/workspace.yaml", "abc/files/events.jsonl", "abc/session.db", "config.json"} {
		if p.File(rel) != nil {
			t.Errorf("%s is opened", rel)
		}
	}
}

func TestCopilotEvents(t *testing.T) {
	c := historytest.RoundTrip(t, open, historytest.LogOf(
		`{"type":"session.start","data":{"sessionId":"s","copilotVersion":"1.0","context":{"cwd":"/w","branch":"main"}},"id":"e1","timestamp":"2026-01-02T03:04:05Z"}`,
		`{"type":"system.message","data":{"role":"system","content":"You are"},"id":"e2"}`,
		`{"type":"user.message","data":{"content":"look","transformedContent":"<date/>look","attachments":[{"type":"file","path":"/w/a"}]},"id":"e3"}`, // 3
		`{"type":"assistant.reasoning","data":{"content":"I think"},"id":"e4"}`,
		`{"type":"assistant.message","data":{"model":"m","content":"I look.","reasoningText":"I think","reasoningOpaque":"SECRET","toolRequests":[{"toolCallId":"c","name":"task","arguments":{"p":1}}]},"id":"e5"}`,
		`{"type":"tool.execution_start","data":{"toolCallId":"c","toolName":"task","arguments":{"p":1}},"id":"e6"}`,
		`{"type":"subagent.started","data":{"toolCallId":"c"},"agentId":"c","id":"e7"}`,
		`{"type":"tool.execution_start","data":{"toolCallId":"d","toolName":"bash","arguments":{"command":"ls"},"parentToolCallId":"c"},"id":"e8"}`,
		`{"type":"tool.execution_complete","data":{"toolCallId":"d","success":true,"result":{"content":"no\n<exited with exit code 2>"}},"agentId":"c","id":"e9"}`,
		`{"type":"assistant.message","data":{"content":"two","reasoningText":"I think","toolRequests":[]},"agentId":"c","id":"e10"}`,
		`{"type":"tool.execution_complete","data":{"toolCallId":"c","success":true,"result":{"content":"two files","contents":[{"type":"image","mimeType":"image/png","data":"AAAA"}]}},"id":"e11"}`,
		`{"type":"session.compaction_start","data":{},"id":"e12"}`,
		`{"type":"session.compaction_complete","data":{"success":true,"trigger":"auto","preCompactionTokens":99,"summaryContent":"so far"},"id":"e13"}`,
		`{"type":"user.message","data":{"content":"again","delivery":"queued"},"id":"e14"}`,
		`{"type":"user.message","data":{"content":"skill text","source":"skill-x"},"id":"e15"}`,
		`{"type":"tool.execution_complete","data":{"toolCallId":"x","success":false,"error":{"message":"denied"}},"id":"e16"}`,
		`{"type":"session.snapshot_rewind","data":{"upToEventId":"e14","eventsRemoved":3},"id":"e17"}`,
		`{"type":"abort","data":{"reason":"user"},"id":"e18"}`,
		`{"type":"from.the_future","data":{},"id":"e19"}`,
	))
	historytest.CheckShown(t, c.Events, `
		user "look\n[file /w/a]"
		thinking "I think"
		assistant "I look."
		tool-call c task {"p":1}
		tool-call in c d bash {"command":"ls"}
		tool-result in c d bash failed "no\n<exited with exit code 2>"
		assistant in c "two"
		tool-result c task "two files\n[image/png 3 bytes]"
		compaction "auto" 99 "so far"
		user (queued) "again"
		user (injected) "skill text"
		tool-result x  failed "denied"
		rewind to 14, 3
		system "aborted: user"
		unknown "from.the_future"`)
	if c.Of.ID != "s" || c.Of.CWD != "/w" || c.Of.Branch != "main" || c.Of.Title != "look" || c.Of.Model != "m" || c.Of.Program != "1.0" {
		t.Errorf("%+v", c.Of)
	}
}

func TestCopilotNames(t *testing.T) {
	dir := t.TempDir()
	text := "id: s\ncwd: /w\nsummary: |-\n  Looking\n  around\nbranch: main\n"
	fstest.Must(t, os.WriteFile(filepath.Join(dir, "workspace.yaml"), []byte(text), 0o600))
	log := cliFormat("s/events.jsonl").(history.Log)
	c := &event.Collector{}
	historytest.ReadLog(log.Open(filepath.Join(dir, "events.jsonl")), historytest.LogOf(`{"type":"session.start","data":{"sessionId":"s"}}`), c)
	if c.Of.Title != "Looking" || c.Of.CWD != "/w" || c.Of.Branch != "main" {
		t.Errorf("%+v", c.Of)
	}
}

func FuzzCopilot(f *testing.F) {
	historytest.FuzzLog(f, open,
		historytest.LogOf(`{"type":"user.message","data":{"content":"x"},"id":"e"}`, `{"type":"session.snapshot_rewind","data":{"upToEventId":"e"}}`),
		historytest.LogOf(`{"type":"assistant.message","data":{"content":"x","reasoningText":"r","toolRequests":[{"toolCallId":"c","name":"n","arguments":{}}]}}`,
			`{"type":"tool.execution_complete","data":{"toolCallId":"c","success":true,"result":{"content":"x"}}}`))
}

func TestCopilotReal(t *testing.T) {
	dir := fstest.Data(t, "sessions")
	for _, name := range []string{"same-task-per-agent/copilot/convo.jsonl", "small-fixtures/copilot/large.jsonl", "small-fixtures/copilot/schema_drift.jsonl",
		"small-fixtures/copilot/subdir_v1/aaaabbbb-1111-2222-3333-ccccddddeeee/events.jsonl"} {
		t.Run(name, func(t *testing.T) {
			log, c := historytest.ReadRealLog(t, open, filepath.Join(dir, filepath.FromSlash(name)))
			var want []string
			calls := map[string]bool{}
			n := map[string]int{"unknown": 0}
			historytest.EachObject(t, log, func(v map[string]any) {
				d, _ := v["data"].(map[string]any)
				switch historytest.Field(v, "type") {
				case "user.message":
					n["typed"]++
					want = append(want, historytest.Field(d, "content"))
				case "assistant.message":
					if s := historytest.Field(d, "content"); s != "" {
						n["assistant"]++
						want = append(want, s)
					}
					want = append(want, historytest.Field(d, "reasoningText"))
					requests, _ := d["toolRequests"].([]any)
					for _, r := range requests {
						calls[historytest.Field(r, "toolCallId")] = true
					}
				case "tool.execution_start":
					calls[historytest.Field(d, "toolCallId")] = true
				case "tool.execution_complete":
					n["tool-result"]++
					want = append(want, historytest.Field(d, "result", "content"), historytest.Field(d, "error", "message"))
				}
			})
			n["tool-call"] = len(calls)
			historytest.CheckCounts(t, c.Events, n)
			historytest.CheckTexts(t, c.Events, want)
		})
	}
}
