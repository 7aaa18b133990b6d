package repeats

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"ctxfs/fs"
)

// TestThirdFailure: at the third failure of the same call in the same way the agent is told,
// with what is known of how it works.
func TestThirdFailure(t *testing.T) {
	bash := func(line, output string, failed bool) fs.AgentCall {
		return fs.AgentCall{Tool: "Bash", Command: line, Output: output, Failed: failed}
	}
	mcp := func(input string) fs.AgentCall {
		return fs.AgentCall{Tool: "create_issue", Server: "hub", Input: json.RawMessage(input), Output: "error: title is missing", Failed: true}
	}
	signature := func(server, tool string) string {
		if server == "hub" && tool == "create_issue" {
			return "hub/create_issue(title, body?)"
		}
		return ""
	}
	for what, c := range map[string]struct {
		calls []fs.AgentCall
		want  []string // parts of what is told after the last call; none for nothing
	}{
		"a command": {
			[]fs.AgentCall{bash("make  all", "a.c:1: error: x\nmake: *** Error 1", true), bash("make all", "a.c:1: error: x\nmake: *** Error 2", true), bash("make all\n", "a.c:9: error: x\n", true)},
			[]string{"failed 3 times in the same way: `a.c:9: error: x`. Find the cause"},
		},
		"twice": {[]fs.AgentCall{bash("make", "error: x", true), bash("make", "error: x", true)}, nil},
		"in another way": {
			[]fs.AgentCall{bash("make", "error: x", true), bash("make", "error: x", true), bash("make", "error: y", true)}, nil,
		},
		"another call": {
			[]fs.AgentCall{bash("make", "error: x", true), bash("make", "error: x", true), bash("make install", "error: x", true)}, nil,
		},
		"it worked between": {
			[]fs.AgentCall{bash("make", "error: x", true), bash("make", "error: x", true), bash("make", "ok", false), bash("make", "error: x", true)}, nil,
		},
		"it worked before": {
			[]fs.AgentCall{bash("make", "ok", false), bash("make", "error: x", true), bash("make", "error: x", true), bash("make", "error: x", true)},
			[]string{"The same call worked 2026-05-01T12:00:00Z"},
		},
		"another one of the program worked": {
			[]fs.AgentCall{bash("cd a && npm test -- --token=ghp_000000000000000000000000000000000001 `x`", "ok", false), bash("npm test", "FAIL", true), bash("npm test", "FAIL", true), bash("npm test", "FAIL", true)},
			[]string{"This one worked 2026-05-01T12:00:00Z: `cd a && npm test -- --token="},
		},
		"an exit code that only the output has": {
			[]fs.AgentCall{bash("go vet", "Exit code: 1\nWall time: 1 s\nOutput:\nx: undefined: y", false), bash("go vet", "Exit code: 1\nWall time: 2 s\nOutput:\nx: undefined: y", false), bash("go vet", "Exit code: 1\nWall time: 3 s\nOutput:\nx: undefined: y", false)},
			[]string{"3 times in the same way: `x: undefined: y`"},
		},
		"a program that says exit code 1": {
			[]fs.AgentCall{bash("cat a", "text\n\nexit code 1\n", false), bash("cat a", "text\n\nexit code 1\n", false), bash("cat a", "text\n\nexit code 1\n", false)}, nil,
		},
		"a tool of a server, however its arguments are written": {
			[]fs.AgentCall{mcp(`{"body":"x","n":1}`), mcp(`{ "n":1, "body":"x" }`), mcp(`{"body":"x","n":1}`)},
			[]string{"`error: title is missing`", "It takes: hub/create_issue(title, body?) (`?` marks"},
		},
		"a tool of a server that worked with others": {
			[]fs.AgentCall{{Tool: "create_issue", Server: "hub", Input: json.RawMessage(`{"title":"x"}`), Output: "ok"}, mcp(`{"body":"x"}`), mcp(`{"body":"x"}`), mcp(`{"body":"x"}`)},
			[]string{"It takes: hub/create_issue(", "This one worked 2026-05-01T12:00:00Z: `{\"title\":\"x\"}`."},
		},
		"a tool of a server in a shell": {
			[]fs.AgentCall{bash("ctxfs call hub create_issue --body x", "error", true), bash("ctxfs call hub create_issue --body x", "error", true), bash("ctxfs call hub create_issue --body x", "error", true)},
			[]string{"It takes: hub/create_issue(title, body?)"},
		},
		"foreign words": {
			[]fs.AgentCall{bash("x", "", true), bash("x", "", true), bash("x", "error: \x1b]0;`rm`\u202e token=ghp_000000000000000000000000000000000001", true)}, nil,
		},
		"no words": {[]fs.AgentCall{bash("x", "", true), bash("x", "", true), bash("x", "", true)}, []string{"in the same way: without a word."}},
		"a tool without arguments": {
			[]fs.AgentCall{{Tool: "x", Failed: true}, {Tool: "x", Failed: true}, {Tool: "x", Failed: true}}, nil,
		},
	} {
		w := New(Options{Signature: signature})
		var news []fs.News
		for i, call := range c.calls {
			at := time.Date(2026, 5, 1, 12, i, 0, 0, time.UTC)
			news = w.News(t.Context(), fs.Moment{Kind: fs.AfterTool, Agent: "a", Session: "s", Time: at, Call: &call})
			w.News(t.Context(), fs.Moment{Kind: fs.AfterTool, Agent: "a", Session: "other", Time: at, Call: &fs.AgentCall{Tool: "Bash", Command: "make", Output: "ok"}})
		}
		text := ""
		for _, n := range news {
			text += n.Text
			if n.Kind != fs.NewsRepeats || n.Key == "" || n.Rank != fs.Behind {
				t.Errorf("%s: %+v", what, n)
			}
		}
		if c.want == nil && text != "" {
			t.Errorf("%s: %s", what, text)
		}
		for _, want := range c.want {
			if !strings.Contains(text, want) || strings.Contains(text, "ghp_0") || strings.Contains(text, "\n") {
				t.Errorf("%s: %q lacks %q", what, text, want)
			}
		}
	}
}

