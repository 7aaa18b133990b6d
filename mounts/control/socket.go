package control

import (
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"
)

// maxSocketPath is the longest path that fits a socket address.
const maxSocketPath = 100

// shortSocket gives a name for the socket that fits a socket address, and a
// function to call after it was used.
func shortSocket(path string) (string, func(), error) {
	if len(path) <= maxSocketPath {
		return path, func() {}, nil
	}
	dir, base := path[:len(path)-len("/daemon.sock")], "daemon.sock"
	fd, err := syscall.Open(dir, syscall.O_RDONLY|syscall.O_DIRECTORY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return "", nil, &os.PathError{Op: "open", Path: dir, Err: err}
	}
	return fmt.Sprintf("/proc/self/fd/%d/%s", fd, base), func() { syscall.Close(fd) }, nil
}

// Listen opens the socket. One that is there was left by a process that was
// killed: the caller has the lock.
func Listen(runtime string) (net.Listener, error) {
	path := socketPath(runtime)
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	name, done, err := shortSocket(path)
	if err != nil {
		return nil, err
	}
	defer done()
	listen, err := net.Listen("unix", name)
	if err != nil {
		return nil, err
	}
	listen.(*net.UnixListener).SetUnlinkOnClose(false) // by its short name, which is gone
	return listen, nil
}

// RemoveSocket tells that nobody serves any more: new processes may start.
func RemoveSocket(runtime string) { os.Remove(socketPath(runtime)) }
