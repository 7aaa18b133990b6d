package procs

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	"ctxfs/fs/fstest"
)

// TestTree: what a program has started belongs to it, also what has left it for a session
// of its own, if it carries the mark.
func TestTree(t *testing.T) {
	cmd := exec.Command("sh", "-c", `setsid sleep 1000 & (env -i /bin/sleep 1000) & wait`)
	cmd.Env = append(os.Environ(), "MARK_OF_THIS_TEST=a b")
	fstest.Must(t, cmd.Start())
	all := func() []Process { return Now().Tree(cmd.Process.Pid, "MARK_OF_THIS_TEST=a b") }
	var started []Process
	t.Cleanup(func() {
		for _, p := range append(started, all()...) {
			_ = p.Signal(syscall.SIGKILL)
		}
		_ = cmd.Wait()
	})
	fstest.Eventually(t, "all run, and one has no environment any more", func() bool {
		asleep := 0
		for _, p := range all() {
			program, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.PID))
			if strings.HasPrefix(string(program), "sleep\x00") || strings.HasPrefix(string(program), "/bin/sleep\x00") {
				asleep++
			}
		}
		return asleep == 2
	})
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
	fstest.Eventually(t, "it has ended", func() bool { return len(Now().Tree(0, "MARK_OF_THIS_TEST=a b")) == 0 })
	if err := left[0].Signal(syscall.SIGKILL); err != nil {
		t.Errorf("one that has ended: %v", err)
	}
}

func FuzzStat(f *testing.F) {
	f.Add("1 (a) b) S 1 2 3 34816 5 0 0 0 0 0 0 0 0 0 0 20 0 1 0 999 0\n")
	f.Fuzz(func(_ *testing.T, text string) { _, _ = parseStat([]byte(text)) })
}
