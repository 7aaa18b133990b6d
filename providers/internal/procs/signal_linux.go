package procs

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

// Signal sends a signal to the process. One that has ended is no error.
func (p Process) Signal(sig syscall.Signal) error {
	fd, err := unix.PidfdOpen(p.PID, 0)
	switch {
	case errors.Is(err, unix.ESRCH):
		return nil
	case err != nil: // this kernel has no pidfds
		fd = -1
	default:
		defer unix.Close(fd)
	}
	if s, ok := ReadStat(p.PID); !ok || s.Began != p.began {
		return nil
	}
	if fd < 0 {
		err = syscall.Kill(p.PID, sig)
	} else {
		err = unix.PidfdSendSignal(fd, sig, nil, 0)
	}
	if errors.Is(err, unix.ESRCH) {
		return nil
	}
	return err
}
