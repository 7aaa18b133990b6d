package supervise

import (
	"fmt"
	"os"
	"syscall"
)

// unbreakable opens the writing end of a pipe anew, for reading too, and
// closes the old one: whoever holds that can always write, as to a terminal,
// though nobody reads any more. An installation must not die of a warning that
// it prints after the end of ctxfs.
func unbreakable(w *os.File) (*os.File, error) {
	defer w.Close()
	path := fmt.Sprintf("/proc/self/fd/%d", w.Fd())
	fd, err := syscall.Open(path, syscall.O_RDWR|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(fd), "|1"), nil
}
