package mounts

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/mounts/control"
	"ctxfs/mounts/guard"
)

// everyUser runs a test as the user of the tests, and as an ordinary one.
func everyUser(t *testing.T, test func(t *testing.T, uid int)) {
	t.Run("self", func(t *testing.T) { test(t, os.Getuid()) })
	t.Run("ordinary", func(t *testing.T) {
		if os.Getuid() != 0 {
			t.Skip("the user of the tests is one already")
		}
		if _, err := exec.LookPath("fusermount3"); err != nil {
			t.Skip("fusermount3 is not installed")
		}
		test(t, nobody)
	})
}

// TestKilledWhileNotifying kills a process while one of its threads waits in the
// kernel for the lock of a folder, held by a reader that waits for the process.
func TestKilledWhileNotifying(t *testing.T) {
	everyUser(t, func(t *testing.T, uid int) {
		p := serveHanging(t, uid, true)
		p.guardian()
		readers := p.jam()
		p.kill()
		p.freed(readers)
		p.left()
		if err := fusermount(uid, p.dir); err != nil {
			t.Error(err)
		}
	})
}

// TestKilledWhileTouching kills a process while one of its threads waits for its
// own answer: it touches files to wake programs that watch them.
func TestKilledWhileTouching(t *testing.T) {
	everyUser(t, func(t *testing.T, uid int) {
		for _, guarded := range []bool{true, false} {
			if !guarded && os.Getuid() != 0 {
				continue
			}
			p := serveHanging(t, uid, guarded)
			if guarded {
				p.guardian()
			}
			readers := p.touch()
			p.kill()
			if !guarded {
				p.staysStuck(readers)
				fstest.Must(t, p.point().free())
			}
			p.freed(readers)
		}
	})
}

// TestKilledWithItsGroup: the guardian is not in the group and survives.
func TestKilledWithItsGroup(t *testing.T) {
	p := serveHanging(t, os.Getuid(), true)
	p.guardian()
	readers := p.jam()
	fstest.Must(t, syscall.Kill(-p.pid, syscall.SIGKILL))
	p.freed(readers)
}

// TestGuardianIsReplaced kills the guardian first, and the process as soon as
// it has forked: the next guardian has the mount even if it has not run yet.
func TestGuardianIsReplaced(t *testing.T) {
	everyUser(t, func(t *testing.T, uid int) {
		p := serveHanging(t, uid, true)
		first := p.guardian()
		readers := p.jam()
		fstest.Must(t, syscall.Kill(first, syscall.SIGKILL))
		// A process that was forked says nothing before it runs.
		fstest.Eventually(t, "another guardian", func() bool {
			next, found := p.child()
			return found && next != first
		})
		p.kill()
		p.freed(readers)
	})
}

// TestGuardianTakesNoSignals except SIGKILL: what ends a service ends its
// guardian by ending the process.
func TestGuardianTakesNoSignals(t *testing.T) {
	p := serveHanging(t, os.Getuid(), true)
	guardian := p.guardian()
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT} {
		fstest.Must(t, syscall.Kill(guardian, sig))
	}
	readers := p.jam()
	p.kill()
	p.freed(readers)
}

// TestOrdinaryDeath: if nothing is stuck the mount is dead at once, as without
// a guardian.
func TestOrdinaryDeath(t *testing.T) {
	everyUser(t, func(t *testing.T, uid int) {
		p := serveHanging(t, uid, true)
		p.guardian()
		reader := p.read("hanging")
		p.hear("listing")
		p.kill()
		p.freed([]*exec.Cmd{reader})
	})
}

// TestLivingIsNotTakenForDead: a process may not answer for many reasons other
// than death.
func TestLivingIsNotTakenForDead(t *testing.T) {
	p := serveHanging(t, os.Getuid(), true)
	guardian := p.guardian()
	readers := p.jam() // a thread waits in D from now on
	for range 20 {
		p.stop()
		if guard.StateOf(procOf(p.pid)) != guard.Alive {
			t.Fatal("a stopped process is taken for a dead one")
		}
		fstest.Must(t, syscall.Kill(p.pid, syscall.SIGCONT))
	}
	if guard.StateOf(procOf(p.pid)) != guard.Alive || guard.StateOf(procOf(guardian)) != guard.Alive {
		t.Fatal("a slow process is taken for a dead one")
	}
	p.say("release") // what hung goes on
	for _, r := range readers {
		if out := r.Stdout.(*strings.Builder); r.Wait() != nil || !strings.Contains(out.String(), "file") {
			t.Errorf("ls: %v, %s", r.ProcessState, out)
		}
	}
	p.end()
	p.left()
}

