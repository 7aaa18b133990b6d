package guard

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// StateOf returns the state of the process whose folder in /proc is given.
func StateOf(proc string) State {
	threads, err := os.ReadDir(filepath.Join(proc, "task"))
	if isGone(err) {
		return Gone
	}
	if err != nil {
		return Alive
	}
	state := Gone
	for _, thread := range threads {
		switch threadState(filepath.Join(proc, "task", thread.Name())) {
		case Alive:
			return Alive
		case Dying:
			state = Dying
		}
	}
	return state
}

// exiting is the kernel's PF_EXITING, in the ninth field of stat.
const exiting = 0x4

// threadState returns the state of one thread. Formats: proc_pid_stat(5) and
// proc_pid_status(5).
func threadState(dir string) State {
	stat, err := os.ReadFile(filepath.Join(dir, "stat"))
	if isGone(err) {
		return Gone
	}
	// The name of the program may contain anything, the fields after it do not.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if err != nil || len(fields) < 7 {
		return Alive
	}
	switch fields[0][0] {
	case 'Z', 'X', 'x':
		return Gone
	}
	if flags, err := strconv.ParseUint(string(fields[6]), 10, 64); err == nil && flags&exiting != 0 {
		return Dying
	}
	status, err := os.ReadFile(filepath.Join(dir, "status"))
	if isGone(err) {
		return Gone
	}
	for line := range bytes.Lines(status) {
		if mask, found := bytes.CutPrefix(line, []byte("SigPnd:")); found {
			pending, err := strconv.ParseUint(string(bytes.TrimSpace(mask)), 16, 64)
			if err == nil && pending&(1<<(syscall.SIGKILL-1)) != 0 {
				return Dying
			}
		}
	}
	return Alive
}

// isGone reports whether an error means that a process or thread no longer
// exists.
func isGone(err error) bool { return errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ESRCH) }
