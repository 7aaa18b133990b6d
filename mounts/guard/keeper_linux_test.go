package guard

import (
	"fmt"
	"io"
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

// testKeeper is a keeper whose guardians a test can see.
type testKeeper struct {
	*Keeper
	guardians chan io.Reader // their outputs, which end with them
}

func newTestKeeper(t *testing.T) testKeeper {
	guardians := make(chan io.Reader, 10)
	return testKeeper{NewKeeper(func() *exec.Cmd {
		cmd := guardianCommand()
		out, err := cmd.StdoutPipe()
		fstest.Must(t, err)
		guardians <- out
		return cmd
	}, slog.New(slog.DiscardHandler)), guardians}
}

func guardianCommand() *exec.Cmd {
	cmd := exec.Command("/proc/self/exe")
	cmd.Env = append(os.Environ(), guardEnv+"=1")
	cmd.Stderr = os.Stderr
	return cmd
}

// ended waits until the next guardian has ended of those that were started.
func (k testKeeper) ended() { _, _ = io.Copy(io.Discard, <-k.guardians) }

// pid returns the process ID of the guardian, 0 if there is none.
func (k testKeeper) pid() int {
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

// awaitDevices waits until a guardian has so many mounts: it answers no message.
func awaitDevices(t *testing.T, pid, n int) {
	t.Helper()
	// The kernel tells nobody that another process has taken or closed a descriptor.
	fstest.Eventually(t, fmt.Sprintf("the guardian has %d mounts", n), func() bool { return devicesOf(pid) == n })
}

// TestGuardianLivesAsLongAsMounts: it exits when the process goes on without
// mounts.
func TestGuardianLivesAsLongAsMounts(t *testing.T) {
	k, c := newTestKeeper(t), device(t)
	first := k.Watch(c)
	pid := k.pid()
	second := k.Watch(c)
	fstest.Equal(t, k.pid(), pid, "each mount has a guardian of its own")
	first()
	awaitDevices(t, pid, 1)
	second()
	k.ended()
	third := k.Watch(c)
	next := k.pid()
	if next == 0 || next == pid {
		t.Errorf("after %d the guardian of another mount is %d", pid, next)
	}
	third()
	k.ended()
}

// TestStoppedGuardianIsReplaced: mounts do not wait for a guardian that does
// not read its messages.
func TestStoppedGuardianIsReplaced(t *testing.T) {
	k, c := newTestKeeper(t), device(t)
	ended := k.Watch(c)
	pid := k.pid()
	awaitDevices(t, pid, 1)
	signalled(syscall.SIGSTOP)(t, pid)
	for k.pid() == pid {
		k.Watch(c)()
	}
	k.ended()
	guardian := <-k.guardians
	k.guardians <- guardian
	next := k.pid() // once it is started
	awaitDevices(t, next, 1)
	ended()
	k.ended()
}

// TestGuardianByHand: a person starts it.
func TestGuardianByHand(t *testing.T) {
	cmd := guardianCommand()
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
