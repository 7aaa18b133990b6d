package fstest

import (
	"runtime"
	"strconv"
	"syscall"
	"testing"
)

// Port returns a TCP port of 127.0.0.1 at which nothing listens, for a program that
// is told its port. Until the end of the test no other program is given that port:
// a socket is bound to it, beside which the kernel lets one listen that asks for
// the port by number, with SO_REUSEADDR, as servers do.
func Port(t testing.TB) string {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	syscall.CloseOnExec(fd)
	release := func() { _ = syscall.Close(fd) }
	defer func() { release() }()
	err = syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1)
	if err == nil {
		err = syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}})
	}
	if err != nil {
		t.Fatal(err)
	}
	name, err := syscall.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS == "linux" { // elsewhere none may listen beside it
		t.Cleanup(release)
		release = func() {}
	}
	return strconv.Itoa(name.(*syscall.SockaddrInet4).Port)
}
