package confined

import (
	"bytes"
	"errors"
	"os"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"ctxfs/providers/internal/procs"
)

// peerOf returns the process that has connected a socket, 0 if it cannot be seen from here,
// and a function that reports whether that number is still its own.
func peerOf(conn syscall.Conn) (pid int, still func() bool) {
	raw, err := conn.SyscallConn()
	ask := func(what func(fd int)) {
		if err == nil {
			err = raw.Control(func(fd uintptr) { what(int(fd)) })
		}
	}
	ask(func(fd int) {
		if cred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED); err == nil {
			pid = int(cred.Pid)
		}
	})
	return pid, func() bool {
		handle, fault := -1, error(nil)
		ask(func(fd int) { handle, fault = unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_PEERPIDFD) })
		switch {
		case err != nil || pid <= 0:
			return false
		case errors.Is(fault, syscall.ENOPROTOOPT): // before Linux 6.5
			return look(pid).began != 0
		case fault != nil: // it has ended
			return false
		}
		defer unix.Close(handle)
		info, err := os.ReadFile(procs.Path(os.Getpid(), "fdinfo/"+strconv.Itoa(handle)))
		_, after, _ := bytes.Cut(info, []byte("\nPid:"))
		line, _, _ := bytes.Cut(after, []byte("\n"))
		return err == nil && string(bytes.TrimSpace(line)) == strconv.Itoa(pid)
	}
}
