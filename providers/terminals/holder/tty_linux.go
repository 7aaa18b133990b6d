package holder

import (
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	getAttributes = unix.TCGETS
	setAttributes = unix.TCSETS
)

// selfPath returns a path to reopen a file that this process has open.
func selfPath(f *os.File) (path string) {
	_ = withFD(f, func(fd int) error { path = fmt.Sprintf("/proc/self/fd/%d", fd); return nil })
	return path
}

// sameOpenFile reports whether two descriptors are one open file. If the kernel may
// not tell (in some sandboxes), it compares their positions.
func sameOpenFile(first, second int) bool {
	const kcmpFile = 0
	self := uintptr(os.Getpid())
	order, _, errno := syscall.Syscall6(unix.SYS_KCMP, self, self, kcmpFile, uintptr(first), uintptr(second), 0)
	if errno == 0 {
		return order == 0
	}
	return sharesOffset(first, second)
}
