package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ctxfs/providers/executor/job"
	"ctxfs/providers/executor/request"
)

// detached starts an agent in the background, and returns the id of the run.
func (b *box) detached(args ...string) string {
	b.Helper()
	return strings.TrimSpace(b.ok(append([]string{"agent", "run", "--detach"}, args...)...))
}

// listed is what agent ps says of a run.
type listed struct {
	ID, State, Ended, Agent, Prompt, Dir, Terminal string
	Created, Started                               time.Time
}

// jobs returns what agent ps lists.
func (b *box) jobs(args ...string) (all []listed) {
	b.Helper()
	must(b, json.Unmarshal([]byte(b.ok(append([]string{"agent", "ps", "--json"}, args...)...)), &all))
	return all
}

// awaits waits until runs have ended.
func (b *box) awaits(code int, args ...string) (all []request.Result) {
	b.Helper()
	got := b.run(append([]string{"agent", "wait"}, args...)...)
	text := got.out
	if !strings.HasPrefix(text, "[") {
		text = "[" + text + "]"
	}
	if err := json.Unmarshal([]byte(text), &all); err != nil || got.code != code {
		b.Fatalf("agent wait %q: %v: %+v", args, err, got)
	}
	return all
}

// TestAgentJobs: an agent in the background is listed, typed to, awaited and asked for what
// it has said, by its id or the beginning of that.
func TestAgentJobs(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.kinds("", map[string]string{
		"reads": `echo asks >&2; read answer; echo "it was told: $answer"`,
		"fails": `echo "half an answer"; exit 3`,
	})
	if text := b.ok("agent", "ps"); !strings.Contains(text, "no agent runs now") {
		t.Error(text)
	}
	id := b.detached("--agent", "reads", "--repo", b.home, "a \x1b[31mquestion\u202e", "in\nlines")
	b.inState(id, job.Running)
	if j := b.jobs()[0]; j.ID != id || j.State != "running" || j.Agent != "reads" || j.Prompt != "a question in lines" || j.Dir != b.home || j.Terminal == "" || j.Started.IsZero() {
		t.Errorf("%+v", j)
	}
	if text := b.ok("agent", "ps"); !containsAll(text, []string{"ID", "STATE", id, "running", "a question in lines"}) {
		t.Error(text)
	}
	b.refused(1, []string{id + " has no result yet", "ctxfs agent wait " + id}, "agent", "result", id)
	b.refused(1, []string{"no terminal here"}, "agent", "attach", id)
	b.refused(124, []string{"not within 10ms", id, "ctxfs agent stop " + id}, "agent", "wait", "--timeout", "10ms", id)
	b.refused(1, []string{`no run "raeds`, "did you mean: ctxfs agent send " + id}, "agent", "send", strings.Replace(id, "reads", "raeds", 1), "x")
	b.refused(12, []string{`no run "nothing"`, "ctxfs agent ps --all"}, "agent", "wait", "nothing")
	if text := b.ok("__complete", "agent", "wait", ""); !strings.Contains(text, id+"\trunning: a question in lines\n") {
		t.Error(text)
	}
	if text := b.ok("__complete", "agent", "result", ""); strings.Contains(text, id) {
		t.Error(text)
	}

	b.ok("agent", "send", id[:len(id)-2], "yes,", "it does")
	if all := b.awaits(0, id); len(all) != 1 || all[0].Ended != request.Success || all[0].Text != "it was told: yes, it does\n" {
		t.Errorf("%+v", all)
	}
	if text := b.ok("agent", "result", id); text != "it was told: yes, it does\n" {
		t.Errorf("%q", text)
	}
	must(t, os.WriteFile(b.job(id, "result.md"), []byte("a \x1b]0;title\x07red\x01 one\n"), 0o600))
	if text := b.ok("agent", "result", id); text != "a \x1b]0;title\x07red\x01 one\n" {
		t.Errorf("to a pipe: %q", text)
	}
	if text := b.sh("script -qec 'ctxfs agent result " + id + "' /dev/null"); text != "a red one\r\n" {
		t.Errorf("to a terminal: %q", text)
	}
	b.refused(1, []string{id + " has ended: success", "ctxfs agent result " + id}, "agent", "send", id, "more")
	b.refused(1, []string{id + " has ended: success"}, "agent", "attach", id)

	failed := b.detached("--agent", "fails", "x")
	if all := b.awaits(5, id, failed); len(all) != 2 || all[0].ID != id || all[1].ID != failed || all[1].Ended != request.Failure {
		t.Errorf("%+v", all)
	}
	if got := b.run("agent", "result", failed); got.code != 5 || got.out != "half an answer\n" || !strings.Contains(got.err, "failure: it exited with 3") {
		t.Errorf("%+v", got)
	}
	var r request.Result
	if got := b.run("agent", "result", failed, "--json"); got.code != 5 || json.Unmarshal([]byte(got.out), &r) != nil || r.ID != failed {
		t.Errorf("%+v", got)
	}
	if len(b.jobs()) != 0 || len(b.jobs("--all")) != 2 {
		t.Errorf("%+v", b.jobs("--all"))
	}
}

