package holder

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// sameOpenFile reports whether two of our descriptors are one open file. Where the
// kernel may not say so (in some sandboxes), their position does.
func sameOpenFile(first, second int) bool {
	const kcmpFile = 0
	self := uintptr(os.Getpid())
	order, _, errno := syscall.Syscall6(unix.SYS_KCMP, self, self, kcmpFile, uintptr(first), uintptr(second), 0)
	if errno == 0 {
		return order == 0
	}
	return sharesOffset(first, second)
}
