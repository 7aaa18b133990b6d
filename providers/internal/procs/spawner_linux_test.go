package procs

import (
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"testing"

	"ctxfs/fs/fstest"
)

// TestProcessesOutliveThreads starts a process from a thread that ends.
func TestProcessesOutliveThreads(t *testing.T) {
	spawner := NewSpawner()
	defer spawner.Close()
	cmd := exec.Command("cat")
	input, err := cmd.StdinPipe()
	fstest.Must(t, err)
	thread := make(chan int, 1)
	var begin func()
	begin = func() {
		runtime.LockOSThread() // and never unlocks it: the thread ends with the goroutine
		if syscall.Gettid() == os.Getpid() {
			defer runtime.UnlockOSThread() // the first thread never ends
			var other sync.WaitGroup
			other.Go(begin)
			other.Wait()
			return
		}
		if err := spawner.Start(cmd); err != nil {
			t.Error(err)
		}
		thread <- syscall.Gettid()
	}
	go begin()
	tid := <-thread
	// The runtime and the kernel tell nobody that a thread has ended.
	fstest.Eventually(t, "the thread ends", func() bool { return syscall.Tgkill(os.Getpid(), tid, 0) != nil })
	input.Close()
	if err := cmd.Wait(); err != nil {
		t.Errorf("the process did not live to see the end of its input: %v", err)
	}
}
