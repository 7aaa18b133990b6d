package control

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
)

// maxSocketPath is the longest path in bytes that fits a socket address on
// every system.
const maxSocketPath = 100

const socketName = "daemon.sock"

// address returns a path to a folder's socket that fits a socket address, and a
// function to call after its use. It replaces a path that is too long with one
// through a descriptor of the folder, which only Linux supports.
func address(folder string) (string, func(), error) {
	path := filepath.Join(folder, socketName)
	if len(path) <= maxSocketPath {
		return path, func() {}, nil
	}
	if runtime.GOOS != "linux" {
		return "", nil, &os.PathError{Op: "connect", Path: path, Err: syscall.ENAMETOOLONG}
	}
	fd, err := syscall.Open(folder, syscall.O_RDONLY|syscall.O_DIRECTORY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return "", nil, &os.PathError{Op: "open", Path: folder, Err: err}
	}
	return fmt.Sprintf("/proc/self/fd/%d/%s", fd, socketName), func() { syscall.Close(fd) }, nil
}

func connect(ctx context.Context, folder string) (net.Conn, error) {
	name, done, err := address(folder)
	if err != nil {
		return nil, err
	}
	defer done()
	var d net.Dialer
	return d.DialContext(ctx, "unix", name)
}

// nobodyListens reports whether an error of connect means that no process listens
// there.
func nobodyListens(err error) bool {
	none := []error{syscall.ENOENT, syscall.ECONNREFUSED, syscall.ENOTDIR, syscall.ENAMETOOLONG, syscall.ENOTSOCK, syscall.EPROTOTYPE}
	return slices.ContainsFunc(none, func(e error) bool { return errors.Is(err, e) })
}

// listen opens the socket in a folder, for its owner only. An existing one was left
// by a process that was killed, since the caller has the lock. It then connects
// once, since on some file systems no process can connect to a socket.
func listen(folder string) (net.Listener, error) {
	path := filepath.Join(folder, socketName)
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	name, done, err := address(folder)
	if err != nil {
		return nil, err
	}
	defer done()
	config := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) error {
		// On Linux the file gets the mode of the socket; elsewhere this fails.
		return c.Control(func(fd uintptr) { _ = syscall.Fchmod(int(fd), 0o600) })
	}}
	l, err := config.Listen(context.Background(), "unix", name)
	if err != nil {
		return nil, err
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false) // its short name is gone by then
	err = os.Chmod(path, 0o600)
	if err == nil {
		var c net.Conn
		if c, err = connect(context.Background(), folder); err == nil {
			c.Close()
		}
	}
	if err != nil {
		l.Close()
		os.Remove(path)
		return nil, err
	}
	return l, nil
}