// TestAgentAttach: the terminal of an agent is shown in a window, and typed into there; the
// agent goes on when the window is detached, and is told what the window has typed.
func TestAgentAttach(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.kinds("", map[string]string{"reads": `echo "which way?" >&2; read way; echo "went $way"; read again; echo "and $again"`})
	id := b.detached("--agent", "reads", "x")
	b.inState(id, job.Running)
	if got := b.ok("__complete", "agent", "attach", ""); !strings.HasPrefix(got, id+"\trunning: x\n") {
		t.Errorf("completion: %s", got)
	}
	w := b.open("agent", "attach", id[:len(id)-1])
	w.sees("which way?")
	w.types("left\r")
	w.sees("went left")
	w.types("\x1cd")
	w.sees("detached")
	w.ends(0)
	b.ok("agent", "send", id, "home")
	if all := b.awaits(0, id); all[0].Text != "went left\nand home\n" {
		t.Errorf("%+v", all)
	}
}

// TestAgentStop: what is stopped ends with all that it has started, once.
func TestAgentStop(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.fifo("up")
	ready := b.fifo("ready")
	b.kinds("limit = 1", map[string]string{"stays": tenacious + `read up <"$HOME/up"; echo ready; echo >"$HOME/ready"; while :; do sleep 0.1004; done`})
	id := b.detached("--agent", "stays", "x")
	b.inState(id, job.Running)
	ready.Line()
	waiting := b.detached("--agent", "stays", "second")
	if all := b.jobs(); len(all) != 2 || all[0].State != "waiting" {
		t.Errorf("%+v", all)
	}
	b.refused(1, []string{waiting + " has not started: it waits for its turn", "limit"}, "agent", "send", waiting, "x")

	if text := b.ok("agent", "stop", waiting, id); !containsAll(text, []string{waiting + ": ended: cancelled", id + ": ended: cancelled"}) {
		t.Error(text)
	}
	if left := processesOf(b.dir); len(left) > 0 {
		t.Errorf("still there: %v", left)
	}
	if text := b.ok("agent", "stop", id); !strings.Contains(text, id+": had ended already: cancelled") {
		t.Error(text)
	}
	if e := b.ps(id); e.Exit == nil || *e.Exit != 130 || e.Signal != "" { // not a failure
		t.Errorf("%+v", e)
	}
	if all := b.awaits(130, id); all[0].Ended != request.Cancelled || all[0].Text != "ready\n" {
		t.Errorf("%+v", all)
	}

	// The beginning of an id is enough where one of several goes on.
	b.refused(1, []string{"is the beginning of several ids"}, "agent", "stop", "stays")
	third := b.detached("--agent", "stays", "third")
	if text := b.ok("agent", "stop", "stays"); text != third+": ended: cancelled\n" {
		t.Error(text)
	}
}

// TestAgentWaits: several are awaited at once, or the first of them; one whose processes
// were killed is lost, and has been when it is asked for.
func TestAgentWaits(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	// A line below the prompt says where the context is: the file is the last word of the first.
	b.kinds("", map[string]string{"until": `last=$(printf '%s' "$1" | head -n 1); last=${last##* }; read x <"$HOME/$last"; echo "$last"`})
	first, second := b.fifo("one"), b.fifo("two")
	b.fifo("three")
	one, two, three := b.detached("--agent", "until", "one"), b.detached("--agent", "until", "two"), b.detached("--agent", "until", "three")
	for _, id := range []string{one, two, three} {
		b.inState(id, job.Running)
	}
	second.Release()
	if all := b.awaits(0, "--any", one, two); len(all) != 1 || all[0].ID != two || all[0].Text != "two\n" {
		t.Errorf("%+v", all)
	}
	waiting := b.command(t.Context(), b.program(), "agent", "wait", one, three)
	var out strings.Builder
	waiting.Stdout = &out
	must(t, waiting.Start())
	b.killRun(three)
	first.Release()
	_ = waiting.Wait()
	if code := waiting.ProcessState.ExitCode(); code != 13 || !containsAll(out.String(), []string{`"ended": "success"`, `"ended": "lost"`}) {
		t.Errorf("exit code %d: %s", code, &out)
	}
	b.gone()
	if files, _ := filepath.Glob(b.job(".running", "*.json")); len(files) > 0 {
		t.Errorf("still registered: %v", files)
	}
}

