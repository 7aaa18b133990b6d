package mounts

import (
	"runtime"
	"sync"

	"golang.org/x/sys/unix"

	"ctxfs/fs"
)

// Table answers which paths are in a mount of ctxfs, any user's. It reads the mount table
// only when that has changed: a walk asks for every file. It is safe for concurrent use.
type Table struct {
	mu     sync.Mutex
	events int // a descriptor of the mount table, at which the kernel reports changes; or -1
	known  bool
	points []Point
}

// NewTable returns the Table of this process's mount namespace.
func NewTable() *Table {
	t := &Table{}
	var err error
	// Not an os.File: the runtime would take the events.
	if t.events, err = unix.Open("/proc/self/mountinfo", unix.O_RDONLY|unix.O_CLOEXEC, 0); err != nil {
		t.events = -1
		return t
	}
	runtime.AddCleanup(t, func(fd int) { _ = unix.Close(fd) }, t.events)
	return t
}

// Contain reports whether a path is in a mount.
func (t *Table) Contain(path string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	events := []unix.PollFd{{Fd: int32(t.events), Events: unix.POLLPRI}}
	if n, err := unix.Poll(events, 0); !t.known || t.events < 0 || n > 0 || err != nil {
		points, err := Points()
		t.known, t.points = err == nil, points
	}
	for _, p := range t.points {
		if fs.Within(path, p.Dir) {
			return true
		}
	}
	return false
}
