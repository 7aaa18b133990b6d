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

// selfPath returns a path by which a file that we have open can be opened anew.
func selfPath(f *os.File) (path string) {
	_ = withFD(f, func(fd int) error { path = fmt.Sprintf("/proc/self/fd/%d", fd); return nil })
	return path
}

// sameOpenFile reports whether two of our descriptors are one open file. Where
// the kernel may not say so (in some sandboxes), it compares their positions.
func sameOpenFile(first, second int) bool {
	const kcmpFile = 0
	self := uintptr(os.Getpid())
	order, _, errno := syscall.Syscall6(unix.SYS_KCMP, self, self, kcmpFile, uintptr(first), uintptr(second), 0)
	if errno == 0 {
		return order == 0
	}
	return sharesOffset(first, second)
}
