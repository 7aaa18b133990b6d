package mcp

import (
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"ctxfs/providers/internal/spawn"
)

// TestAKilledDaemonLeavesNoServer kills a process that has a server which
// heeds neither the end of its input nor SIGTERM.
func TestAKilledDaemonLeavesNoServer(t *testing.T) {
	w := newWorld(t)
	journal, _ := w.journal()
	w.claude(map[string]any{"stubborn": stub("stubborn", stubJournal, journal)})
	daemon := exec.Command(os.Args[0])
	daemon.Env = append(os.Environ(), stubMode+"=daemon", "HOME="+w.home)
	input, err := daemon.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer input.Close()
	if err := daemon.Start(); err != nil {
		t.Fatal(err)
	}
	end := func() {
		_ = daemon.Process.Kill()
		_ = daemon.Wait() // it was killed
	}
	t.Cleanup(end)
	var pid int
	w.until("the server", func() bool {
		text, _ := os.ReadFile(journal)
		_, after, _ := strings.Cut(string(text), "pid ")
		number, _, written := strings.Cut(after, "\n")
		pid, _ = strconv.Atoi(number)
		return written
	})
	end()
	untilDead(t, pid)
}

// TestServersOutliveThreads starts a process from a thread that ends.
func TestServersOutliveThreads(t *testing.T) {
	spawner := spawn.New()
	defer spawner.Close()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), stubMode+"=silent")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	input, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	thread := make(chan int, 1)
	var begin func()
	begin = func() {
		runtime.LockOSThread() // and never unlocks it: the thread ends with the goroutine
		if syscall.Gettid() == os.Getpid() {
			defer runtime.UnlockOSThread() // the first thread never ends
			var other sync.WaitGroup
			other.Go(begin)
			other.Wait()
			return
		}
		if err := spawner.Start(cmd); err != nil {
			t.Error(err)
		}
		thread <- syscall.Gettid()
	}
	go begin()
	tid := <-thread
	for deadline := time.Now().Add(patience); syscall.Tgkill(os.Getpid(), tid, 0) == nil; {
		if time.Now().After(deadline) {
			t.Fatal("the thread does not end")
		}
		time.Sleep(time.Millisecond) // it tells nobody of its end
	}
	input.Close()
	if err := cmd.Wait(); err != nil {
		t.Errorf("the server did not live to see the end of its input: %v", err)
	}
}