// TestOnceForACall: hooks that an agent runs for one and the same call count as one.
func TestOnceForACall(t *testing.T) {
	w := New(Options{})
	told := 0
	for i := range 4 {
		for _, output := range []string{"error: x", "Command failed with exit code 1"} { // as Cursor's two hooks have it
			call := &fs.AgentCall{ID: fmt.Sprint("call_", i), Tool: "Shell", Command: "make", Output: output, Failed: true}
			news := w.News(t.Context(), fs.Moment{Kind: fs.AfterTool, Session: "s", Call: call})
			if (len(news) > 0) != (i >= 2) {
				t.Errorf("call %d, %q: %+v", i+1, output, news)
			}
			for _, n := range news {
				if told++; !strings.Contains(n.Text, fmt.Sprintf("failed %d times", i+1)) {
					t.Errorf("call %d: %s", i+1, n.Text)
				}
			}
		}
	}
	if told != 4 {
		t.Errorf("told %d times", told)
	}
}

// TestFailureOf: a failure is found where agents write it, and its cause is the program's.
func TestFailureOf(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a line of the output\n", 200)
	for output, want := range map[string]string{
		"no such thing\n<exited with exit code 1>":                                        "no such thing",
		long + "done\n<exited with exit code 2>\n":                                        "done",
		"<exited with exit code 1>":                                                       "",
		"Output: " + long + "\nbad: y\nExit Code: 1":                                      "bad: y",
		"Output: bad: y\nExit Code: 1\nProcess Group PGID: 4002":                          "bad: y",
		"Output: bad: y\nExit Code: 1\nBackground PIDs: 1, 2\nProcess Group PGID: 4002\n": "bad: y",
		"Output: (empty)\nExit Code: 1\nProcess Group PGID: 4002":                         "",
		"Output: ok\nProcess Group PGID: 4002":                                            "worked",
		"Output: exit code 1\nthat was it\nProcess Group PGID: 4002":                      "worked",
		"ok\n<exited with exit code 0>":                                                   "worked",
		"<exited with exit code 1>\nis what it prints":                                    "worked",
	} {
		failed, cause := failureOf(&fs.AgentCall{Tool: "bash", Command: "x", Output: output})
		if failed != (want != "worked") || failed && cause != want {
			t.Errorf("%.80q: failed %v, %q, want %q", output, failed, cause, want)
		}
	}
}

// TestItIsBounded: what is remembered is bounded, and a failure is told with one key.
func TestItIsBounded(t *testing.T) {
	w := New(Options{})
	fail := func(session, line string) []fs.News {
		return w.News(t.Context(), fs.Moment{Kind: fs.AfterTool, Session: session, Call: &fs.AgentCall{Command: line, Failed: true, Output: strings.Repeat("error ", 1<<8)}})
	}
	for i := range 2 * mostSessions {
		fail(fmt.Sprint("s", i), "x")
	}
	for i := range 2 * mostCalls {
		fail("s", fmt.Sprint("x", i))
	}
	if len(w.sessions) != mostSessions || len(w.sessions[mostSessions-1].calls) != mostCalls {
		t.Errorf("%d sessions, %d calls", len(w.sessions), len(w.sessions[mostSessions-1].calls))
	}
	for i := range 2 * mostCalls {
		w.News(t.Context(), fs.Moment{Kind: fs.AfterTool, Session: "s", Call: &fs.AgentCall{ID: fmt.Sprint(i), Command: "x"}})
	}
	if n := len(w.sessions[mostSessions-1].counted); n != mostCalls {
		t.Errorf("%d ids are kept", n)
	}
	long := strings.Repeat("error ", 1<<16)
	w.News(t.Context(), fs.Moment{Kind: fs.AfterTool, Session: "long", Call: &fs.AgentCall{Command: long, Failed: true, Output: long}})
	if c := w.sessions[mostSessions-1].calls[0]; len(c.line) > 1<<10 || len(c.failure) > 1<<10 {
		t.Errorf("%d and %d bytes of a call are kept", len(c.line), len(c.failure))
	}
	fail("t", "y")
	fail("t", "y")
	third, fourth := fail("t", "y"), fail("t", "y")
	if len(third) != 1 || len(fourth) != 1 || third[0].Key != fourth[0].Key {
		t.Errorf("%+v, then %+v", third, fourth)
	}
	for _, m := range []fs.Moment{{Kind: fs.AfterTool, Session: "t"}, {Kind: fs.BeforeTool, Session: "t"}, {Kind: fs.AfterTool, Call: &fs.AgentCall{Command: "y"}}} {
		if news := w.News(t.Context(), m); news != nil {
			t.Errorf("%+v: %+v", m, news)
		}
	}
}
