package fusefs

import (
	"os/exec"
	"testing"
	"time"
)

// A thread has left if it sleeps, has ended, or was seen to run twice.
func TestPassage(t *testing.T) {
	process := func(script string) uint32 {
		cmd := exec.Command("sh", "-c", script)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		})
		return uint32(cmd.Process.Pid)
	}
	await := func(what string, thread uint32) (looks int) {
		t.Helper()
		p := new(passage)
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for looks = 1; !p.hasLeft(thread); looks++ {
			select {
			case <-tick.C:
			case <-t.Context().Done():
				t.Fatal(what)
			}
		}
		return looks
	}
	await("asleep", process("exec sleep 1000"))
	await("ended", process("exit"))
	if looks := await("busy", process("while :; do :; done")); looks < 3 {
		t.Errorf("a thread that runs was taken to have left at look %d", looks)
	}
}
