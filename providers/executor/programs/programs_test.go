package programs

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/executor/request"
	"ctxfs/providers/internal/agents"
)

// program returns an agent as if it was installed.
func program(t *testing.T, name string) Program {
	t.Helper()
	a, ok := lookup(name)
	if !ok {
		t.Fatalf("%s is not known", name)
	}
	return Program{ID: a.id, path: "/bin/" + a.program, agent: &a}
}

// reads has a program read a text, and returns what it shows of it besides.
func reads(t *testing.T, p Program, text string, o Options) (out Output, shown []string) {
	t.Helper()
	if o.Scratch == "" {
		o.Scratch = t.TempDir()
	}
	session := ""
	out, err := p.Read(strings.NewReader(text), o, Live{
		Show:    func(text string) { shown = append(shown, strings.Split(text, "\n")...) },
		Session: func(id string) { session += id },
	})
	fstest.Must(t, err)
	fstest.Equal(t, session, out.Session, "its session was made known as")
	return out, shown
}

// TestStreams reads what agents have printed: Claude Code, Codex, Gemini CLI, opencode and
// Copilot themselves, with a model of tests; the others as their documents say.
func TestStreams(t *testing.T) {
	const said, did = `it was "answered" indeed`, "echo did-that"
	one := &request.Usage{InputTokens: 20, OutputTokens: 18}
	priced := *one
	priced.CostUSD = 0.00055
	for file, want := range map[string]struct {
		out   Output
		shown []string
	}{
		"claude-code": {Output{Text: said, Session: "39d9c83b-3ae4-443e-a8d4-faa8d3f750e4", Usage: &priced}, []string{"* Bash " + did, said}},
		"codex":       {Output{Text: said, Session: "01a2180d-c8d1-7082-a1bc-639159b37d0d", Usage: one}, []string{said}},
		"codex-commands": {
			Output{Text: `{"ready": true}`, Session: "01a2180d-c8d1-7082-a1bc-639159b37d0d", Usage: &request.Usage{InputTokens: 315, CacheReadTokens: 24448, OutputTokens: 122}},
			[]string{"I look at the test first.", "* $ bash -lc 'go test ./...'", "* edit login.go clock.go", "* github/create_issue", `{"ready": true}`},
		},
		"gemini":   {Output{Text: said, Session: "0e385faf-0f26-4065-8c10-816dae574f62", Usage: one}, []string{"* run_shell_command " + did, said}},
		"opencode": {Output{Text: said, Session: "ses_de7f22091ffeRpC5mea7U8pf2R", Usage: one}, []string{"* bash " + did, said}},
		"copilot":  {Output{Text: said, Session: "0cb916db-26aa-40f2-86b5-1ba81b225fd2"}, []string{"* bash " + did, said}},
		"cursor": {
			Output{Text: "I'll read the fileIt is a project.", Session: "c6b62c6f-7ead-4fd6-9922-e952131177ff", Usage: &request.Usage{InputTokens: 12, OutputTokens: 34, CacheReadTokens: 5600, CacheWriteTokens: 78}},
			[]string{"I'll read the file", "* read README.md", "It is a project."},
		},
		"amp": {
			Output{Text: "5", Session: "T-f916b832-c070-4853-8ab3-5e7596953bec", Usage: &request.Usage{InputTokens: 20, CacheReadTokens: 12240, CacheWriteTokens: 12240, OutputTokens: 16}},
			[]string{"* Bash expr 2 + 3", "5"},
		},
		"goose": {Output{Text: "There is a file."}, []string{"I look", " at it.", "* developer__shell ls", "There is ", "a file."}},
	} {
		text, err := os.ReadFile(filepath.Join("testdata", file+".jsonl"))
		fstest.Must(t, err)
		p := program(t, strings.TrimSuffix(file, "-commands"))
		for range 2 { // with and without the end of the last line
			out, shown := reads(t, p, string(text), Options{})
			got, _ := json.Marshal(out)
			wanted, _ := json.Marshal(want.out)
			if string(got) != string(wanted) || !slices.Equal(shown, want.shown) {
				t.Errorf("%s:\n%s\nwant\n%s\nshown %q", file, got, wanted, shown)
			}
			text = []byte(strings.TrimSuffix(string(text), "\n"))
		}
	}
}

