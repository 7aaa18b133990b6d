package holder

import (
	"os"
	"os/signal"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// orphans are the descendants of this process whose parent has exited: they become
// its children. Each is reaped when it exits.
type orphans struct {
	signals chan os.Signal

	mu      sync.Mutex
	awaited map[int]chan<- syscall.WaitStatus
}

// takeOrphans makes this process the parent of orphans from now on. It must have no
// children that other code waits for.
func takeOrphans() *orphans {
	o := &orphans{signals: make(chan os.Signal, 1), awaited: make(map[int]chan<- syscall.WaitStatus)}
	if unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != nil {
		return o // then how the program ends is not known
	}
	signal.Notify(o.signals, syscall.SIGCHLD)
	go func() {
		for range o.signals {
			o.reap()
		}
	}()
	return o
}

func (o *orphans) reap() {
	o.mu.Lock()
	defer o.mu.Unlock()
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, syscall.WNOHANG, nil)
		if err == syscall.EINTR {
			continue
		}
		if pid <= 0 || err != nil {
			return
		}
		if to := o.awaited[pid]; to != nil {
			to <- status
			delete(o.awaited, pid)
		}
	}
}

// ended returns a channel that receives the exit of a process that is not a child
// of this one yet.
func (o *orphans) ended(pid int) <-chan syscall.WaitStatus {
	o.mu.Lock()
	defer o.mu.Unlock()
	to := make(chan syscall.WaitStatus, 1)
	o.awaited[pid] = to
	return to
}

// stop leaves orphans to others again.
func (o *orphans) stop() {
	signal.Stop(o.signals)
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
}
