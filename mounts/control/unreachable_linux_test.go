package control

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

// TestUnreachable: a process that has the lock is waited for, one that cannot
// be reached is reported.
func TestUnreachable(t *testing.T) {
	if _, err := exec.LookPath("flock"); err != nil {
		t.Skip("needs flock")
	}
	h := newHome(t)
	h.Mount = filepath.Join(h.Dir, "mnt")
	fstest.Must(t, os.Mkdir(h.State, 0o700))
	elsewhere := h
	elsewhere.State = filepath.Join(h.Dir, "elsewhere")
	check := func(when string, pid int, of Home, words string) {
		t.Helper()
		err := h.judgeUnreachable(pid, of)
		if fault := (*Fault)(nil); words != "" && (!errors.As(err, &fault) || !strings.Contains(err.Error(), words)) || words == "" && err != nil {
			t.Errorf("%s: %v, not %q", when, err, words)
		}
	}
	faults := func(when string) {
		t.Helper()
		check(when, 0, Home{}, "cannot be reached from here")
		check(when, 5, h, "its socket in "+h.State+" was deleted")
		check(when, 5, elsewhere, "has the state folder "+elsewhere.State)
		check(when, 5, Home{Dir: "/somewhere"}, "")
	}
	faults("nobody has the lock")
	own, err := h.lock()
	fstest.Must(t, err)
	faults("this process has the lock")
	own.Close()

	other := exec.Command("flock", h.State, "-c", "echo locked; exec cat")
	in, err := other.StdinPipe()
	fstest.Must(t, err)
	out, err := other.StdoutPipe()
	fstest.Must(t, err)
	fstest.Must(t, other.Start())
	defer func() {
		in.Close()
		_ = other.Wait()
	}()
	if n, err := out.Read(make([]byte, 10)); n == 0 {
		t.Fatal(err)
	}
	check("another process has the lock", 0, Home{}, "")
	check("another process has the lock", 5, h, "")
}
