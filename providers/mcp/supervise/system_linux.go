package supervise

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// The thresholds of a busy machine: the share of the last ten seconds for which
// some process waited for a processor or for memory, in percent.
const (
	busyCPU    = 60
	busyMemory = 20
)

// busy reports whether the machine is busy.
func busy() bool {
	return pressure("cpu") > busyCPU || pressure("memory") > busyMemory
}

// pressure returns the share of the last ten seconds for which some process waited
// for a resource, in percent; see the kernel's accounting/psi.
func pressure(of string) float64 {
	text, _ := os.ReadFile("/proc/pressure/" + of) // 0 where the kernel has no pressure information
	_, after, _ := strings.Cut(string(text), "some avg10=")
	first, _, _ := strings.Cut(after, " ")
	percent, _ := strconv.ParseFloat(first, 64)
	return percent
}

// unbreakable reopens the writing end of a pipe for reading and writing, and closes
// the old one: its holder can always write, as to a terminal, even without a
// reader. An installation must not die of a warning that it prints after ctxfs has
// exited.
func unbreakable(w *os.File) (*os.File, error) {
	defer w.Close()
	path := fmt.Sprintf("/proc/self/fd/%d", w.Fd())
	fd, err := syscall.Open(path, syscall.O_RDWR|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	return os.NewFile(uintptr(fd), "|1"), nil
}
