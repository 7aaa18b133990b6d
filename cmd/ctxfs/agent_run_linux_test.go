package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"ctxfs/fs/fstest"
	"ctxfs/providers/executor/request"
)

// kinds configures agents that are shell scripts, by their names. $1 is the prompt.
func (b *box) kinds(settings string, scripts map[string]string) {
	b.Helper()
	var text strings.Builder
	fmt.Fprintf(&text, "[agents]\n%s\n", settings)
	for name, script := range scripts {
		path := filepath.Join(b.home, "agents", name)
		b.writeMode("agents/"+name, "#!/bin/sh\n"+script+"\n", 0o755)
		fmt.Fprintf(&text, "[agents.%s]\ncommand = [%q]\n", name, path)
	}
	b.write(".config/ctxfs/config.toml", text.String())
}

// runs runs an agent and returns the one JSON object that is printed.
func (b *box) runs(code int, args ...string) (r request.Result) {
	b.Helper()
	got := b.run(append([]string{"agent", "run"}, args...)...)
	if got.code != code {
		b.Fatalf("agent run %q: %+v", args, got)
	}
	if err := json.Unmarshal([]byte(got.out), &r); err != nil {
		b.Fatalf("agent run %q: %v: %+v", args, err, got)
	}
	return r
}

// job returns the folder of a run.
func (b *box) job(id string, path ...string) string {
	return filepath.Join(append([]string{b.state, "ctxfs/agents", id}, path...)...)
}

// lives reports whether a process whose command line has a word runs in the box.
func (b *box) lives(word string) bool {
	return slices.ContainsFunc(processesOf(b.dir), func(p process) bool { return strings.Contains(p.args, word) })
}

func TestAgentRun(t *testing.T) {
	t.Parallel()
	b := realBox(t)
	b.kinds("", map[string]string{
		"answers": `echo "the answer to $(echo "$1" | head -n 1) in $PWD as $CTXFS_AGENT_RUN"; echo "a remark, not the answer" >&2; [ -t 0 ] && [ -t 2 ] && [ ! -t 1 ] && echo "at a terminal"; env >"$HOME/env"`,
		"fails":   `echo "half an answer"; exit 3`,
		"out":     `echo "Not logged in: run this program and type /login" >&2; exit 41`,
		"dies":    `kill -SEGV $$`,
	})
	work := filepath.Join(b.dir, "work")
	must(t, os.Mkdir(work, 0o700))
	b.setenv("CLAUDECODE", "1")
	b.setenv("CLAUDE_CODE_SESSION_ID", "0b0e2bd1")
	r := b.runs(0, "--agent", "answers", "--repo", work, "--", "a", "question")
	switch {
	case r.Ended != request.Success || r.ExitCode == nil || *r.ExitCode != 0 || r.Error != "" || r.Agent != "answers":
		t.Errorf("%+v", r)
	case !strings.HasSuffix(r.Text, "a question in "+work+" as "+r.ID+"\nat a terminal\n") || strings.Contains(r.Text, "remark"):
		t.Errorf("the text: %q", r.Text)
	case readFile(t, r.TextFile) != r.Text:
		t.Errorf("%s: %s", r.TextFile, readFile(t, r.TextFile))
	}
	b.refused(2, []string{"--read-only is behind --"}, "agent", "run", "--agent", "answers", "--", "a", "question", "--read-only")
	if log := readFile(t, r.TerminalLog); !containsAll(log, []string{"a question in " + work, "a remark, not the answer", "at a terminal"}) {
		t.Errorf("the log of the terminal: %s", log)
	}
	if env := readFile(t, filepath.Join(b.home, "env")); strings.Contains(env, "CLAUDE") || !containsAll(env, []string{"CTXFS_AGENT_RUN=" + r.ID, "CTXFS_TERMINAL="}) {
		t.Errorf("the environment: %s", env)
	}

	r = b.runs(5, "--agent", "fails", "x")
	if r.Ended != request.Failure || r.ExitCode == nil || *r.ExitCode != 3 || r.Text != "half an answer\n" || !strings.Contains(r.Error, "3") || !strings.Contains(r.Fix, r.TerminalLog) {
		t.Errorf("%+v", r)
	}
	if r := b.runs(5, "--agent", "out", "x"); r.Error != "it exited with 41; it has shown: Not logged in: run this program and type /login" || r.Fix != "log in: run out once in a terminal" {
		t.Errorf("%+v", r)
	}
	r = b.runs(5, "--agent", "dies", "x")
	if r.Ended != request.Failure || r.ExitCode == nil || *r.ExitCode != 139 || !strings.Contains(r.Error, "signal") {
		t.Errorf("%+v", r)
	}
}

