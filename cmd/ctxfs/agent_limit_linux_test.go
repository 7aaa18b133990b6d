package main

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"ctxfs/providers/executor/request"
)

// TestAgentLimit starts more agents at once than may run: they take turns, and nothing is
// left of them.
func TestAgentLimit(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.kinds("limit = 3", map[string]string{
		// Each counts those that run at the same time.
		"counts": `mkdir -p ~/now; : >~/now/$$; set -- ~/now/*; echo $#; sleep 0.05; rm ~/now/$$`,
	})
	// Half of them run in the background.
	text := b.sh(`for i in $(seq 10); do ctxfs agent run --agent counts x & ctxfs agent run --detach --agent counts x >>ids & done; wait; ctxfs agent wait $(cat ids)`)
	if n := strings.Count(text, `"ended": "success"`); n != 20 {
		t.Errorf("%d of 20 have succeeded: %s", n, text)
	}
	b.gone() // a result is there a little before its runner has ended
	for line := range strings.Lines(text) {
		if after, ok := strings.CutPrefix(strings.TrimSpace(line), `"text": "`); ok {
			n, err := strconv.Atoi(strings.TrimSuffix(after, `\n",`))
			if err != nil || n > 3 {
				t.Errorf("there ran %s at once", line)
			}
		}
	}
	if left, _ := os.ReadDir(b.job(".running")); len(left) > 0 {
		t.Errorf("still registered: %v", left)
	}
}

// TestAgentNested has agents that start agents: these count, wait where that can end, and
// end with the outer one.
func TestAgentNested(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	scripts := map[string]string{
		"inner":  `echo "inner $CTXFS_AGENT_RUN"`,
		"outer":  `ctxfs agent run --agent inner x; echo "exit $?"`,
		"many":   `for i in 1 2 3 4; do ctxfs agent run --agent inner x & done; wait; echo all`,
		"stays":  `ctxfs agent run --detach --agent sleeps x; ctxfs agent run --agent sleeps x`,
		"sleeps": tenacious + `sleep 1005`,
	}
	b.kinds("limit = 1", scripts)
	if r := b.runs(0, "--agent", "outer", "x"); !containsAll(r.Text, []string{"exit 5", "would wait for ever", "limit in the table [agents]"}) {
		t.Errorf("with a limit of one: %+v", r)
	}
	b.kinds("limit = 2", scripts)
	if r := b.runs(0, "--agent", "many", "x"); strings.Count(r.Text, `"ended": "success"`) != 4 || !strings.Contains(r.Text, "all\n") {
		t.Errorf("four that take turns: %+v", r)
	}
	b.kinds("limit = 3", scripts)
	up := b.fifo("up")
	r := b.startsAgent(up, "--agent", "stays", "x")
	up.Line() // both inner ones run
	signalTo(t, r.cmd.Process.Pid, syscall.SIGINT)
	b.gone()
	if code, result := r.ends(); code != 130 || result.Ended != request.Cancelled {
		t.Errorf("exit %d, %+v", code, result)
	}
}

// TestAgentOutput has an agent that prints 20 MB: the answer has the beginning and the end of
// its output.
func TestAgentOutput(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.kinds("", map[string]string{
		"prints": `echo first; head -c 20000000 /dev/zero | tr '\0' 'x'; echo; printf 'last \377\n'`,
		"argues": `:`,
	})
	r := b.runs(0, "--agent", "prints", "x")
	if !strings.HasPrefix(r.Text, "first\nxx") || !strings.HasSuffix(r.Text, "xx\nlast \uFFFD\nThe whole answer: "+r.TextFile+"\n") || len(r.Text) > request.MaxText {
		t.Errorf("the text has %d bytes: %.100q … %q", len(r.Text), r.Text, r.Text[max(0, len(r.Text)-100):])
	}
	if text := b.shell(`head -c 200000 /dev/zero | tr '\0' x | ctxfs agent run --agent argues -`); text.code != 5 || !containsAll(text.out, []string{"too long for an argument", "put it into a file"}) {
		t.Errorf("a long prompt: %+v", text)
	}
	if text := b.shell(`printf 'a\0b' | ctxfs agent run --agent argues -`); text.code != 2 || !strings.Contains(text.err, "NUL") {
		t.Errorf("a prompt with a NUL byte: %+v", text)
	}
}

// TestAgentDiskFull has no room for a run, or not any more, or a state folder that cannot be
// written: a result is printed, or else why there is none, and nothing is left.
func TestAgentDiskFull(t *testing.T) {
	t.Parallel()
	need(t, "unshare")
	if os.Getuid() != 0 {
		t.Skip("only root can make a small file system")
	}
	b := realBox(t) // for a full disk
	b.kinds("", map[string]string{"fills": `echo answer; cat /dev/zero >"$XDG_STATE_HOME/zero" 2>/dev/null; :`})
	b.write("script", `
mount -t tmpfs -o size=512k full "$XDG_STATE_HOME"
ctxfs agent run --agent fills x; echo "later: $?"
ls "$XDG_STATE_HOME/ctxfs/agents/.running"
ctxfs agent run --agent fills x; echo "at once: $?"
umount "$XDG_STATE_HOME"
mount -t tmpfs -o ro,size=512k full "$XDG_STATE_HOME"
ctxfs agent run --agent fills x; echo "read-only: $?"
umount "$XDG_STATE_HOME"
`)
	r := b.do("timeout", "100", "unshare", "-m", "bash", "-c", "cd ~ && . ./script")
	if !containsAll(r.out, []string{`"text": "answer\n"`, "later: 0\n", "at once: 1\n", "read-only: 1\n"}) || strings.Contains(r.out, ".json\n") {
		t.Errorf("%+v", r)
	}
	if !containsAll(r.err, []string{"no space left on device", "read-only file system"}) {
		t.Errorf("the causes: %s", r.err)
	}
	if left := processesOf(b.dir); len(left) > 0 {
		t.Errorf("there run %v", left)
	}
}
