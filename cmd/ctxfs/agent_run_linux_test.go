package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"ctxfs/providers/executor/job"
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

// inState waits until a run is in a state.
func (b *box) inState(id string, state job.State) {
	b.Helper()
	awaitFiles(b, b.job(id), id+" is "+string(state), func() bool {
		return strings.Contains(readFile(b.T, b.job(id, job.StatusFile)), fmt.Sprintf(`"state": %q`, state))
	})
}

func TestAgentRun(t *testing.T) {
	t.Parallel()
	b := newBox(t)
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
	b := newBox(t)
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
// agent as an ancestor, deaf to what a program can be deaf to. The last one says by ~/up that
// it runs.
const tenacious = `
trap '' TERM HUP INT
(trap '' TERM HUP INT; setsid sh -c 'trap "" TERM HUP INT; while :; do sleep 0.1001; done' >/dev/null 2>&1 </dev/null &)
(setsid sh -c '(sleep 1001 &) ; sleep 1002' >/dev/null 2>&1 &)
env -i HOME="$HOME" setsid nohup sh -c 'echo $$ >"$HOME/up"; exec sleep 1003' >/dev/null 2>&1 &
`

func TestAgentRunLeavesNothing(t *testing.T) {
	t.Parallel()
	b := realBox(t) // for signals
	up := b.fifo("up")
	b.kinds("", map[string]string{
		"ends":  tenacious + `read up <"$HOME/up"; echo done`,
		"stays": tenacious + `echo half >>a; echo ready; while :; do sleep 0.1004; done`,
	})
	if r := b.runs(0, "--agent", "ends", "x"); r.Text != "done\n" || len(processesOf(b.dir)) > 0 {
		t.Errorf("%+v; %v", r, processesOf(b.dir))
	}
	// By the time limit it has printed, also on a busy machine. What it has done is kept.
	repo := b.repository("repo")
	r := b.runs(124, "--agent", "stays", "--repo", repo, "--worktree", "--timeout", "10s", "x")
	if r.Ended != request.Timeout || r.Text != "ready\n" || !slices.Equal(r.Changed, []string{"a"}) || len(processesOf(b.dir)) > 0 {
		t.Errorf("%+v; %v", r, processesOf(b.dir))
	}
	up.Line()
	b.ok("agent", "adopt", r.ID)
	if text := b.sh("cd " + repo + " && tail -1 a"); text != "half\n" {
		t.Errorf("%s", text)
	}

	// However the caller ends, the others notice.
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGKILL} {
		run := b.startsAgent(up, "--agent", "stays", "x")
		signalTo(t, run.cmd.Process.Pid, sig)
		if sig == syscall.SIGKILL {
			_ = run.cmd.Wait()
		} else if code, r := run.ends(); code != 130 || r.Ended != request.Cancelled {
			t.Errorf("%v: exit code %d: %+v", sig, code, r)
		}
		b.gone()
	}
	if entries, err := os.ReadDir(b.job(".running")); err != nil && !errors.Is(err, os.ErrNotExist) || len(entries) > 0 {
		t.Errorf("still registered: %v, %v", entries, err)
	}
}