// TestAgentsInTheMount: a run is a folder that shows it as it goes, also through a restart of
// the background process, which no run takes part in.
func TestAgentsInTheMount(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	// A line below the prompt says where the context is: the file is the last word of the first.
	b.kinds("", map[string]string{"asks": `last=$(printf '%s' "$1" | head -n 1); last=${last##* }; echo once >>"$HOME/started"; echo "looks for zanzibar" >&2; read x <"$HOME/$last"; echo "the walrus has $last" >&2; echo "the answer is quince"`})
	one, two := b.fifo("one"), b.fifo("two")
	b.mount()
	b.shows("agents/INDEX.md", "None yet", "ctxfs agent run")
	id := b.detached("--agent", "asks", "--repo", b.home, "find the file one")
	b.inState(id, job.Running)
	b.logs(id, "looks for zanzibar")
	b.shows("agents/"+id+"/status.json", `"state": "running"`, `"terminal": "terminals/`+id+`.txt"`)
	b.shows("agents/"+id+"/log.txt", "looks for zanzibar")
	b.shows("agents/INDEX.md", "**"+id+"/**: asks, runs since", "find the file one")
	b.shows("STATUS.md", "1 running")
	tail := b.follow(b.command(t.Context(), "tail", "-s", "0.05", "-n", "+1", "-f", b.mnt("agents", id, "log.txt")))
	tail.sees("zanzibar")

	// Another one goes on while the background process is killed.
	second := b.detached("--agent", "asks", "--repo", b.home, "find the file two")
	b.inState(second, job.Running)
	b.logs(second, "looks for zanzibar")
	b.shows("agents/"+second+"/log.txt", "looks for zanzibar")
	one.Release()
	tail.sees("the walrus has one")
	b.awaits(0, id)
	b.shows("agents/"+id+"/result.md", "ended: success", "terminal: terminals/"+id+".txt", "the answer is quince")
	b.shows("agents/"+id+"/result.json", `"exit_code": 0`)
	for _, script := range []string{"rg -l zanzibar", "rg -l zanzibar agents terminals"} {
		got := b.sh("cd .agentctx && " + script)
		if !containsAll(got, []string{"terminals/" + id + ".txt\n", "terminals/" + second + ".txt\n"}) || strings.Count(got, "\n") != 2 {
			t.Errorf("%s finds it in %s", script, got)
		}
	}
	if got := b.sh("cd .agentctx && rg -l quince agents"); got != "agents/"+id+"/result.md\n" {
		t.Errorf("rg finds it in %s", got)
	}
	if got := b.ok("find", "answer quince"); !strings.Contains(got, "agents/"+id+"/result.md") {
		t.Errorf("find: %s", got)
	}
	b.kill()
	two.Release()
	if all := b.awaits(0, second); all[0].Text != "the answer is quince\n" {
		t.Errorf("%+v", all)
	}
	if got := b.ok("cat", "agents/"+second+"/result.md"); !containsAll(got, []string{"ended: success", "the answer is quince"}) {
		t.Errorf("without the background process: %s", got)
	}
	if got := b.ok("ls", "agents/"+second); got != "log.txt\nrequest.json\nresult.json\nresult.md\nstatus.json\n" {
		t.Errorf("without the background process: %s", got)
	}
	b.mount()
	b.shows("agents/"+second+"/result.md", "ended: success", "the answer is quince")
	b.shows("agents/"+second+"/log.txt", "the walrus has two")
	b.shows("STATUS.md", "2 ended")
	if text := readFile(t, filepath.Join(b.home, "started")); text != "once\nonce\n" {
		t.Errorf("two runs were started as often as this: %q", text)
	}
}

// TestAgentLostInTheMount: a run whose processes were killed is shown as lost, and what it
// has left is ended, although nobody asks. ctxfs wait waits for runs too.
func TestAgentLostInTheMount(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.kinds("", map[string]string{"stays": `setsid sleep 1001 >/dev/null 2>&1 & echo ready >&2; while :; do sleep 0.1004; done`})
	b.mount()
	id := b.detached("--agent", "stays", "x")
	b.inState(id, job.Running)
	b.logs(id, "ready")
	b.shows("agents/"+id+"/log.txt", "ready")
	waiting := b.command(t.Context(), b.program(), "wait", "agent", id)
	var out strings.Builder
	waiting.Stdout = &out
	must(t, waiting.Start())
	b.killRun(id)
	must(t, waiting.Wait())
	b.shows("agents/"+id+"/result.md", "ended: lost")
	b.shows("agents/INDEX.md", id+"/: stays, lost")
	if !strings.Contains(out.String(), "agent "+id+" has ended: lost") {
		t.Errorf("ctxfs wait: %s", &out)
	}
	b.gone(func(p process) bool { return p.args == "sleep 1001" || p.args == "sleep 0.1004" })
	if got := b.run("wait", "agent", "nothing"); got.code != 12 {
		t.Errorf("ctxfs wait: %+v", got)
	}
}

// killRun kills the keeper and the runner of a run at once.
func (b *box) killRun(id string) {
	b.Helper()
	for _, sig := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGKILL} {
		for _, p := range processesOf(b.dir) {
			if strings.Contains(p.args, b.job(id)) {
				_ = syscall.Kill(p.pid, sig)
			}
		}
	}
}
