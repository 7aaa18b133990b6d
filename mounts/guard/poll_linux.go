package guard

import (
	"syscall"
	"time"
	"unsafe"
)

// pollFd is struct pollfd.
type pollFd struct {
	fd      int32
	events  int16
	revents int16
}

const pollIn = 0x1

// poll waits until there is something to read, or the end, at one of some
// descriptors, of which negative ones are left out, and reports where. A
// negative limit is none.
func poll(limit time.Duration, fds ...int) []bool {
	wait := make([]pollFd, len(fds))
	for i, fd := range fds {
		wait[i] = pollFd{fd: int32(fd), events: pollIn}
	}
	var timeout *syscall.Timespec
	if limit >= 0 {
		t := syscall.NsecToTimespec(int64(limit))
		timeout = &t
	}
	ready := make([]bool, len(fds))
	// Interrupted or refused, it is called again by its caller's loop.
	_, _, errno := syscall.Syscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(unsafe.SliceData(wait))), uintptr(len(wait)),
		uintptr(unsafe.Pointer(timeout)), 0, 0, 0)
	for i := range wait {
		ready[i] = errno == 0 && wait[i].revents != 0
	}
	return ready
}
