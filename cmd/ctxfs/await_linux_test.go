package main

import (
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ctxfs/fs/fstest"
	"ctxfs/providers/terminals/record"
)

// getAttributes asks a terminal for its attributes.
const getAttributes = unix.TCGETS

// What tests wait for here says by itself that it has come about: nothing is looked at
// over and over.

// awaiting returns a function that waits for events of a descriptor, and reports whether
// there are any within [fstest.Patience] from now.
func awaiting(fd int, events int16) func() bool {
	deadline := time.Now().Add(fstest.Patience)
	return func() bool {
		for {
			n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: events}}, max(0, int(time.Until(deadline).Milliseconds())))
			if err != unix.EINTR {
				return n > 0
			}
		}
	}
}

// awaitFiles waits until something holds that the files in a folder tell, and looks again when one
// of them has changed.
func awaitFiles(t testing.TB, dir, what string, holds func() bool) {
	t.Helper()
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC)
	must(t, err)
	defer unix.Close(fd)
	_, err = unix.InotifyAddWatch(fd, dir, unix.IN_CREATE|unix.IN_MODIFY|unix.IN_MOVE|unix.IN_DELETE)
	must(t, err)
	changed := awaiting(fd, unix.POLLIN)
	for events := make([]byte, 64<<10); !holds(); {
		if !changed() {
			t.Fatalf("not within %v: %s", fstest.Patience, what)
		}
		_, err := unix.Read(fd, events)
		must(t, err)
	}
}

// awaitMounts waits until something holds that the table of mounts tells.
func awaitMounts(t testing.TB, what string, holds func() bool) {
	t.Helper()
	table, err := unix.Open("/proc/self/mountinfo", unix.O_RDONLY|unix.O_CLOEXEC, 0) // not by package os, whose poller takes the events
	must(t, err)
	defer unix.Close(table)
	for changed := awaiting(table, unix.POLLPRI); !holds(); {
		if !changed() {
			t.Fatalf("not within %v: %s", fstest.Patience, what)
		}
	}
}

// awaitExit waits until processes have ended, whoever has started them.
func awaitExit(t testing.TB, pids ...int) {
	t.Helper()
	for _, pid := range pids {
		fd, err := unix.PidfdOpen(pid, 0)
		if err == unix.ESRCH {
			continue
		}
		must(t, err)
		ended := awaiting(fd, unix.POLLIN)()
		unix.Close(fd)
		if !ended {
			t.Fatalf("process %d does not end", pid)
		}
	}
}

// gone waits until no process is left in the box, or none of some.
func (b *box) gone(some ...func(process) bool) {
	b.Helper()
	for {
		var pids []int
		for _, p := range processesOf(b.dir) {
			if len(some) == 0 || some[0](p) {
				pids = append(pids, p.pid)
			}
		}
		if len(pids) == 0 {
			return
		}
		awaitExit(b, pids...)
	}
}

// recorded waits until the files of a terminal tell something.
func (b *box) recorded(id, what string, holds func(t *record.Terminal) bool) {
	b.Helper()
	dir := filepath.Join(b.state, "ctxfs/terminals", id)
	awaitFiles(b, dir, what, func() bool {
		t, err := record.LoadState(dir)
		return err == nil && holds(t)
	})
}
