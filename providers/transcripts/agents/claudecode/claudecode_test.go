package claudecode

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/fstest"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/agents/historytest"
	"ctxfs/providers/transcripts/event"
)

const claudeID = "11111111-2222-3333-4444-555555555555"

// brief writes events as the tests below expect them; quiet ones are left out.
func brief(events []event.Event) []string {
	var brief []string
	for _, e := range events {
		text := e.Text
		switch {
		case e.Quiet:
			continue
		case e.Call != nil:
			text = e.Call.Name + " " + e.Call.Input
		case e.Result != nil:
			text = e.Result.Name + " " + e.Result.Text
			if e.Result.Error {
				text += " (error)"
			}
			if e.Result.Spill != "" {
				text += " -> " + filepath.Base(e.Result.Spill)
			}
		case e.Compact != nil:
			text = fmt.Sprintf("%s %d", e.Compact.Trigger, e.Compact.Tokens)
		case e.Rewound != nil:
			text = fmt.Sprintf("%s to %d, %d", e.Text, e.Rewound.To, e.Rewound.Count)
		}
		who := string(e.Kind)
		for _, more := range []string{e.Origin, e.Agent, e.Subagent} {
			if more != "" {
				who += " " + more
			}
		}
		brief = append(brief, who+": "+text)
	}
	return brief
}

// said returns a log from abbreviated lines: "u1 u0 hello" is a prompt with uuid
// u1 and parent u0, "a1" an answer, "r1" the result of call a1. JSON is used
// unchanged.
func said(lines ...string) []byte {
	var log strings.Builder
	for _, line := range lines {
		if line[0] == '{' || line[0] == '[' {
			log.WriteString(line + "\n")
			continue
		}
		id, rest, _ := strings.Cut(line, " ")
		parent, text, _ := strings.Cut(rest, " ")
		parent = `"` + parent + `"`
		if parent == `"-"` {
			parent = "null"
		}
		head := fmt.Sprintf(`{"uuid":%q,"parentUuid":%s,"sessionId":%q,"timestamp":"2026-01-02T03:04:05.678Z"`, id, parent, claudeID)
		switch id[0] {
		case 'u':
			fmt.Fprintf(&log, `%s,"type":"user","message":{"role":"user","content":%q}}`, head, text)
		case 'a':
			fmt.Fprintf(&log, `%s,"type":"assistant","message":{"role":"assistant","model":"m","content":[{"type":"text","text":%q}]}}`, head, text)
		case 't':
			fmt.Fprintf(&log, `%s,"type":"assistant","message":{"role":"assistant","model":"m","content":[{"type":"tool_use","id":%q,"name":"Bash","input":{"command":%q}}]}}`, head, "call-"+id, text)
		case 'r':
			call, text, _ := strings.Cut(text, " ")
			fmt.Fprintf(&log, `%s,"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":%q,"content":%q}]},"toolUseResult":{"stdout":"twice"}}`, head, "call-"+call, text)
		case 's':
			fmt.Fprintf(&log, `%s,"type":"system","subtype":%q,"content":"said"}`, head, text)
		}
		log.WriteString("\n")
	}
	return []byte(log.String())
}

