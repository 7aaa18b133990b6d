package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"ctxfs/fs/fstest"
)

// TestStopped has a background process that is stopped: every command says so,
// and what to do, and has asked for nothing that is done later.
func TestStopped(t *testing.T) {
	t.Parallel()
	b := realBox(t) // for a process that stands still
	trace := filepath.Join(b.dir, "trace")
	b.stub("zoo", "", map[string]string{stubJournal: trace})
	b.mount()
	b.ready("zoo")
	b.ok("call", "zoo", "greet", "--who", "Ada")
	before := strings.Count(readFile(t, trace), "tools/call")
	pid := b.pid()
	stop(t, pid)
	defer func() { _ = syscall.Kill(pid, syscall.SIGCONT) }()
	number := strconv.Itoa(pid)
	words := []string{"(" + number + ") does not answer: it is stopped", "\n  let it go on: kill -CONT " + number}
	type answer struct {
		args []string
		out  string
	}
	commands := [][]string{
		{"status"}, {"status", "--json"}, {"ls"}, {"cat", "AGENTS.md"}, {"mount"}, {"mount", "-f"}, {"unmount"}, {"unmount", "--all"},
		{"restart"}, {"sync", "--once", filepath.Join(b.dir, "sync")}, {"sync", filepath.Join(b.dir, "sync")},
		{"call", "zoo", "greet", "--who", "Ada"}, {"call", "--via", "bin", "--", "zoo", "greet", "--who", "Ada"},
		{"find", "greet"}, {"tools"}, {"history", "--all"}, {"prompt"}, {"config"}, {"accept", "zoo"}, {"read", "zoo", "x"}, {"term", "--tmux"},
	}
	answers := make(chan answer)
	for _, args := range commands {
		go func() {
			cmd := b.command(t.Context(), "timeout", append([]string{"100", binary()}, args...)...)
			out, _ := cmd.CombinedOutput()
			answers <- answer{args, string(out)}
		}()
	}
	for range commands {
		a := <-answers
		if !containsAll(a.out, words) {
			t.Errorf("ctxfs %q: %s", a.args, a.out)
		}
	}
	if r := b.run("doctor"); r.code != exitProblems || !containsAll(r.out, []string{words[0], "kill -CONT " + number}) {
		t.Errorf("doctor: exit %d\n%v", r.code, r)
	}

	// The cure works, and what was given up is not done.
	signalTo(t, pid, syscall.SIGCONT)
	b.ok("call", "zoo", "greet", "--who", "Ada")
	if got := b.pid(); got != pid {
		t.Errorf("process %d serves, not %d", got, pid)
	}
	b.read("AGENTS.md")
	if after := strings.Count(readFile(t, trace), "tools/call"); after != before+1 {
		t.Errorf("%d calls were made of commands that had given up", after-before-1)
	}
}

// TestStoppedDuringCall has the process stopped while a tool works: the call
// says so. With a limit it gives up then, without one it has its answer when the
// process goes on.
func TestStoppedDuringCall(t *testing.T) {
	t.Parallel()
	b := realBox(t).zoo("") // for a process that stands still
	b.mount()
	b.ready("zoo")
	pid := b.pid()
	defer func() { _ = syscall.Kill(pid, syscall.SIGCONT) }()
	begin := func(args ...string) *child {
		return b.talks(b.command(t.Context(), binary(), append([]string{"call", "zoo", "sleep"}, args...)...))
	}
	calls := []*child{begin(), begin("--timeout", "20s")}
	awaitFiles(t, b.dir, "the tool is called twice", func() bool { return strings.Count(readFile(t, filepath.Join(b.dir, "journal")), "tools/call") == 2 })
	stop(t, pid)
	words := []string{"it is stopped", "kill -CONT " + strconv.Itoa(pid)}
	if said := calls[0].sees(words[1]); !containsAll(said, words) {
		t.Errorf("the call says %q", said)
	}
	if _, got := calls[1].rest(); !containsAll(got, append(words, "whether the tool has done its work is not known")) {
		t.Errorf("a call with a limit: %s", got)
	}
	signalTo(t, pid, syscall.SIGCONT)
	b.ok("restart", "zoo") // which ends the tool
	if code, got := calls[0].rest(); code != 7 || !strings.Contains(got, "zoo") {
		t.Errorf("the call without a limit: exit %d, %s", code, got)
	}
}

// TestBusy has a process that gets a twentieth of a processor's time: commands
// say that they wait, and get their answers.
func TestBusy(t *testing.T) {
	t.Parallel()
	b := realBox(t) // for a process that gets little time
	b.mount()
	pid := b.pid()
	end := make(chan struct{})
	slowed := make(chan struct{})
	go func() { // as a machine with far too much to do treats it
		defer close(slowed)
		tick := time.NewTicker(200 * time.Millisecond)
		defer tick.Stop()
		for {
			_ = syscall.Kill(pid, syscall.SIGSTOP)
			select {
			case <-tick.C:
			case <-end:
				_ = syscall.Kill(pid, syscall.SIGCONT)
				return
			}
			_ = syscall.Kill(pid, syscall.SIGCONT)
			for begun := time.Now(); time.Since(begun) < 10*time.Millisecond; {
				runtime.Gosched()
			}
		}
	}()
	for _, args := range [][]string{{"status"}, {"ls"}, {"cat", "AGENTS.md"}, {"find", "agentctx"}} {
		if r := b.run(args...); r.code != 0 {
			t.Errorf("ctxfs %q: exit %d\n%v", args, r.code, r)
		}
	}
	close(end)
	<-slowed
}

// TestStoppedReaders has readers of a mount whose process is stopped: they can
// be interrupted.
func TestStoppedReaders(t *testing.T) {
	t.Parallel()
	b := realBox(t) // for a process that stands still
	b.mount()
	pid := b.pid()
	stop(t, pid)
	defer func() { _ = syscall.Kill(pid, syscall.SIGCONT) }()
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGKILL} {
		for _, words := range [][]string{{"cat", b.mnt("STATUS.md")}, {"ls", b.mnt()}, {"ls", "-l", b.mnt("mcps")}, {"stat", b.mnt("none")}} {
			cmd := b.command(t.Context(), words[0], words[1:]...)
			must(t, cmd.Start())
			standsStill(t, cmd.Process.Pid)
			signalTo(t, cmd.Process.Pid, sig)
			awaitExit(t, cmd.Process.Pid)
			_ = cmd.Wait()
			if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || status.Signal() != sig {
				t.Errorf("%q ended with %v", words, cmd.ProcessState)
			}
		}
	}
}

// standsStill waits until a process waits in one system call, as seen
// from outside twenty times.
func standsStill(t *testing.T, pid int) {
	t.Helper()
	last, same := "", 0
	fstest.Eventually(t, "it waits", func() bool { // which the kernel tells nobody
		now, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "syscall"))
		if err != nil || string(now) != last || strings.HasPrefix(last, "running") {
			last, same = string(now), 0
		}
		same++
		return same > 20
	})
}

// readFile is what is in a file, "" if there is none.
func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return string(text)
}
