package fstest

import (
	"os/exec"
	"testing"
)

// TestFIFO: lines arrive one by one from several programs, and the end of the last one is
// noticed.
func TestFIFO(t *testing.T) {
	f := NewFIFO(t)
	start := func(script string) *exec.Cmd {
		cmd := exec.Command("sh", "-c", script, "sh", f.Path)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd
	}
	first := start(`echo one >"$1"; echo two >"$1"`)
	if a, b := f.Line(), f.Line(); a != "one" || b != "two" {
		t.Errorf("lines %q and %q", a, b)
	}
	second := start(`exec 3>"$1"; echo three >&3; exec sleep 1000`)
	if line := f.Line(); line != "three" {
		t.Errorf("line %q", line)
	}
	if err := second.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	f.Left()
	_ = second.Wait()
	_ = first.Wait()
}