// TestStructured: an answer to a schema is passed on, and that an agent has no flag for it.
func TestStructured(t *testing.T) {
	o := Options{Schema: json.RawMessage(`{"type":"object"}`)}
	for name, c := range map[string]struct{ text, want string }{
		"claude":   {`{"type":"result","subtype":"success","result":"","structured_output":{"ready":true}}`, `{"ready":true}`},
		"codex":    {`{"type":"item.completed","item":{"type":"agent_message","text":"{\"ready\":true}"}}`, `{"ready":true}`},
		"opencode": {`{"type":"text","part":{"text":"{}"}}`, `"unsupported"`},
	} {
		if out, _ := reads(t, program(t, name), c.text, o); string(out.Structured) != c.want {
			t.Errorf("%s: %s", name, out.Structured)
		}
	}
	if out, _ := reads(t, program(t, "codex"), `{"type":"item.completed","item":{"type":"agent_message","text":"no"}}`, o); out.Structured != nil {
		t.Errorf("%s", out.Structured)
	}
}

// TestFailures: why an agent failed is what it says, whatever its exit code.
func TestFailures(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"claude":      {`{"type":"result","subtype":"error_max_turns","is_error":true}`, "error_max_turns"},
		"claude-code": {`{"type":"result","subtype":"success","is_error":true,"result":"Invalid API key"}`, "Invalid API key"},
		"codex":       {`{"type":"error","message":"once more"}` + "\n" + `{"type":"turn.failed","error":{"message":"401\nUnauthorized"}}`, "401 Unauthorized"},
		"gemini":      {`{"type":"result","status":"error","error":{"type":"x","message":"quota"}}`, "quota"},
		"opencode":    {`{"type":"error","error":{"name":"ProviderAuthError","data":{"message":"no key"}}}`, "no key"},
		"copilot":     {`{"type":"session.error","data":{"message":"not logged in"}}`, "not logged in"},
		"goose":       {`{"type":"error","error":"no provider"}`, "no provider"},
	} {
		if out, _ := reads(t, program(t, name), c.text, Options{}); out.Failed != c.want {
			t.Errorf("%s: %q", name, out.Failed)
		}
	}
}

// TestOtherOutput: what is no event is shown as it is, and the answer where there is no
// other; events of another form, and lines that are too long, are passed over.
func TestOtherOutput(t *testing.T) {
	for _, name := range Names() {
		p, long := program(t, name), ""
		if name == "opencode" { // one is enough for what they have in common
			long = `{"type":"text","part":{"text":"` + strings.Repeat("x", maxEvent) + `"}}` + "\n"
		}
		out, shown := reads(t, p, "error: unknown option\n"+long+"{\"type\":7}\n{\"type\":\"assistant\",\"message\":[]}\n{\"half\n", Options{})
		if out.Text != "error: unknown option\n{\"half\n" || !slices.Equal(shown, []string{"error: unknown option", "{\"half"}) {
			t.Errorf("%s: %q, shown %d", name, out.Text, len(shown))
		}
	}
}

