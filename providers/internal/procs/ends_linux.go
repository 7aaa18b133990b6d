package procs

import (
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// Ends waits for the end of processes that are not children of this one. None of them
// costs a thread.
type Ends struct {
	ended func(name string)

	mu      sync.Mutex
	waiting map[ending]*os.File // their pidfds
	closed  bool
	done    sync.WaitGroup
}

// ending is a process, and the name under which its end is told.
type ending struct {
	name string
	pid  int
}

// NewEnds returns an Ends that calls ended with the name of a process that has ended, in a
// goroutine for each.
func NewEnds(ended func(name string)) *Ends {
	return &Ends{ended: ended, waiting: make(map[ending]*os.File)}
}

// Watch waits for the end of a process. It returns false if the process has ended already,
// or if this kernel does not support that.
func (e *Ends) Watch(name string, pid int) bool {
	key := ending{name, pid}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed || e.waiting[key] != nil {
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
	e.waiting[key] = f
	e.done.Go(func() {
		err := conn.Read(func(fd uintptr) bool {
			ready, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
			return err == nil && ready > 0
		})
		e.mu.Lock()
		delete(e.waiting, key)
		closed := e.closed
		e.mu.Unlock()
		f.Close()
		if err == nil && !closed {
			e.ended(name)
		}
	})
	return true
}

// Close ends the watch, and waits for calls of ended.
func (e *Ends) Close() {
	e.mu.Lock()
	e.closed = true
	for _, f := range e.waiting {
		f.Close()
	}
	e.mu.Unlock()
	e.done.Wait()
}
