package procs

import (
	"io"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"testing"

	"ctxfs/fs/fstest"
)

// TestTree: what a program has started belongs to it, also what has left it for a session
// of its own, if it carries the mark.
func TestTree(t *testing.T) {
	cmd := exec.Command("sh", "-c", `setsid sh -c "echo; exec sleep 1000" & (exec env -i /bin/sh -c "echo; exec /bin/sleep 1000") & wait`)
	cmd.Env = append(os.Environ(), "MARK_OF_THIS_TEST=a b")
	out, w := pipe(t)
	cmd.Stdout = w
	fstest.Must(t, cmd.Start())
	w.Close()
	all := func() []Process { return Now().Tree(cmd.Process.Pid, "MARK_OF_THIS_TEST=a b") }
	var started []Process
	t.Cleanup(func() {
		for _, p := range append(started, all()...) {
			_ = p.Signal(syscall.SIGKILL)
		}
		_ = cmd.Wait()
	})
	for range 2 { // one of them has no environment any more
		_, err := io.ReadFull(out, make([]byte, 1))
		fstest.Must(t, err)
	}
	if started = all(); started[0].PID != cmd.Process.Pid {
		t.Errorf("the first is not the root: %v", started)
	}
	fstest.Must(t, cmd.Process.Kill())
	_ = cmd.Wait()
	left := Now().Tree(0, "MARK_OF_THIS_TEST=a b")
	if len(left) != 1 {
		t.Fatalf("with the mark: %v", left)
	}
	other := Process{left[0].PID, left[0].began + 1}
	if err := other.Signal(syscall.SIGKILL); err != nil || !slices.Equal(Now().Tree(0, "MARK_OF_THIS_TEST=a b"), left) {
		t.Errorf("an older process of that number was not spared: %v", err)
	}
	for _, p := range left {
		if err := p.Signal(syscall.SIGKILL); err != nil {
			t.Error(err)
		}
	}
	for _, p := range started {
		_ = p.Signal(syscall.SIGKILL)
	}
	_, err := io.ReadAll(out) // until the last has ended
	fstest.Must(t, err)
	if left := Now().Tree(0, "MARK_OF_THIS_TEST=a b"); len(left) > 0 {
		t.Errorf("it has ended, and is there: %v", left)
	}
	if err := left[0].Signal(syscall.SIGKILL); err != nil {
		t.Errorf("one that has ended: %v", err)
	}
}

func FuzzStat(f *testing.F) {
	f.Add("1 (a) b) S 1 2 3 34816 5 0 0 0 0 0 0 0 0 0 0 20 0 1 0 999 0\n")
	f.Fuzz(func(_ *testing.T, text string) { _, _ = parseStat([]byte(text)) })
}
