package procs

import (
	"context"
	"os"
	"sync"

	"golang.org/x/sys/unix"

	"ctxfs/fs/cell"
)

// Ends waits for the end of processes that are not children of this one. None of them
// costs a thread.
type Ends struct {
	ended func(name string)

	mu      sync.Mutex
	waiting map[ending]*waiting
	telling map[*waiting]bool
	closed  bool
	done    cell.Group
}

// waiting is the pidfd of a process, and a channel that is closed when its end was told.
type waiting struct {
	*os.File
	told chan struct{}
}

// ending is a process, and the name under which its end is told.
type ending struct {
	name string
	pid  int
}

// NewEnds returns an Ends that calls ended with the name of a process that has ended, in a
// goroutine for each.
func NewEnds(ended func(name string)) *Ends {
	return &Ends{ended: ended, waiting: make(map[ending]*waiting), telling: make(map[*waiting]bool)}
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
	f := &waiting{os.NewFile(uintptr(fd), "pidfd"), make(chan struct{})}
	conn, err := f.SyscallConn()
	if err != nil {
		f.Close()
		return false
	}
	e.waiting[key] = f
	e.done.Go(func() {
		defer close(f.told)
		err := conn.Read(hasEnded)
		e.mu.Lock()
		delete(e.waiting, key)
		e.telling[f] = true
		closed := e.closed
		e.mu.Unlock()
		f.Close()
		if err == nil && !closed {
			e.ended(name)
		}
		e.mu.Lock()
		delete(e.telling, f)
		e.mu.Unlock()
	})
	return true
}

// hasEnded reports whether the process of a pidfd has ended.
func hasEnded(fd uintptr) bool {
	ready, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
	return err == nil && ready > 0
}

// Settled returns when the ends of all processes were told that have ended before the call.
// A nil Ends tells nothing.
func (e *Ends) Settled(ctx context.Context) error {
	if e == nil {
		return nil
	}
	e.mu.Lock()
	var told []chan struct{}
	for f := range e.telling {
		told = append(told, f.told)
	}
	for _, f := range e.waiting {
		if conn, err := f.SyscallConn(); err == nil {
			_ = conn.Control(func(fd uintptr) {
				if hasEnded(fd) {
					told = append(told, f.told)
				}
			})
		}
	}
	e.mu.Unlock()
	for _, told := range told {
		select {
		case <-told:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// Close ends the watch, and waits for calls of ended. No Ends has nothing to end.
func (e *Ends) Close() {
	if e == nil {
		return
	}
	e.mu.Lock()
	e.closed = true
	for _, f := range e.waiting {
		f.Close()
	}
	e.mu.Unlock()
	e.done.Wait()
}
