package guard

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"ctxfs/fs/fstest"
)

// TestStateOf: processes that do not answer for many reasons.
func TestStateOf(t *testing.T) {
	busy := "import threading\nfor _ in range(4): threading.Thread(target=lambda: [0 for _ in iter(int, 1)], daemon=True).start()\n" +
		"print(flush=True)\nthreading.Event().wait()"
	leaderEnded := "import ctypes, threading\nthreading.Thread(target=threading.Event().wait).start()\n" +
		"print(flush=True)\nctypes.CDLL(None).syscall(%d, 0)"
	for name, c := range map[string]struct {
		args  []string
		then  func(t *testing.T, pid int)
		state byte // that of the first thread, once it is as it should be
		want  State
	}{
		"asleep":              {[]string{"sleep", "1000"}, nil, 'S', Alive},
		"running":             {[]string{"sh", "-c", "while :; do :; done"}, nil, 'R', Alive},
		"all threads busy":    {[]string{"python3", "-c", busy}, nil, 'S', Alive},
		"stopped":             {[]string{"sleep", "1000"}, signalled(syscall.SIGSTOP), 'T', Alive},
		"ordered to end":      {[]string{"sh", "-c", "trap '' TERM; echo; exec sleep 1000"}, signalled(syscall.SIGTERM), 'S', Alive},
		"first thread ended":  {[]string{"python3", "-c", fmt.Sprintf(leaderEnded, syscall.SYS_EXIT)}, nil, 'Z', Alive},
		"killed":              {[]string{"sleep", "1000"}, signalled(syscall.SIGKILL), 'Z', Gone},
		"killed when stopped": {[]string{"sleep", "1000"}, func(t *testing.T, pid int) { signalled(syscall.SIGSTOP)(t, pid); signalled(syscall.SIGKILL)(t, pid) }, 'Z', Gone},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := exec.LookPath(c.args[0]); err != nil {
				t.Skipf("%s is not installed", c.args[0])
			}
			cmd := exec.Command(c.args[0], c.args[1:]...)
			out, err := cmd.StdoutPipe()
			if err == nil {
				err = cmd.Start()
			}
			fstest.Must(t, err)
			t.Cleanup(func() {
				_ = cmd.Process.Kill()
				_ = cmd.Wait()
			})
			if len(c.args) > 2 && strings.Contains(c.args[2], "\n") || name == "ordered to end" {
				if _, err := out.Read(make([]byte, 1)); err != nil {
					t.Fatal(err)
				}
			}
			if c.then != nil {
				c.then(t, cmd.Process.Pid)
			}
			proc := procOf(cmd.Process.Pid)
			// The kernel tells nobody that a thread sleeps or runs.
			fstest.Eventually(t, "state "+string(c.state), func() bool { return stateOf(proc) == c.state && StateOf(proc) == c.want })
			for range 100 {
				if got := StateOf(proc); got != c.want {
					t.Fatalf("state %v, want %v", got, c.want)
				}
			}
		})
	}
}

// TestStateOfTraced: a process that a debugger holds is alive.
func TestStateOfTraced(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd := exec.Command("sleep", "1000")
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	if err := cmd.Start(); err != nil {
		t.Skipf("no debugging here: %v", err)
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	proc := procOf(cmd.Process.Pid)
	if _, err := syscall.Wait4(cmd.Process.Pid, nil, syscall.WUNTRACED, nil); err != nil || stateOf(proc) != 't' {
		t.Fatalf("it is not traced: %v", err)
	}
	fstest.Equal(t, StateOf(proc), Alive, "state")
}

// TestStateThroughDescriptor: a folder of /proc that was opened while the
// process lived never means another process with its number.
func TestStateThroughDescriptor(t *testing.T) {
	cmd := exec.Command("sleep", "1000")
	fstest.Must(t, cmd.Start())
	dir, err := os.Open(procOf(cmd.Process.Pid))
	fstest.Must(t, err)
	defer dir.Close()
	proc := fmt.Sprintf("/proc/self/fd/%d", dir.Fd())
	fstest.Equal(t, StateOf(proc), Alive, "state", "of a living process")
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	fstest.Equal(t, StateOf(proc), Gone, "state", "of a process that has been waited for")
}

func procOf(pid int) string { return fmt.Sprintf("/proc/%d", pid) }

func signalled(sig syscall.Signal) func(t *testing.T, pid int) {
	return func(t *testing.T, pid int) {
		fstest.Must(t, syscall.Kill(pid, sig))
	}
}

// stateOf returns the state of the first thread of a process.
func stateOf(proc string) byte {
	stat, _ := os.ReadFile(filepath.Join(proc, "stat"))
	_, rest, found := strings.Cut(string(stat), ") ")
	if !found {
		return 0
	}
	return rest[0]
}
