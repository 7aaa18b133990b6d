package supervise

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
)

// The thresholds of a busy machine: the share of the last ten seconds for which
// some process waited for a processor or for memory, in percent; or, where the
// kernel has no pressure information, the runnable processes per processor.
const (
	busyCPU    = 60
	busyMemory = 20
	busyLoad   = 2
)

// busy reports whether the machine is busy.
func busy() bool {
	if share, ok := pressure("cpu"); ok {
		memory, _ := pressure("memory")
		return share > busyCPU || memory > busyMemory
	}
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return false
	}
	first, _, _ := strings.Cut(string(text), " ")
	load, err := strconv.ParseFloat(first, 64)
	return err == nil && load > busyLoad*float64(runtime.NumCPU())
}

// pressure returns the share of the last ten seconds for which some process waited
// for a resource, in percent; see the kernel's accounting/psi.
func pressure(of string) (percent float64, ok bool) {
	text, err := os.ReadFile("/proc/pressure/" + of)
	if err != nil {
		return 0, false
	}
	_, after, _ := strings.Cut(string(text), "some avg10=")
	first, _, _ := strings.Cut(after, " ")
	percent, err = strconv.ParseFloat(first, 64)
	return percent, err == nil
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
