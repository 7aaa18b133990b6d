package hooks

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"ctxfs/fs/facts"
	"ctxfs/fs/fstest"
)

func newRepeats() *repeats { return &repeats{failing: make(map[string]failing)} }

// TestThirdFailure: at the third failure of the same call in the same way the agent is told.
func TestThirdFailure(t *testing.T) {
	bash := func(line, output string, failed bool) facts.AgentCall {
		return facts.AgentCall{Tool: "Bash", Command: line, Output: output, Failed: failed}
	}
	mcp := facts.AgentCall{Tool: "create_issue", Server: "hub", Input: json.RawMessage(`{"body":"x"}`), Output: "error: title is missing", Failed: true}
	for what, c := range map[string]struct {
		calls []facts.AgentCall
		want  string // part of what is told after the last call; "" for nothing
	}{
		"a command": {
			[]facts.AgentCall{bash("make  all", "a.c:1: error: x\nmake: *** Error 1", true), bash("make all", "a.c:1: error: x\nmake: *** Error 2", true), bash("make all\n", "a.c:9: error: x\n", true)},
			"failed 3 times in the same way: `a.c:9: error: x`. Find the cause",
		},
		"twice":             {[]facts.AgentCall{bash("make", "error: x", true), bash("make", "error: x", true)}, ""},
		"in another way":    {[]facts.AgentCall{bash("make", "error: x", true), bash("make", "error: x", true), bash("make", "error: y", true)}, ""},
		"another call":      {[]facts.AgentCall{bash("make", "error: x", true), bash("make", "error: x", true), bash("make install", "error: x", true)}, ""},
		"it worked between": {[]facts.AgentCall{bash("make", "error: x", true), bash("make", "error: x", true), bash("make", "ok", false), bash("make", "error: x", true)}, ""},
		"an exit code that only the output has": {
			[]facts.AgentCall{bash("go vet", "Exit code: 1\nWall time: 1 s\nOutput:\nx: undefined: y", false), bash("go vet", "Exit code: 1\nWall time: 2 s\nOutput:\nx: undefined: y", false), bash("go vet", "Exit code: 1\nWall time: 3 s\nOutput:\nx: undefined: y", false)},
			"3 times in the same way: `x: undefined: y`",
		},
		"a program that says exit code 1": {
			[]facts.AgentCall{bash("cat a", "text\n\nexit code 1\n", false), bash("cat a", "text\n\nexit code 1\n", false), bash("cat a", "text\n\nexit code 1\n", false)}, "",
		},
		"a tool of a server":       {[]facts.AgentCall{mcp, mcp, mcp}, "`error: title is missing`"},
		"foreign words":            {[]facts.AgentCall{bash("x", "error: \x1b]0;`rm`\u202e", true), bash("x", "error: `rm`", true), bash("x", "error: `rm` token=ghp_000000000000000000000000000000000001", true)}, ""},
		"secrets":                  {[]facts.AgentCall{bash("x", "error: token=ghp_000000000000000000000000000000000001", true), bash("x", "error: token=ghp_000000000000000000000000000000000001", true), bash("x", "error: token=ghp_000000000000000000000000000000000001", true)}, "error: "},
		"no words":                 {[]facts.AgentCall{bash("x", "", true), bash("x", "", true), bash("x", "", true)}, "in the same way: without a word."},
		"a tool without arguments": {[]facts.AgentCall{{Tool: "x", Failed: true}, {Tool: "x", Failed: true}, {Tool: "x", Failed: true}}, ""},
	} {
		r := newRepeats()
		var news []facts.News
		for _, call := range c.calls {
			news = r.News(t.Context(), facts.Moment{Kind: facts.AfterTool, Agent: "a", Session: "s", Call: &call})
			r.News(t.Context(), facts.Moment{Kind: facts.AfterTool, Agent: "a", Session: "other", Call: &facts.AgentCall{Tool: "Bash", Command: "make", Output: "ok"}})
		}
		text := ""
		for _, n := range news {
			text += n.Text
			if n.Kind != facts.NewsRepeats || n.Key == "" || n.Rank != facts.Behind {
				t.Errorf("%s: %+v", what, n)
			}
		}
		if (c.want == "") != (text == "") || !strings.Contains(text, c.want) || strings.Contains(text, "ghp_0") || strings.ContainsAny(text, "\n\x1b\u202e") {
			t.Errorf("%s: %q, want %q", what, text, c.want)
		}
	}
}

// TestOnceForACall: hooks that an agent runs for one and the same call count as one.
func TestOnceForACall(t *testing.T) {
	r := newRepeats()
	for i := range 4 {
		for _, output := range []string{"error: x", "Command failed with exit code 1"} { // as Cursor's two hooks have it
			call := &facts.AgentCall{ID: fmt.Sprint("call_", i), Tool: "Shell", Command: "make", Output: output, Failed: true}
			news := r.News(t.Context(), facts.Moment{Kind: facts.AfterTool, Session: "s", Call: call})
			fstest.Equal(t, (len(news) > 0), (i >= 2), "call", i+1, output, news)
			for _, n := range news {
				if !strings.Contains(n.Text, fmt.Sprintf("failed %d times", i+1)) {
					t.Errorf("call %d: %s", i+1, n.Text)
				}
			}
		}
	}
}

// TestFailureOf: a failure is found where agents write it, and its cause is the program's.
func TestFailureOf(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a line of the output\n", 2000)
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
		failed, cause := failureOf(&facts.AgentCall{Tool: "bash", Command: "x", Output: output})
		if failed != (want != "worked") || failed && cause != want {
			t.Errorf("%.80q: failed %v, %q, want %q", output, failed, cause, want)
		}
	}
}

// TestRepeatsAreBounded: what is remembered is bounded.
func TestRepeatsAreBounded(t *testing.T) {
	r := newRepeats()
	for i := range 2*maxFailing + 1 {
		r.News(t.Context(), facts.Moment{Kind: facts.AfterTool, Session: "s", Call: &facts.AgentCall{Command: fmt.Sprint("x", i), Failed: true, Output: "error"}})
		if len(r.failing) > maxFailing {
			t.Fatalf("%d calls are remembered", len(r.failing))
		}
	}
}
