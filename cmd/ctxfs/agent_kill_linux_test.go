package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ctxfs/providers/executor/request"
)

// agentRun is a run that goes on, started by a process that waits for it.
type agentRun struct {
	*box
	cmd *exec.Cmd
	out bytes.Buffer
}

// startsAgent starts an agent, and waits until it says by ~/up that it runs.
func (b *box) startsAgent(up fifo, args ...string) *agentRun {
	b.Helper()
	r := &agentRun{box: b, cmd: b.command(b.Context(), binary(), append([]string{"agent", "run"}, args...)...)}
	r.cmd.Stdout = &r.out
	must(b, r.cmd.Start())
	up.Line()
	return r
}

// process returns the number of the process of the run that a word in its command line tells.
func (r *agentRun) process(word string) int {
	r.Helper()
	for _, p := range processesOf(r.dir) {
		if strings.Contains(p.args, word) {
			return p.pid
		}
	}
	r.Fatalf("%s does not run", word)
	return 0
}

// ends waits until the caller has ended, and returns its exit code and the result.
func (r *agentRun) ends() (code int, result request.Result) {
	r.Helper()
	_ = r.cmd.Wait()
	if err := json.Unmarshal(r.out.Bytes(), &result); err != nil {
		r.Errorf("%v: %q", err, &r.out)
	}
	return r.cmd.ProcessState.ExitCode(), result
}

// TestAgentKilled kills each of the processes that keep a run, and several at once: the
// caller says what is known, and all that the agent has started is gone.
func TestAgentKilled(t *testing.T) {
	t.Parallel()
	b := realBox(t) // for kills
	up := b.fifo("up")
	b.kinds("limit = 1", map[string]string{"stays": tenacious + `echo ready; while :; do sleep 0.1004; done`, "quick": `echo quick`})
	for _, victims := range [][]string{{"agent-keeper"}, {"agent-runner"}, {"agent-keeper", "agent-runner"}, {"h/agents/stays"}} {
		what := "killed " + strings.Join(victims, " and ")
		r := b.startsAgent(up, "--agent", "stays", "x")
		for _, pid := range func() (pids []int) { // first all are found
			for _, word := range victims {
				pids = append(pids, r.process(word))
			}
			return pids
		}() {
			signalTo(t, pid, syscall.SIGKILL)
		}
		b.gone()
		code, result := r.ends()
		switch {
		case victims[0] == "h/agents/stays":
			if code != 5 || result.Ended != request.Failure || result.ExitCode == nil || *result.ExitCode != 137 {
				t.Errorf("%s: exit %d, %+v", what, code, result)
			}
		case code != 13 || result.Ended != request.Lost || result.Error == "":
			t.Errorf("%s: exit %d, %+v", what, code, result)
		}
		if stored := readFile(t, b.job(result.ID, "result.json")); !strings.Contains(stored, string(result.Ended)) {
			t.Errorf("%s: stored is %s", what, stored)
		}
		if r := b.runs(0, "--agent", "quick", "x"); r.Text != "quick\n" { // its slot is free
			t.Errorf("%s: %+v", what, r)
		}
	}
}

// TestAgentKilledWhole kills everything that keeps a run: the next command that looks ends
// what is left, and tells that it is lost.
func TestAgentKilledWhole(t *testing.T) {
	t.Parallel()
	b := realBox(t) // for kills
	up := b.fifo("up")
	b.kinds("limit = 1", map[string]string{"stays": tenacious + `echo ready; while :; do sleep 0.1004; done`, "quick": `echo quick`})
	for name, look := range map[string]func(id string){
		"another run": func(string) {
			if r := b.runs(0, "--agent", "quick", "x"); r.Text != "quick\n" {
				t.Errorf("%+v", r)
			}
		},
		"ps":     func(string) { b.ok("agent", "ps") },
		"result": func(id string) { b.run("agent", "result", id) },
	} {
		r := b.startsAgent(up, "--agent", "stays", "x")
		id := b.jobs()[0].ID
		all := []int{r.cmd.Process.Pid, r.process("agent-keeper"), r.process("agent-runner")}
		for _, pid := range all {
			signalTo(t, pid, syscall.SIGKILL)
		}
		_ = r.cmd.Wait()
		awaitExit(t, all...)
		look(id)
		b.gone()
		if all := b.awaits(13, id); all[0].Ended != request.Lost {
			t.Errorf("%s: %+v", name, all)
		}
		if _, err := os.Stat(b.job(id, "scratch")); err == nil {
			t.Errorf("%s: its scratch folder is left", name)
		}
		if left, _ := filepath.Glob(b.job(".running", "*")); len(left) > 0 {
			t.Errorf("%s: still registered: %v", name, left)
		}
	}
}

