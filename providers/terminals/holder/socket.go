package holder

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"syscall"

	"ctxfs/fs"
)

// The length limit of a socket's address in bytes, and how many of them are for its
// name.
const (
	maxSocketPath = 100
	maxSocketName = 60
)

// socketName returns the name of the socket of a terminal.
func socketName(id string) string {
	if len(id) > maxSocketName {
		id = fmt.Sprintf("%x", fs.BytesVersion([]byte(id)))
	}
	return id + ".sock"
}

// address returns the address of a socket, and a function to call after its
// use.
func address(path string) (*net.UnixAddr, func(), error) {
	a := &net.UnixAddr{Name: path, Net: "unix"}
	if len(path) <= maxSocketPath {
		return a, func() {}, nil
	}
	dir, name := filepath.Split(path)
	fd, err := syscall.Open(dir, syscall.O_RDONLY|syscall.O_DIRECTORY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, nil, &os.PathError{Op: "open", Path: dir, Err: err}
	}
	a.Name = fmt.Sprintf("/proc/self/fd/%d/%s", fd, name)
	return a, func() { syscall.Close(fd) }, nil
}

// listen opens the socket of a terminal, for its owner only, and returns a
// function that removes it.
func (r *Recording) listen(id string) (l *net.UnixListener, end func(), err error) {
	for _, folder := range r.Runtime {
		path := filepath.Join(folder, socketName(id))
		l, failed := listen(path)
		if failed == nil {
			return l, func() {
				l.Close()
				os.Remove(path)
			}, nil
		}
		err = errors.Join(err, failed)
	}
	return nil, nil, fmt.Errorf("there is no folder for the socket of a terminal: %w", err)
}

// listen opens a socket. An existing one was left by a killed holder: this process
// owns the ID.
func listen(path string) (*net.UnixListener, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	addr, done, err := address(path)
	if err != nil {
		return nil, err
	}
	defer done()
	old := syscall.Umask(0o177)
	defer syscall.Umask(old)
	l, err := net.ListenUnix("unix", addr)
	if err != nil {
		return nil, err
	}
	l.SetUnlinkOnClose(false) // its short name is gone by then
	return l, nil
}

// dial connects to the holder of a terminal.
func (r *Recording) dial(id string) (*net.UnixConn, error) {
	for _, folder := range r.Runtime {
		conn, err := dial(filepath.Join(folder, socketName(id)))
		if !errors.Is(err, ErrNotRunning) {
			return conn, err
		}
	}
	return nil, ErrNotRunning
}

func dial(path string) (*net.UnixConn, error) {
	addr, done, err := address(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, ErrNotRunning
	}
	if err != nil {
		return nil, err
	}
	defer done()
	conn, err := net.DialUnix("unix", nil, addr)
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED) {
		return nil, ErrNotRunning
	}
	return conn, err
}
