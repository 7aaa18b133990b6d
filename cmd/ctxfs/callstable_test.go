package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

// TestCallsTable follows the log of calls in the mount with tail, through calls of a
// person and of an agent, a result that went to a file, and a kill.
func TestCallsTable(t *testing.T) {
	t.Parallel()
	need(t, "tail")
	b := newBox(t)
	answer := func(text string) {
		b.write("result.json", `{"content":[{"type":"text","text":"`+text+`"}]}`)
	}
	answer("short")
	b.stub("zoo", "", map[string]string{stubResult: filepath.Join(b.home, "result.json")})
	b.mount()
	b.ready("zoo")
	fstest.Equal(t, b.read("mcps/CALLS.tsv"), "time\twho\tserver\ttool\toutcome\tms\tfile\n", "before the first call")
	tail := b.tail("-n", "+1", "-f", b.mnt("mcps/CALLS.tsv"))
	b.ok("call", "zoo", "greet")
	agent := b.with("CLAUDECODE", "1", "CLAUDE_CODE_SESSION_ID", "0b0e2bd1-1")
	answer(strings.Repeat("long ", 10_000))
	agent.ok("call", "zoo", "greet")
	if r := agent.run("call", "zoo", "greet", "--nobody", "x"); r.code == 0 {
		t.Error("a wrong call worked")
	}
	text := ""
	for range 4 {
		text += <-tail.lines + "\n"
	}
	rows := strings.Split(text, "\n")[1:4]
	for i, want := range []string{"\tperson\tzoo\tgreet\tok\t", "\tclaude-code/0b0e2bd1-1\tzoo\tgreet\tok\t", "\tclaude-code/0b0e2bd1-1\tzoo\tgreet\tbad-arguments\t"} {
		if !strings.Contains(rows[i], want) {
			t.Errorf("%q is not %q", rows[i], want)
		}
	}
	if _, file, _ := strings.Cut(rows[1], "\tresults/"); !strings.HasPrefix(b.read("results/"+file), "long long ") {
		t.Errorf("its file is %q", file)
	}

	b.kill()
	fstest.Equal(t, b.ok("cat", "mcps/CALLS.tsv"), text, "without a process")
	b.mount()
	fstest.Equal(t, b.read("mcps/CALLS.tsv"), text, "after a kill")
	fstest.ContainsNot(t, b.sh("cd .agentctx; rg -l greet mcps"), "CALLS")
	if info, err := os.Stat(b.mnt("mcps/CALLS.tsv")); err != nil || info.Size() != int64(len(text)) {
		t.Error(info, err)
	}
}

// TestCallsTableRotated has a full log renamed while tail -F follows its table.
func TestCallsTableRotated(t *testing.T) {
	t.Parallel()
	need(t, "tail")
	b := newBox(t)
	b.stub("zoo", "", nil)
	line := `{"time":"2026-11-22T09:00:00Z","server":"old","tool":"t","outcome":"ok","arguments":"` + strings.Repeat("x", 60_000) + "\"}\n"
	state, err := filepath.Rel(b.home, b.state)
	must(t, err)
	b.write(filepath.Join(state, "ctxfs/mcp/calls.jsonl"), strings.Repeat(line, 300))
	b.mount()
	b.ready("zoo")
	fstest.Equal(t, b.sh("ls .agentctx/mcps; wc -l < .agentctx/mcps/CALLS.tsv"), "CALLS.tsv\nINDEX.md\nzoo\n301\n", "before")
	tail := b.tail("-n", "1", "-F", b.mnt("mcps/CALLS.tsv"))
	tail.sees("\told\t")
	b.ok("call", "zoo", "greet")
	tail.sees("\tzoo\tgreet\tok\t")
	b.settled()
	fstest.Equal(t, b.sh("ls .agentctx/mcps; wc -l < .agentctx/mcps/CALLS.tsv; wc -l < .agentctx/mcps/CALLS.1.tsv"), "CALLS.1.tsv\nCALLS.tsv\nINDEX.md\nzoo\n2\n301\n", "after")
}

// tail starts tail, whose lines are read.
func (b *box) tail(args ...string) *child {
	b.Helper()
	return b.follow(b.command(b.Context(), "tail", append([]string{"-s", "0.1"}, args...)...))
}