func TestClaudeRecords(t *testing.T) {
	for _, test := range []struct {
		name      string
		lines     []string
		inherited []string
		want      []string
	}{
		{name: "a message in several lines", lines: []string{
			"u1 - hello",
			`{"uuid":"x1","type":"assistant","message":{"id":"m1","content":[{"type":"thinking","thinking":"hm","signature":"S"}]}}`,
			`{"uuid":"x2","type":"assistant","message":{"id":"m1","content":[{"type":"thinking","thinking":"hm","signature":"S"},{"type":"text","text":"hi"}]}}`,
			`{"uuid":"x3","type":"assistant","message":{"id":"m1","content":[{"type":"text","text":"hi"},{"type":"tool_use","id":"c1","name":"Bash","input":{"command":"ls"}},{"type":"tool_use","id":"c2","name":"Read","input":{"a":1}}]}}`,
			`{"uuid":"x4","type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"c2","content":[{"type":"text","text":"one"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"QUJDRA=="}},{"type":"text","text":"two"}]}]}}`,
			`{"uuid":"x5","type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"c1","is_error":true,"content":"no"}]}}`,
			`{"uuid":"x6","type":"assistant","message":{"id":"m2","content":[{"type":"text","text":"hi"}]}}`,
		}, want: []string{
			"user: hello", "thinking: hm", "assistant: hi", `tool-call: Bash {"command":"ls"}`, `tool-call: Read {"a":1}`,
			"tool-result: Read one\n[image/png 4 bytes]\ntwo", "tool-result: Bash no (error)", "assistant: hi",
		}},
		{name: "images and documents", lines: []string{
			`{"uuid":"x1","type":"user","message":{"content":[{"type":"text","text":"look"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"QUJD"}},{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"QUI="}},{"type":"image","source":{"type":"url","url":"https://x.invalid/a"}}]}}`,
		}, want: []string{"user: look", "user: [image/png 3 bytes]", "user: [application/pdf 2 bytes]", "user: [image https://x.invalid/a]"}},
		{name: "who spoke", lines: []string{
			"u1 - typed", "u2 u1 <system-reminder>x", "u3 u2 [Request interrupted by user]", "u4 u3 <task-notification>done", "u5 u4 Stop hook feedback:\nx",
			`{"uuid":"x1","type":"user","isMeta":true,"message":{"content":"meta"}}`,
			`{"uuid":"x2","type":"user","promptSource":"sdk","message":{"content":"program"}}`,
			`{"uuid":"x3","type":"user","promptSource":"queued","message":{"content":"later"}}`,
			`{"uuid":"x4","type":"user","promptSource":"system","message":{"content":"system"}}`,
			`{"uuid":"x5","type":"user","origin":{"kind":"task-notification"},"message":{"content":"notified"}}`,
			`{"uuid":"x6","type":"user","entrypoint":"sdk-cli","message":{"content":"piped"}}`,
			`{"uuid":"x7","type":"user","promptSource":"typed","entrypoint":"cli","origin":{"kind":"human"},"message":{"content":"typed"}}`,
		}, want: []string{
			"user: typed", "user injected: <system-reminder>x", "user injected: [Request interrupted by user]", "user injected: <task-notification>done",
			"user injected: Stop hook feedback:\nx", "user injected: meta", "user sdk: program", "user queued: later", "user injected: system",
			"user injected: notified", "user sdk: piped", "user: typed",
		}},
		{name: "replayed within the log", lines: []string{"u1 - hello", "a1 u1 hi", "u1 - hello", "a1 u1 hi", "u2 a1 more"},
			want: []string{"user: hello", "assistant: hi", "user: more"}},
		{name: "fork", inherited: []string{"u1", "a1", "s1"}, lines: []string{
			`{"uuid":"u1","type":"user","forkedFrom":{"sessionId":"other","messageUuid":"u1"},"message":{"content":"hello"}}`,
			"a1 u1 hi", "s1 a1 informational", "u2 a1 more", "a2 u2 ok",
		}, want: []string{"fork: other to 0, 3", "user: more", "assistant: ok"}},
		{name: "compaction", lines: []string{
			"u1 - hello", "a1 u1 kept",
			`{"uuid":"c1","parentUuid":null,"logicalParentUuid":"a1","type":"system","subtype":"compact_boundary","content":"Conversation compacted","compactMetadata":{"trigger":"auto","preTokens":155472,"preservedMessages":{"uuids":["a1"]}}}`,
			`{"uuid":"c2","parentUuid":"c1","type":"user","isCompactSummary":true,"isVisibleInTranscriptOnly":true,"message":{"content":"This session is being continued …"}}`,
			// A preserved message is followed: nothing is taken back.
			"u2 a1 next", "a2 u2 ok", "u3 a2 again",
		}, want: []string{"user: hello", "assistant: kept", "compaction: auto 155472", "user injected: This session is being continued …", "user: next", "assistant: ok", "user: again"}},
		{name: "microcompaction", lines: []string{
			`{"uuid":"c1","type":"system","subtype":"microcompact_boundary","content":"Context microcompacted","microcompactMetadata":{"trigger":"auto","preTokens":100,"tokensSaved":40,"compactedToolIds":["x"]}}`,
		}, want: []string{"system: Context microcompacted, auto, 100 tokens before, 40 tokens saved"}},
		{name: "rewind", lines: []string{"u1 - one", "a1 u1 first", "u2 a1 two", "a2 u2 second", "u3 a1 three", "a3 u3 third", "u4 a1 four", "a4 u4 x", "u5 - five"},
			want: []string{"user: one", "assistant: first", "user: two", "assistant: second", "rewind:  to 2, 0", "user: three", "assistant: third",
				"rewind:  to 2, 0", "user: four", "assistant: x", "rewind:  to 0, 0", "user: five"}},
		{name: "rewind by a command", lines: []string{"u1 - one", "a1 u1 first", "u2 a1 two", "a2 u2 second",
			`{"uuid":"x1","parentUuid":"a1","type":"user","isMeta":true,"message":{"content":"<local-command-caveat>Caveat"}}`,
			"u3 x1 <command-name>/cost</command-name>", "u4 u3 three"},
			want: []string{"user: one", "assistant: first", "user: two", "assistant: second", "rewind:  to 2, 0",
				"user injected: <local-command-caveat>Caveat", "user injected: <command-name>/cost</command-name>", "user: three"}},
		{name: "no rewind", lines: []string{"u1 - one", "t1 u1 ls", "t2 t1 pwd", "r1 t1 t1 files", "r2 t2 t2 here",
			"u2 t1 [Request interrupted by user for tool use]", "s1 r2 informational", "s2 r2 turn_duration", "u3 s1 next"},
			want: []string{"user: one", `tool-call: Bash {"command":"ls"}`, `tool-call: Bash {"command":"pwd"}`, "tool-result: Bash files", "tool-result: Bash here",
				"user injected: [Request interrupted by user for tool use]", "system: said", "user: next"}},
		{name: "no rewind over what the program adds", lines: []string{"u1 - one", "a1 u1 first", "u2 a1 <task-notification>done", "u3 a1 two"},
			want: []string{"user: one", "assistant: first", "user injected: <task-notification>done", "user: two"}},
		{name: "errors", lines: []string{
			`{"uuid":"x1","type":"assistant","isApiErrorMessage":true,"message":{"model":"<synthetic>","content":[{"type":"text","text":"API Error: 500"}]}}`,
			`{"uuid":"x2","type":"system","subtype":"api_error","error":{"status":529,"error":{"error":{"message":"Overloaded"}}},"retryAttempt":1,"maxRetries":10}`,
			`{"uuid":"x3","type":"system","subtype":"turn_duration","durationMs":5}`,
			`{"uuid":"x4","type":"system","subtype":"local_command","content":"<command-name>/skills</command-name>"}`,
		}, want: []string{"assistant: API Error: 500", "system: api error 529: Overloaded (attempt 1 of 10)", "system: <command-name>/skills</command-name>"}},
		{name: "not understood", lines: []string{`{"type":"hologram","uuid":"x1","x":1}`, `{"torn":`, `[1]`, `{"a":"b"}`,
			`{"uuid":"x2","type":"assistant","message":{"content":[{"type":"smell","of":"roses"}]}}`,
			`{"type":"file-history-snapshot","messageId":"m"}`},
			want: []string{"unknown: hologram", "unknown: not JSON", "unknown: not an object", "unknown: no type", "unknown: assistant smell"}},
		{name: "invalid UTF-8", lines: []string{"u1 - a", `{"uuid":"x1","type":"user","message":{"content":"a` + "\xff" + `b"}}`},
			want: []string{"user: a", "user: a\xffb"}},
		{name: "inline sidechain", lines: []string{
			"u1 - go", `{"uuid":"x1","parentUuid":null,"isSidechain":true,"agentId":"a9","type":"user","message":{"content":"search"}}`,
			`{"uuid":"x2","parentUuid":"x1","isSidechain":true,"type":"assistant","message":{"content":[{"type":"text","text":"found"}]}}`, "u2 u1 next",
		}, want: []string{"user: go", "user injected a9: search", "assistant sidechain: found", "user: next"}},
		{name: "subagent told by its progress", lines: []string{
			"u1 - go", "t1 u1 x",
			`{"uuid":"p1","type":"progress","data":{"type":"agent_progress","agentId":"a9","prompt":"search","message":{"type":"user","uuid":"i1","message":{"content":[{"type":"text","text":"search"}]}}}}`,
			`{"uuid":"p2","type":"progress","data":{"type":"agent_progress","agentId":"a9","message":{"type":"assistant","uuid":"i2","message":{"id":"m","content":[{"type":"tool_use","id":"ic","name":"Grep","input":{}}]}}}}`,
			`{"uuid":"p3","type":"progress","data":{"type":"agent_progress","agentId":"a9","message":{"type":"assistant","uuid":"i2","message":{"id":"m","content":[{"type":"tool_use","id":"ic","name":"Grep","input":{}}]}}}}`,
			`{"uuid":"p4","type":"progress","data":{"type":"agent_progress","agentId":"a9","message":{"type":"user","uuid":"i3","message":{"content":[{"type":"tool_result","tool_use_id":"ic","content":"hit"}]}}}}`,
			`{"uuid":"x9","type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"call-t1","content":"done"}]},"toolUseResult":{"status":"completed","agentId":"a9"}}`,
			"u2 x9 next",
		}, want: []string{"user: go", `tool-call: Bash {"command":"x"}`, "user injected a9: search", "tool-call a9: Grep {}", "tool-result a9: Grep hit",
			"tool-result agent-a9: Bash done", "user: next"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			out := historytest.RoundTrip(t, func() history.Reader { return newReader("/p/" + claudeID + ".jsonl") }, said(test.lines...), test.inherited...)
			if got := brief(out.Events); !slices.Equal(got, test.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
		})
	}
}

func TestClaudeQueue(t *testing.T) {
	enqueue := func(text string) string {
		return fmt.Sprintf(`{"type":"queue-operation","operation":"enqueue","timestamp":"2026-01-02T03:04:05Z","content":%q}`, text)
	}
	operation := func(name string) string { return fmt.Sprintf(`{"type":"queue-operation","operation":%q}`, name) }
	attached := func(uuid, text string) string {
		return fmt.Sprintf(`{"uuid":%q,"type":"attachment","attachment":{"type":"queued_command","commandMode":"prompt","prompt":[{"type":"text","text":%q}]}}`, uuid, text)
	}
	for name, test := range map[string]struct{ lines, want []string }{
		"taken up, and nothing else told": {[]string{enqueue("A"), enqueue("B"), operation("remove"), "a1 - x", operation("remove")},
			[]string{"user queued: A", "assistant: x", "user queued: B"}},
		"told by an attachment after": {[]string{enqueue("A"), operation("remove"), attached("q1", "A"), "a1 - x"}, []string{"user queued: A", "assistant: x"}},
		"told by an attachment before": {[]string{enqueue("A"), enqueue("B"), attached("q1", "A"), operation("remove"), "a1 - x", operation("remove")},
			[]string{"user queued: A", "assistant: x", "user queued: B"}},
		"attachment alone":           {[]string{attached("q1", "A")}, []string{"user queued: A"}},
		"sent as a record":           {[]string{enqueue("A"), operation("dequeue"), "u1 - A", "u2 u1 A"}, []string{"user queued: A", "user: A"}},
		"sent together":              {[]string{enqueue("A"), enqueue("B"), operation("dequeue"), operation("dequeue"), "u1 - A\nB"}, []string{"user queued: A\nB"}},
		"taken back into the editor": {[]string{enqueue("A"), operation("popAll"), "u1 - A and more"}, []string{"user: A and more"}},
		"said again after it was told": {[]string{enqueue("yes"), operation("remove"), "a1 - x", "u1 a1 yes", attached("q2", "yes")},
			[]string{"user queued: yes", "assistant: x", "user: yes", "user queued: yes"}},
		"left by a program that was ended": {[]string{enqueue("A"), "u1 - new", enqueue("B"), operation("remove")}, []string{"user: new", "user queued: B"}},
		"sent before it is dequeued":       {[]string{enqueue("A"), "u1 - A", operation("dequeue")}, []string{"user queued: A"}},
		"a notice":                         {[]string{enqueue("<task-notification>x"), operation("remove")}, []string{"user injected: <task-notification>x"}},
		"which one is told": {[]string{enqueue("A"), enqueue("B"), `{"type":"queue-operation","operation":"remove","reason":"absorbed_mid_turn","content":"B"}`},
			[]string{"user queued: B"}},
	} {
		t.Run(name, func(t *testing.T) {
			out := historytest.RoundTrip(t, func() history.Reader { return newReader("/p/" + claudeID + ".jsonl") }, said(test.lines...))
			if got := brief(out.Events); !slices.Equal(got, test.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
		})
	}
}

func TestClaudeSession(t *testing.T) {
	out := historytest.RoundTrip(t, func() history.Reader { return newReader("/p/" + claudeID + ".jsonl") }, said(
		`{"type":"summary","summary":"of another","leafUuid":"gone"}`,
		`{"uuid":"x1","type":"user","cwd":"/a","gitBranch":"main","version":"2.1.1","timestamp":"2026-01-02T05:04:05+02:00","message":{"content":"first"}}`,
		`{"type":"summary","summary":"of this","leafUuid":"x1"}`,
		`{"type":"ai-title","aiTitle":"made by a model"}`,
		`{"type":"summary","summary":"later","leafUuid":"x1"}`,
		`{"uuid":"x2","type":"assistant","cwd":"/b","gitBranch":"next","version":"2.1.2","message":{"model":"claude-x","content":[]}}`,
		`{"uuid":"x3","type":"assistant","message":{"model":"<synthetic>","content":[{"type":"text","text":"No response requested."}]}}`,
	))
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	want := event.Session{CWD: "/a", Title: "made by a model", TitleRank: event.FromSummary, Model: "claude-x", Branch: "next", Program: "2.1.2", Start: at, Last: at}
	fstest.Equal(t, fmt.Sprint(out.Of), fmt.Sprint(want), out.Of, want)
}

// A continuation's file begins with the id of the previous session.
func TestClaudeSuccessor(t *testing.T) {
	const before = "99999999-2222-3333-4444-555555555555"
	log := said(`{"uuid":"x1","sessionId":"`+before+`","type":"user","message":{"content":"told there"}}`, "u2 x1 told here")
	open := func() history.Reader { return newReader("/p/" + claudeID + ".jsonl") }
	out := historytest.RoundTrip(t, open, log, "x1")
	if got := brief(out.Events); out.Of.ForkOf != before || !slices.Equal(got, []string{"fork: " + before + " to 0, 1", "user: told here"}) {
		t.Errorf("%+v %q", out.Of, got)
	}
	// Where the previous session does not exist, everything is emitted here.
	fstest.EqualSlices(t, brief(historytest.RoundTrip(t, open, log).Events), []string{"user: told there", "user: told here"})
}

func TestClaudeTornAndLong(t *testing.T) {
	long := strings.Repeat("é\\ \"", 250_000)
	log := append(said("u1 - "+long), `{"uuid":"u2","type":"us`...)
	out := historytest.RoundTrip(t, func() history.Reader { return newReader("/p/" + claudeID + ".jsonl") }, log)
	if len(out.Events) != 1 || out.Events[0].Text != long {
		t.Errorf("%d events, the first of %d bytes", len(out.Events), len(out.Events[0].Text))
	}
}

func TestClaudeFiles(t *testing.T) {
	dir := t.TempDir()
	session := filepath.Join(dir, "p", claudeID)
	files := map[string]string{
		"subagents/agent-a1.jsonl":                "",
		"subagents/agent-a1.meta.json":            `{"agentType":"x","description":"looks around","parentAgentId":"a0"}`,
		"subagents/workflows/wf_1/agent-a2.jsonl": "",
		"tool-results/toolu_1.txt":                "whole",
	}
	for name, text := range files {
		path := filepath.Join(session, name)
		fstest.Must(t, os.MkdirAll(filepath.Dir(path), 0o700))
		fstest.Must(t, os.WriteFile(path, []byte(text), 0o600))
	}
	fstest.Must(t, os.Symlink("/etc/passwd", filepath.Join(session, "tool-results", "link.txt")))
	progress := func(n int, agent string) string {
		return fmt.Sprintf(`{"uuid":"p%d","type":"progress","data":{"type":"agent_progress","agentId":%q,"message":{"type":"user","uuid":"i%d","message":{"content":"work"}}}}`, n, agent, n)
	}
	spilled := func(n int, text string) string {
		return fmt.Sprintf(`{"uuid":"r%d","type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"c","content":%q}]}}`, n, text)
	}
	open := func() history.Reader { return newReader(session + ".jsonl") }
	out := historytest.RoundTrip(t, open, said(
		progress(1, "a1"), progress(2, "a2"), progress(3, "a3"), progress(4, "../../"+claudeID+"/subagents/agent-a1"),
		spilled(1, "<persisted-output>\nOutput too large (52KB). Full output saved to: /gone/tool-results/toolu_1.txt\n\nPreview"),
		spilled(2, "Error: too long. Output has been saved to /gone/tool-results/toolu_1.txt.\nMore"),
		spilled(3, "<persisted-output>\nsaved to: /gone/tool-results/../../secret"),
		spilled(4, "<persisted-output>\nsaved to: /gone/tool-results/link.txt"),
		`{"uuid":"r5","type":"user","message":{"content":[{"type":"tool_result","content":"<persisted-output>"}]},"toolUseResult":{"persistedOutputPath":"C:\\x\\tool-results\\toolu_1.txt"}}`,
	))
	var spills []string
	told := make(map[string]bool)
	for _, e := range out.Events {
		if e.Result != nil {
			spills = append(spills, e.Result.Spill)
		} else if !e.Quiet {
			told[e.Agent] = true
		}
	}
	whole := filepath.Join(session, "tool-results", "toolu_1.txt")
	fstest.EqualSlices(t, spills, []string{whole, whole, "", "", whole}, "spills")
	if told["a1"] || told["a2"] || !told["a3"] {
		t.Errorf("told inline: %v", told)
	}

	sub := historytest.RoundTrip(t, func() history.Reader { return newReader(filepath.Join(session, "subagents", "agent-a1.jsonl")) }, said(
		`{"uuid":"x1","parentUuid":null,"isSidechain":true,"agentId":"a1","sessionId":"`+claudeID+`","type":"user","message":{"content":"search"}}`, spilled(1, "<persisted-output>\nsaved to: /gone/tool-results/toolu_1.txt")))
	if got := brief(sub.Events); sub.Of.Parent != "agent-a0" || sub.Of.ForkOf != "" || sub.Of.Title != "looks around" ||
		!slices.Equal(got[:1], []string{"user injected: search"}) || sub.Events[1].Result.Spill != whole {
		t.Errorf("%+v %q", sub.Of, got)
	}

	old := historytest.RoundTrip(t, func() history.Reader { return newReader(filepath.Join(dir, "p", "agent-b1.jsonl")) }, said(
		`{"uuid":"x1","parentUuid":null,"isSidechain":true,"agentId":"b1","sessionId":"`+claudeID+`","type":"user","message":{"content":"search"}}`, spilled(1, "<persisted-output>\nsaved to: /gone/tool-results/toolu_1.txt")))
	if old.Of.Parent != claudeID || old.Of.Title != "search" || old.Events[1].Result.Spill != whole {
		t.Errorf("%+v %+v", old.Of, old.Events[1])
	}
}

func TestClaudePlaces(t *testing.T) {
	env := map[string]string{}
	m := history.Machine{Home: "/home/u", OS: "linux", LookupEnv: func(name string) (string, bool) { v, ok := env[name]; return v, ok }}
	dirs := func() (dirs []string) {
		for _, p := range Agent().Places(m) {
			dirs = append(dirs, p.Dir)
		}
		return dirs
	}
	fstest.EqualSlices(t, dirs(), []string{"/home/u/.claude/projects", "/home/u/.config/claude/projects"})
	env["CLAUDE_CONFIG_DIR"] = "~/.config/claude"
	fstest.EqualSlices(t, dirs(), []string{"/home/u/.config/claude/projects"})
	for rel, want := range map[string]string{
		"p/s.jsonl": "s ", "p/agent-a.jsonl": "agent-a ", "p/s/subagents/agent-a.jsonl": "agent-a s", "p/s/subagents/workflows/wf_1/agent-a.jsonl": "agent-a s",
		"p/s/subagents/workflows/wf_1/journal.jsonl": "", "p/s/subagents/agent-a.meta.json": "", "p/s/tool-results/x.jsonl": "", "p/history.jsonl": "",
		"history.jsonl": "", "s.jsonl": "", "p/.credentials.json": "", "p/s/x.jsonl": "", "p/.jsonl": "",
	} {
		got := ""
		if log, ok := formatOf(rel).(history.Log); ok {
			got = log.ID + " " + log.Parent
		}
		fstest.Equal(t, got, want, rel)
	}
	for rel, want := range map[string]bool{"p": false, "p/s": false, "p/memory": true, "p/s/tool-results": true, "p/s/subagents": false, "p/s/subagents/workflows": false} {
		fstest.Equal(t, skip(rel), want, "skipped", rel, !want)
	}
}

// FuzzClaudeCode: whatever a log contains, no line is lost, nothing panics, and a
// reader that is saved and restored emits the same.
func FuzzClaudeCode(f *testing.F) {
	historytest.FuzzText(f, func(t *testing.T, log string) {
		out := historytest.RoundTrip(t, func() history.Reader { return newReader("/nowhere/p/" + claudeID + ".jsonl") }, []byte(log))
		for _, e := range out.Events {
			if e.Kind == "" || e.Kind == event.Unknown && e.Record == "" {
				t.Fatalf("an event without a kind or a record: %+v", e)
			}
		}
	},
		string(said("u1 - hello", "a1 u1 hi", "t1 a1 ls", "r1 t1 t1 out", "u2 a1 again", "s1 u2 compact_boundary")),
		string(said(`{"uuid":"c","type":"system","subtype":"compact_boundary","compactMetadata":{"trigger":"auto","preTokens":1}}`,
			`{"type":"queue-operation","operation":"enqueue","content":"A"}`, `{"type":"queue-operation","operation":"dequeue"}`,
			`{"uuid":"q","type":"attachment","attachment":{"type":"queued_command","prompt":[{"type":"text","text":"A"}],"origin":{"kind":"human"}}}`,
			`{"type":"summary","summary":"s","leafUuid":"q"}`, `{"uuid":"i","isSidechain":true,"type":"assistant","message":{"id":"m","content":[{"type":"text","text":"x"},{"type":"thinking","thinking":"y"}]}}`)),
		"{\"type\":\"user\",\"message\":{\"content\":[{\"type\":\"tool_result\",\"content\":[1,{}]}]},\"toolUseResult\":{\"agentId\":\"\xff\"}}\n",
		"{\"type\":\"queue-operation\",\"operation\":\"enqueue\",\"content\":\"\xff\"}\n{\"type\":\"queue-operation\",\"operation\":\"remove\"}\n",
		"{\"uuid\":\"x\",\"type\":\"progress\",\"data\":{\"type\":\"agent_progress\",\"agentId\":\"\xfe\",\"message\":{\"type\":\"assistant\",\"uuid\":\"y\",\"message\":{\"id\":\"\xff\",\"content\":[{\"type\":\"tool_use\",\"id\":\"\xff\",\"name\":\"\xff\"}]}}}}\n")
}