func TestAgentRequest(t *testing.T) {
	t.Parallel()
	b := realBox(t)
	b.kinds("", map[string]string{"echo": `printf '%s' "$1"`})
	text := b.sh(`echo '{"agent": "echo", "prompt": "from JSON", "repoDir": "` + b.home + `", "timeoutMs": 5000}' | ctxfs agent run`)
	if !strings.Contains(text, "from JSON") || !strings.Contains(text, `"ended": "success"`) {
		t.Errorf("%s", text)
	}
	if text := b.sh(`printf 'typed\nin lines' | ctxfs agent run --agent echo -`); !strings.Contains(text, `typed\nin lines`) {
		t.Errorf("%s", text)
	}
	for script, words := range map[string][]string{
		`echo '{"agent": "echo", "promt": "x"}' | ctxfs agent run`:                   {`"promt"`},
		`echo '{"agent": "echo", "prompt": 5}' | ctxfs agent run`:                    {"prompt", "string"},
		`echo '{"agent": "echo", "prompt": "x", "timeoutMs": -1}' | ctxfs agent run`: {"timeoutMs"},
		`echo '{"agent": "echo", "prompt": "x"} {}' | ctxfs agent run`:               {"follows"},
		`echo '["x"]' | ctxfs agent run`:                                             {"JSON object", "array"},
		`ctxfs agent run </dev/null`:                                                 {"no prompt", "standard input"},
		`ctxfs agent run --agent echo ""`:                                            {"prompt is empty"},
		`ctxfs agent run --agent echo --repo /proc/none x`:                           {"/proc/none"},
		`ctxfs agent run --agent echo --timeout -1s x`:                               {"--timeout"},
		`ctxfs agent run --agent echo --json x`:                                      {"--detach"},
	} {
		if got := b.shell(script); got.code != 2 || !containsAll(got.err, words) || got.out != "" {
			t.Errorf("%s: %+v", script, got)
		}
	}
	b.refused(1, []string{"ecko", "did you mean: --agent echo"}, "agent", "run", "--agent", "ecko", "x")
	b.refused(1, []string{"no agent is named", "echo"}, "agent", "run", "x")
}

// tenacious starts processes that try to stay: each in a session of its own, without the
// agent as an ancestor, deaf to what a program can be deaf to.
const tenacious = `
trap '' TERM HUP INT
(trap '' TERM HUP INT; setsid sh -c 'trap "" TERM HUP INT; while :; do sleep 0.1001; done' >/dev/null 2>&1 </dev/null &)
(setsid sh -c '(sleep 1001 &) ; sleep 1002' >/dev/null 2>&1 &)
env -i HOME="$HOME" setsid nohup sleep 1003 >/dev/null 2>&1 &
`

func TestAgentRunLeavesNothing(t *testing.T) {
	t.Parallel()
	b := realBox(t)
	b.kinds("", map[string]string{
		"ends":  tenacious + `echo done`,
		"stays": tenacious + `echo ready; while :; do sleep 0.1004; done`,
	})
	if r := b.runs(0, "--agent", "ends", "x"); r.Text != "done\n" || len(processesOf(b.dir)) > 0 {
		t.Errorf("%+v; %v", r, processesOf(b.dir))
	}
	begun := time.Now()
	const limit = 10 * time.Second // by then it has printed, also on a busy machine
	if r := b.runs(124, "--agent", "stays", "--timeout", limit.String(), "x"); r.Ended != request.Timeout || r.Text != "ready\n" || len(processesOf(b.dir)) > 0 {
		t.Errorf("%+v; %v", r, processesOf(b.dir))
	}
	t.Logf("a time limit of %v: after %v nothing runs", limit, time.Since(begun))

	// However the caller ends, the others notice.
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGKILL} {
		cmd := b.command(t.Context(), binary(), "agent", "run", "--agent", "stays", "x")
		var out bytes.Buffer
		cmd.Stdout = &out
		must(t, cmd.Start())
		fstest.Eventually(t, "it runs", func() bool { return b.lives("sleep 1003") })
		begun := time.Now()
		must(t, cmd.Process.Signal(sig))
		_ = cmd.Wait()
		fstest.Eventually(t, fmt.Sprintf("nothing runs after %v", sig), func() bool { return len(processesOf(b.dir)) == 0 })
		t.Logf("%v: after %v nothing runs", sig, time.Since(begun))
		var r request.Result
		if sig == syscall.SIGKILL {
			continue
		}
		if code := cmd.ProcessState.ExitCode(); code != 130 || json.Unmarshal(out.Bytes(), &r) != nil || r.Ended != request.Cancelled {
			t.Errorf("%v: exit code %d: %s", sig, code, &out)
		}
	}
	if entries, err := os.ReadDir(b.job(".running")); err != nil && !errors.Is(err, os.ErrNotExist) || len(entries) > 0 {
		t.Errorf("still registered: %v, %v", entries, err)
	}
}