// TestInvoke: each agent gets its flags, then those of its kind, and last the prompt.
func TestInvoke(t *testing.T) {
	o := Options{Prompt: "do it", Hint: "Context is there.", Mount: "/m", Dir: "/work", Scratch: t.TempDir()}
	const prompt = "do it\n\nContext is there."
	for _, name := range Names() {
		p := program(t, name)
		p.kind.Args = []string{"--model", "m1"}
		for _, readOnly := range []bool{false, true} {
			o.ReadOnly = readOnly
			argv := p.Invoke(o).Argv
			at := slices.Index(argv, "--model")
			if argv[0] != "/bin/"+name || at < 2 || argv[at+1] != "m1" || at+2 >= len(argv) || !strings.HasSuffix(argv[len(argv)-1], prompt) {
				t.Errorf("%q", argv)
			}
		}
	}
	for name, want := range map[string]string{
		"claude": "--permission-mode=plan", "codex": "--sandbox=read-only", "cursor-agent": "--mode=ask",
		"gemini": "--approval-mode=plan", "opencode": "--agent=plan", "copilot": "--deny-tool=write",
	} {
		p := program(t, name)
		o.ReadOnly = true
		if argv := p.Invoke(o).Argv; !slices.Contains(argv, want) || !p.HasReadOnly() {
			t.Errorf("%q", argv)
		}
		o.ReadOnly = false
		if argv := p.Invoke(o).Argv; slices.Contains(argv, want) {
			t.Errorf("%q", argv)
		}
	}
	o.Schema = json.RawMessage(`{"type":"object"}`)
	if argv := program(t, "claude").Invoke(o).Argv; !slices.Contains(argv, `--json-schema={"type":"object"}`) {
		t.Errorf("%q", argv)
	}
	path := filepath.Join(o.Scratch, "schema.json")
	if argv := program(t, "codex").Invoke(o).Argv; !slices.Contains(argv, "--output-schema="+path) {
		t.Errorf("%q", argv)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != string(o.Schema) {
		t.Errorf("%s, %v", text, err)
	}
}

// TestCopilotUsage: what requests took stands in a file that Copilot writes in the end.
func TestCopilotUsage(t *testing.T) {
	p, o := program(t, "copilot"), Options{Scratch: t.TempDir()}
	i := p.Invoke(o)
	if !slices.Contains(i.Argv, "--session-id="+i.Session) || len(i.Session) != 36 || i.Session[14] != '4' {
		t.Errorf("%+v", i)
	}
	text := `{"modelMetrics":{"a":{"usage":{"inputTokens":100,"outputTokens":7,"cacheReadTokens":60,"cacheWriteTokens":10}},"b":{"usage":{"inputTokens":1}}}}`
	fstest.Must(t, os.WriteFile(copilotUsage(o), []byte(text), 0o600))
	out, _ := reads(t, p, `{"type":"assistant.message","data":{"content":"done"}}`, o)
	if want := (request.Usage{InputTokens: 31, OutputTokens: 7, CacheReadTokens: 60, CacheWriteTokens: 10}); out.Usage == nil || *out.Usage != want || out.Text != "done" {
		t.Errorf("%+v", out)
	}
}

// TestFind: agents have two names; what nobody knows, and what is not installed, are errors
// that say so.
func TestFind(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"claude", "cursor-agent", "mine"} {
		fstest.Must(t, os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"), 0o755))
	}
	t.Setenv("PATH", dir)
	for name, id := range map[string]string{"claude": "claude-code", "claude-code": "claude-code", "cursor": "cursor", "cursor-agent": "cursor"} {
		if p, err := Find(name, request.Kind{Agent: name}); err != nil || p.ID != id || filepath.Dir(p.path) != dir {
			t.Errorf("%s: %+v, %v", name, p, err)
		}
	}
	if p, err := Find("kind", request.Kind{Command: []string{"mine"}}); err != nil || p.ID != "kind" {
		t.Errorf("%+v, %v", p, err)
	}
	_, err := Find("clade", request.Kind{Agent: "clade"})
	if unknown := (*UnknownError)(nil); !errors.As(err, &unknown) || unknown.Near != "claude" {
		t.Errorf("%v", err)
	}
	if _, err := Find("codex", request.Kind{Agent: "codex"}); err == nil || err.Error() != "Codex is not installed: there is no codex in PATH" || !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("%v", err)
	}
	fstest.EqualSlices(t, Available(request.Settings{Kinds: map[string]request.Kind{"explore": {}}}), []string{"explore", "claude", "cursor-agent"})
}

// TestKnown: each agent is one that ctxfs knows, and has state of its own.
func TestKnown(t *testing.T) {
	for _, a := range known() {
		if is := agents.ByID(a.id); len(is.State) == 0 || !slices.Contains(is.Programs, a.program) {
			t.Errorf("%s: %q, %q", a.id, is.State, is.Programs)
		}
	}
}

func FuzzStreams(f *testing.F) {
	files, err := filepath.Glob("testdata/*.jsonl")
	fstest.Must(f, err)
	for i, file := range files {
		text, err := os.ReadFile(file)
		fstest.Must(f, err)
		f.Add(text, i)
	}
	f.Fuzz(func(t *testing.T, text []byte, which int) {
		all := known()
		a := all[uint(which)%uint(len(all))]
		out, err := Program{agent: &a}.Read(strings.NewReader(string(text)), Options{Scratch: t.TempDir(), Schema: json.RawMessage(`{}`)}, Live{
			Show: func(text string) {
				if strings.ContainsAny(text, "\x1b\x07") && json.Valid([]byte(text)) {
					t.Errorf("%q", text)
				}
			},
			Session: func(string) {},
		})
		if err != nil {
			t.Error(err)
		}
		if out.Structured != nil && !json.Valid(out.Structured) {
			t.Errorf("%q", out.Structured)
		}
	})
}
