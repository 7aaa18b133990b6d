package guard

import (
	"log/slog"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"ctxfs/fs/fstest"
)

// guardEnv is set if this program is the guardian of a test.
const guardEnv = "CTXFS_TEST_GUARD"

func TestMain(m *testing.M) {
	if os.Getenv(guardEnv) != "" {
		os.Exit(Main(os.Stderr))
	}
	os.Exit(m.Run())
}

func newTestKeeper() *Keeper {
	return NewKeeper(func() *exec.Cmd {
		cmd := exec.Command("/proc/self/exe")
		cmd.Env = append(os.Environ(), guardEnv+"=1")
		cmd.Stderr = os.Stderr
		return cmd
	}, slog.New(slog.DiscardHandler))
}

// pid returns the process ID of the guardian, 0 if there is none.
func (k *Keeper) pid() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.guardian == nil {
		return 0
	}
	return k.guardian.cmd.Process.Pid
}

// device returns a descriptor like that of a mount.
func device(t *testing.T) Connection {
	t.Helper()
	fd, err := syscall.Open("/dev/fuse", syscall.O_RDWR|syscall.O_CLOEXEC, 0)
	if err != nil {
		t.Skipf("no FUSE here: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Close(fd) })
	return Connection{FD: fd, Minor: "0", Dir: "/a folder"}
}

func awaitNoGuardian(t *testing.T, pid int) {
	t.Helper()
	fstest.Eventually(t, "the guardian ends", func() bool { return StateOf(procOf(pid)) == Gone })
}

// TestGuardianLivesAsLongAsMounts: it exits when the process goes on without
// mounts.
func TestGuardianLivesAsLongAsMounts(t *testing.T) {
	k, c := newTestKeeper(), device(t)
	first := k.Watch(c)
	pid := k.pid()
	second := k.Watch(c)
	if k.pid() != pid {
		t.Error("each mount has a guardian of its own")
	}
	first()
	fstest.Eventually(t, "the guardian lets go of the first mount", func() bool { return devicesOf(pid) == 1 })
	second()
	awaitNoGuardian(t, pid)
	third := k.Watch(c)
	next := k.pid()
	if next == 0 || next == pid {
		t.Errorf("after %d the guardian of another mount is %d", pid, next)
	}
	third()
	awaitNoGuardian(t, next)
}

// TestStoppedGuardianIsReplaced: mounts do not wait for a guardian that does
// not read its messages.
func TestStoppedGuardianIsReplaced(t *testing.T) {
	k, c := newTestKeeper(), device(t)
	ended := k.Watch(c)
	pid := k.pid()
	fstest.Eventually(t, "the guardian has the mount", func() bool { return devicesOf(pid) == 1 })
	signalled(syscall.SIGSTOP)(t, pid)
	for k.pid() == pid {
		k.Watch(c)()
	}
	fstest.Eventually(t, "another guardian has the mount", func() bool {
		next := k.pid()
		return next != 0 && next != pid && devicesOf(next) == 1
	})
	awaitNoGuardian(t, pid)
	next := k.pid()
	ended()
	awaitNoGuardian(t, next)
}

// TestGuardianByHand: a person starts it.
func TestGuardianByHand(t *testing.T) {
	cmd := newTestKeeper().command()
	cmd.Stderr = nil
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState.ExitCode() != 2 || len(out) == 0 {
		t.Errorf("%v: %s", err, out)
	}
}

// devicesOf returns how many FUSE devices a process has open.
func devicesOf(pid int) (n int) {
	fds, _ := os.ReadDir(procOf(pid) + "/fd")
	for _, fd := range fds {
		if target, err := os.Readlink(procOf(pid) + "/fd/" + fd.Name()); err == nil && target == "/dev/fuse" {
			n++
		}
	}
	return n
}
