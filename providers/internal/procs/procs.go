// Package procs reads what the system tells of processes: which there are, who has
// started whom, what a process that is started inherits; and it signals them without
// hitting another one that has got the same number meanwhile.
package procs

import (
	"slices"
	"strings"
)

// Process identifies a process: a later one with its number was started at another time.
type Process struct {
	PID   int
	began uint64 // in clock ticks since the system was started; 0 if that is not known
}

// At returns the process with a number that was started at a time, in clock ticks since
// the system was.
func At(pid int, began uint64) Process { return Process{pid, began} }

// Without returns an environment without a variable.
func Without(environment []string, name string) []string {
	return slices.DeleteFunc(slices.Clone(environment), func(e string) bool { return strings.HasPrefix(e, name+"=") })
}
