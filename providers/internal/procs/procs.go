// Package procs is about processes: which ones run and which has started which, how
// those that are started end with this one, leaving nothing behind, and what they
// print.
//
// A process is signalled without hitting another one that has got its number meanwhile.
// [Spawner] starts processes that do not outlive this one. [Adopt] and [End] are for a
// process that ends with everything it has started, also what has left its session or was
// left behind by its parent; [Mark] and [EndMarked] for another one that does so where that
// process was killed. [Output] reads what a program prints that may leave others behind.
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