// TestAgentKilledAround kills everything that keeps a run, but nothing that keeps another one
// that it has started in the background: that ends with it.
func TestAgentKilledAround(t *testing.T) {
	t.Parallel()
	b := realBox(t) // for kills
	up := b.fifo("up")
	b.kinds("", map[string]string{
		"stays": tenacious + `echo ready; while :; do sleep 0.1004; done`,
		"outer": `ctxfs agent run --detach --agent stays x; exec sleep 1005`,
	})
	r := b.startsAgent(up, "--agent", "outer", "x")
	var inner, outer string
	for _, j := range b.jobs() {
		if j.Agent == "outer" {
			outer = j.ID
		} else {
			inner = j.ID
		}
	}
	// All are stopped first: inner's by a runner that is killed while it ends everything,
	// the others so that none notices the end of another one.
	var killed []int
	for _, sig := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGKILL} {
		for _, p := range processesOf(b.dir) {
			around := strings.HasSuffix(p.args, outer) || p.pid == r.cmd.Process.Pid
			if kept := strings.Contains(p.args, "agent-"); around || kept && sig == syscall.SIGSTOP {
				signalTo(t, p.pid, sig)
			}
			if around && sig == syscall.SIGKILL {
				killed = append(killed, p.pid)
			}
		}
	}
	_ = r.cmd.Wait()
	awaitExit(t, killed...) // what looks before lets them be
	b.ok("agent", "ps")
	b.gone()
	if all := b.awaits(13, outer, inner); all[0].Ended != request.Lost || all[1].Ended != request.Cancelled {
		t.Errorf("%+v", all)
	}
}

// TestAgentStopped stops each of the processes that keep a run, as nobody should: it ends
// with its caller, and by agent stop, all the same.
func TestAgentStopped(t *testing.T) {
	t.Parallel()
	b := realBox(t) // for signals
	up := b.fifo("up")
	b.kinds("", map[string]string{"stays": tenacious + `kill -STOP $$`})
	for _, victim := range []string{"h/agents/stays", "agent-runner", "agent-keeper"} {
		r := b.startsAgent(up, "--agent", "stays", "x")
		signalTo(t, r.process(victim), syscall.SIGSTOP)
		signalTo(t, r.cmd.Process.Pid, syscall.SIGINT)
		b.gone()
		if code, result := r.ends(); code != 130 || result.Ended != request.Cancelled {
			t.Errorf("stopped %s: exit %d, %+v", victim, code, result)
		}
	}
	r := b.startsAgent(up, "--agent", "stays", "x")
	signalTo(t, r.process("agent-keeper"), syscall.SIGSTOP)
	b.ok("agent", "stop", b.jobs()[0].ID)
	b.gone()
	_ = r.cmd.Wait()
}

// TestAgentBreeds has an agent that starts itself over and over, each time in a session of
// its own: whatever is seen of it has another process by then.
func TestAgentBreeds(t *testing.T) {
	t.Parallel()
	b := realBox(t) // for what the kernel lets escape
	b.kinds("", map[string]string{"breeds": "for i in 1 2 3 4 5 6 7 8; do setsid sh -c 'trap \"\" TERM HUP; hop() { (sleep 0.01; hop) & }; hop; wait' & done; echo bred; sleep 1003"})
	if r := b.runs(124, "--agent", "breeds", "--timeout", "700ms", "x"); r.Ended != request.Timeout {
		t.Errorf("%+v", r)
	}
	if left := processesOf(b.dir); len(left) > 0 {
		t.Errorf("there run %v", left)
	}
}
