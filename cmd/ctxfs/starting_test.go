package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"ctxfs/fs/fstest"
)

// TestKilledWhileStarting kills commands while they start the background
// process, that process, or both, at any moment: the next command succeeds.
func TestKilledWhileStarting(t *testing.T) {
	t.Parallel()
	b := realBox(t) // for kills
	b.mount()
	begun := time.Now()
	b.ok("unmount")
	b.mount()
	usual := time.Since(begun) // how long a start takes here
	seed := uint64(begun.UnixNano())
	t.Logf("seed %d; a start takes %v", seed, usual)
	random := rand.New(rand.NewPCG(seed, 0))
	for round := range fstest.Rounds(20) {
		if random.IntN(2) == 0 {
			b.ok("unmount", "--all")
			if left := mountsBelow(b.dir); len(left) > 0 {
				t.Fatalf("round %d: mounts are left: %v", round, left)
			}
		} else {
			killAll(b, syscall.SIGKILL, daemons(b)) // a dead mount lies there
		}
		commands := make([]*exec.Cmd, 1+random.IntN(3))
		var all sync.WaitGroup
		for i := range commands {
			commands[i] = b.command(t.Context(), binary(), "mount", filepath.Join(b.dir, fmt.Sprint("m", i)))
			must(t, commands[i].Start())
			all.Go(func() { _ = commands[i].Wait() })
		}
		<-time.After(time.Duration(random.Int64N(int64(usual)))) // the moment is what is tried
		what := random.IntN(3)
		if what != 1 {
			for _, c := range commands {
				_ = c.Process.Kill()
			}
		}
		if what != 0 {
			killAll(b, syscall.SIGKILL, daemons(b))
		}
		if r := b.run("mount"); r.code != 0 || !strings.Contains(r.out, "mounted on") {
			t.Errorf("round %d, killed %d: exit %d\n%v", round, what, r.code, r)
		}
		ended := make(chan struct{})
		go func() {
			all.Wait()
			close(ended)
		}()
		if !inTime(ended) {
			t.Fatalf("round %d, killed %d: a command does not end: %v", round, what, processesOf(b.dir))
		}
		if _, err := os.ReadDir(b.mnt()); err != nil {
			t.Errorf("round %d: %v", round, err)
		}
	}
	oneServes(b)
}

// daemons are the background processes of a box that serve or want to.
func daemons(b *box) (found []process) {
	for _, p := range processesOf(b.dir) {
		if strings.HasSuffix(p.args, " daemon") {
			found = append(found, p)
		}
	}
	return found
}

// oneServes waits until one background process is left: another one that a command has
// started ends as soon as it sees that it is not the first.
func oneServes(b *box) {
	b.Helper()
	serves := b.pid()
	b.gone(func(p process) bool { return strings.HasSuffix(p.args, " daemon") && p.pid != serves })
}

func killAll(b *box, sig syscall.Signal, all []process) {
	b.Helper()
	for _, p := range all {
		_ = syscall.Kill(p.pid, sig) // it may have ended
	}
	for _, p := range all {
		awaitExit(b, p.pid)
	}
}

// TestStoppedWhileStarting stops the process while it starts: waiting commands
// report that, and none starts a second one.
func TestStoppedWhileStarting(t *testing.T) {
	t.Parallel()
	b := realBox(t)                    // for signals
	b.setenv("GODEBUG", "inittrace=1") // a moment longer
	first := b.command(t.Context(), binary(), "mount")
	must(t, first.Start())
	var found []process
	fstest.Eventually(t, "the process is started", func() bool { found = daemons(b); return len(found) > 0 }) // which it tells only later
	pid := found[0].pid
	signalTo(t, pid, syscall.SIGSTOP)
	r := b.run("status")
	second := b.run("mount")
	_ = syscall.Kill(pid, syscall.SIGCONT)
	words := []string{fmt.Sprintf("(%d)", pid), "it is stopped", "kill -CONT"}
	// It was stopped before it took its seat, or after.
	if r.code != exitNotRunning && !containsAll(r.err, words) {
		t.Errorf("status: exit %d\n%v", r.code, r)
	}
	if second.code != 0 && !containsAll(second.err, words) {
		t.Errorf("mount: exit %d\n%v", second.code, second)
	}
	_ = first.Wait()
	b.mount()
	oneServes(b)
}