// TestFreedByHand has neither a guardian nor, on most machines, control files.
func TestFreedByHand(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can always free a mount by hand")
	}
	for name, free := range map[string]func(Point) error{
		"abort": Point.abort,
		"all":   Point.free,
	} {
		everyUser(t, func(t *testing.T, uid int) {
			t.Run(name, func(t *testing.T) {
				p := serveHanging(t, uid, false)
				readers := p.jam()
				p.kill()
				p.staysStuck(readers)
				fstest.Must(t, free(p.point()))
				p.freed(readers)
			})
		})
	}
}

// TestFreedByControlFile: the user who mounted ends a connection if the control
// files are mounted.
func TestFreedByControlFile(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root mounts the control files")
	}
	controls, err := os.MkdirTemp("/tmp", "cx")
	fstest.Must(t, err)
	defer os.Remove(controls)
	if err := syscall.Mount("none", controls, "fusectl", 0, ""); err != nil {
		t.Skipf("mount -t fusectl: %v", err)
	}
	defer syscall.Unmount(controls, syscall.MNT_DETACH)
	everyUser(t, func(t *testing.T, uid int) {
		p := serveHanging(t, uid, false)
		readers := p.jam()
		p.kill()
		p.staysStuck(readers)
		if out, err := p.helper("abort", controls, p.minor).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		p.freed(readers)
	})
}

// TestTakenOver frees a mount as an ordinary user without control files and
// without a guardian.
func TestTakenOver(t *testing.T) {
	everyUser(t, func(t *testing.T, uid int) {
		p := serveHanging(t, uid, false)
		readers := p.jam()
		p.kill()
		p.staysStuck(readers)
		if out, err := p.helper("takeover", p.dir).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		p.freed(readers)
	})
}

// TestGuardianStopped: only a stopped guardian holds a mount.
func TestGuardianStopped(t *testing.T) {
	everyUser(t, func(t *testing.T, uid int) {
		p := serveHanging(t, uid, true)
		guardian := p.guardian()
		reader := p.read("hanging")
		p.hear("listing")
		fstest.Must(t, syscall.Kill(guardian, syscall.SIGSTOP))
		t.Cleanup(func() {
			if guard.IsGuardian(procOf(guardian)) {
				_ = syscall.Kill(guardian, syscall.SIGKILL)
			}
		})
		p.kill()
		p.dead()
		if guard.StateOf(procOf(reader.Process.Pid)) == guard.Gone {
			t.Fatal("the reader does not hang")
		}
		if out, err := p.helper("takeover", p.dir).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		p.freed([]*exec.Cmd{reader})
		p.left()
	})
}

// TestRescue frees what a killed process has left, as commands do first.
func TestRescue(t *testing.T) {
	everyUser(t, func(t *testing.T, uid int) {
		p := serveHanging(t, uid, false)
		readers := p.jam()
		if freed, err := Rescue(control.Home{State: p.runtime}); freed || err != nil || guard.StateOf(procOf(p.pid)) != guard.Alive {
			t.Fatalf("a living process: %v", err)
		}
		p.kill()
		p.staysStuck(readers)
		if out, err := p.helper("rescue", p.runtime).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		p.freed(readers)
		if _, err := (control.Home{State: p.runtime}).Dial(t.Context()); !errors.Is(err, control.ErrNotRunning) {
			t.Errorf("its socket: %v", err)
		}
	})
}

func fusermount(uid int, dir string) error {
	cmd := exec.Command("fusermount3", "-u", "-z", dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}}
	cmd.Dir = filepath.Dir("/")
	return cmd.Run()
}

// TestReleaseFails has one descriptor that can be taken over and one that
// cannot.
func TestReleaseFails(t *testing.T) {
	pipe, other, err := os.Pipe()
	fstest.Must(t, err)
	defer pipe.Close()
	defer other.Close()
	held := func() int {
		var open int
		fds, _ := os.ReadDir("/proc/self/fd")
		of, _ := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", pipe.Fd()))
		for _, fd := range fds {
			if target, err := os.Readlink("/proc/self/fd/" + fd.Name()); err == nil && target == of {
				open++
			}
		}
		return open
	}
	before := held()
	tid := strconv.Itoa(os.Getpid())
	err = releaseHeldBy("/proc/self", "/proc/self/task/"+tid, []int{int(pipe.Fd()), 1 << 20})
	if err == nil || !strings.Contains(err.Error(), "take over a connection") {
		t.Skip(err)
	}
	fstest.Equal(t, held(), before, "descriptors")
}
