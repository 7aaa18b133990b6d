package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ctxfs/fs/fstest"
	"ctxfs/mounts/guard"
)

// storm is a box where everything changes and is read all the time.
type storm struct {
	*box
	stop    string // a file that ends the readers
	readers []*exec.Cmd
}

func newStorm(b *box) *storm {
	for _, name := range []string{"zoo", "park", "farm"} {
		b.stub(name, "restless", nil)
	}
	return &storm{box: b, stop: filepath.Join(b.dir, "stop")}
}

// begin mounts and starts the readers.
func (s *storm) begin() {
	s.Helper()
	s.mount()
	s.ok("wait", "server", "zoo", "ready")
	_ = os.Remove(s.stop)
	s.readers = nil
	for i := range 8 {
		read := fmt.Sprintf("ls -l %s/zoo/tools", s.mnt("mcps"))
		if i%2 == 1 {
			read = fmt.Sprintf("stat %s/park/tools/tool*.json %s/zoo/tools/none%d", s.mnt("mcps"), s.mnt("mcps"), i)
		}
		cmd := s.command(s.Context(), "bash", "-c", fmt.Sprintf("until [ -e %s ]; do %s; done >/dev/null 2>&1", s.stop, read))
		must(s, cmd.Start())
		s.readers = append(s.readers, cmd)
	}
}

// slow stops the process and lets it go on some times.
func (s *storm) slow(pid int) {
	s.Helper()
	pace := time.NewTicker(5 * time.Millisecond)
	defer pace.Stop()
	for range 15 {
		signalTo(s.T, pid, syscall.SIGSTOP) // a thread that waits in the kernel never stands still
		<-pace.C                            // what comes meanwhile is what jams it
		signalTo(s.T, pid, syscall.SIGCONT)
		<-pace.C
	}
}

// catch stops the process while a thread of it waits in the kernel, if that is
// seen.
func (s *storm) catch(pid int) {
	s.Helper()
	end := time.After(3 * time.Second)
	for {
		signalTo(s.T, pid, syscall.SIGSTOP)
		stats, _ := filepath.Glob(procOf(pid) + "/task/*/stat")
		for _, path := range stats {
			stat, _ := os.ReadFile(path)
			if bytes.Contains(stat, []byte(") D ")) {
				return
			}
		}
		signalTo(s.T, pid, syscall.SIGCONT)
		select {
		case <-end:
			return
		case <-time.After(time.Millisecond):
		}
	}
}

// end waits for the readers.
func (s *storm) end() {
	s.Helper()
	must(s, os.WriteFile(s.stop, nil, 0o644))
	for _, r := range s.readers {
		ended := make(chan struct{})
		go func() {
			_ = r.Wait()
			close(ended)
		}()
		if !inTime(ended) {
			s.Fatal("a reader hangs")
		}
	}
}

func procOf(pid int) string { return fmt.Sprint("/proc/", pid) }

// guardianOf is the guardian of a background process of the box, 0 if there is
// none.
func (b *box) guardianOf(pid int) int {
	b.Helper()
	for _, p := range processesOf(b.dir) {
		if p.args == fmt.Sprintf("ctxfs guard %d", pid) {
			return p.pid
		}
	}
	return 0
}

// TestKilledInAStorm kills the process while everything changes and is read: no
// reader hangs, and the next mount works.
func TestKilledInAStorm(t *testing.T) {
	t.Parallel()
	for name, makeBox := range map[string]func(*testing.T) *box{"self": realBox, "user": newUserBox} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStorm(makeBox(t))
			for range fstest.Rounds(10) {
				s.begin()
				pid := s.pid()
				s.slow(pid)
				signalTo(t, pid, syscall.SIGKILL)
				s.end()
				awaitExit(t, pid)
			}
			s.mount()
			s.sh("cat .agentctx/AGENTS.md")
			if strings.Contains(s.log(), "cannot be freed") {
				t.Error("the guardian could not free a mount")
			}
		})
	}
}

// TestKilledWithItsGuardian kills both at once. Where that leaves a thread
// waiting in the kernel, which is a matter of luck, commands free it.
func TestKilledWithItsGuardian(t *testing.T) {
	fstest.OptIn(t, "chaos")
	t.Parallel()
	for _, command := range []string{"mount", "unmount", "doctor"} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			b := realBox(t)
			s := newStorm(b)
			for range 3 {
				s.begin()
				pid := b.pid()
				fstest.Eventually(t, "a guardian", func() bool { return b.guardianOf(pid) != 0 }) // which tells nobody that it is there
				s.catch(pid)
				signalTo(t, b.guardianOf(pid), syscall.SIGKILL)
				signalTo(t, pid, syscall.SIGKILL)
				stuck := staysDying(pid)
				r := b.run(command)
				s.end()
				if command != "doctor" && r.code != 0 || command == "doctor" && stuck && !strings.Contains(r.out, "were freed") {
					t.Errorf("exit %d\n%v", r.code, r)
				}
				if state := guard.StateOf(procOf(pid)); state != guard.Gone {
					t.Fatalf("the process is in state %v", state)
				}
				if stuck {
					b.mount()
					b.read("AGENTS.md")
					return
				}
			}
			t.Log("no kill left a thread waiting")
		})
	}
}

// staysDying reports whether a process that was killed does not end. It waits for
// longer than a busy machine takes: one that is merely slow ends by itself.
func staysDying(pid int) bool {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	end := time.After(20 * time.Second)
	for guard.StateOf(procOf(pid)) != guard.Gone {
		select {
		case <-tick.C:
		case <-end:
			return true
		}
	}
	return false
}
