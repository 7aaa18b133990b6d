package confined

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// peerOf returns the process that has connected a socket, 0 if it is not known, and a
// function that reports whether there is one of that number.
func peerOf(conn syscall.Conn) (pid int, still func() bool) {
	const local = 0 // SOL_LOCAL
	if raw, err := conn.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { pid, _ = unix.GetsockoptInt(int(fd), local, unix.LOCAL_PEERPID) })
	}
	return pid, func() bool { return look(pid).began != 0 }
}
