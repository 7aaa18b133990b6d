package terminals

import (
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// holders waits for the exit of processes that are not children of this one. None
// of them costs a thread.
type holders struct {
	ended func(id string)

	mu      sync.Mutex
	waiting map[holding]*os.File // their pidfds
	closed  bool
	done    sync.WaitGroup
}

// holding is a process, and the terminal that it holds.
type holding struct {
	id  string
	pid int
}

// newHolders returns a holders that calls ended with the terminal whose holder has
// exited, in a goroutine for each.
func newHolders(ended func(id string)) *holders {
	return &holders{ended: ended, waiting: make(map[holding]*os.File)}
}

// watch waits for the exit of a terminal's holder. It returns false if the process
// has exited already, or if this kernel does not support that.
func (h *holders) watch(id string, pid int) bool {
	key := holding{id, pid}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed || h.waiting[key] != nil {
		return true
	}
	fd, err := unix.PidfdOpen(pid, unix.PIDFD_NONBLOCK)
	if err != nil {
		return false
	}
	f := os.NewFile(uintptr(fd), "pidfd")
	conn, err := f.SyscallConn()
	if err != nil {
		f.Close()
		return false
	}
	h.waiting[key] = f
	h.done.Go(func() {
		err := conn.Read(func(fd uintptr) bool {
			ready, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
			return err == nil && ready > 0
		})
		h.mu.Lock()
		delete(h.waiting, key)
		closed := h.closed
		h.mu.Unlock()
		f.Close()
		if err == nil && !closed {
			h.ended(id)
		}
	})
	return true
}

// close ends the watch, and waits for calls of ended.
func (h *holders) close() {
	h.mu.Lock()
	h.closed = true
	for _, f := range h.waiting {
		f.Close()
	}
	h.mu.Unlock()
	h.done.Wait()
}
