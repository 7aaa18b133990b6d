package holder

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

const (
	getAttributes = unix.TCGETS
	setAttributes = unix.TCSETS
)

// selfPath is a path by which a file that we have open is opened anew.
func selfPath(f *os.File) (path string) {
	_ = withFD(f, func(fd int) error { path = fmt.Sprintf("/proc/self/fd/%d", fd); return nil })
	return path
}
