package fusefs

import (
	"os/exec"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"ctxfs/fs/fstest"
)

// A thread has left if it does not run, has ended, or was seen to run twice.
func TestPassage(t *testing.T) {
	busy := start(t, exec.Command("sh", "-c", "echo runs; while :; do :; done"))
	busy.hear("runs")
	pid := busy.cmd.Process.Pid
	p, looks := new(passage), 1
	for !p.hasLeft(uint32(pid)) {
		looks++
	}
	if looks < 3 {
		t.Errorf("a thread that runs was taken to have left at look %d", looks)
	}
	fstest.Must(t, busy.cmd.Process.Signal(syscall.SIGSTOP))
	fstest.Must(t, unix.Waitid(unix.P_PID, pid, nil, unix.WSTOPPED, nil))
	if !new(passage).hasLeft(uint32(pid)) {
		t.Error("a thread that does not run is taken to be there still")
	}
	busy.kill()
	if !new(passage).hasLeft(uint32(pid)) {
		t.Error("a thread that has ended is taken to be there still")
	}
}
