// Package guard frees the mounts of a process that was killed while one of its
// threads waits in the kernel.
//
// A reader that lists a folder holds the folder's lock in the kernel until it is
// answered. A notification about a name in that folder waits for the same lock,
// in a thread of ours that no signal wakes. If the process is killed then, every
// thread ends but that one; the process's descriptors stay open with it, so the
// kernel never learns that nobody answers any more, and every reader waits for
// ever, unkillable too.
//
// Therefore the process has a guardian ([Main]): a second process that holds a
// duplicate of the descriptor of every mount and otherwise sleeps. The process
// itself hands them over and sees to it that there is always one ([Keeper]).
// When the process is dead ([Look]), the guardian has the kernel hand out again
// what the process had taken, answers everything with "not connected", and ends
// as soon as the last thread of the process has. Where nothing is stuck, that is
// at once, and the mount is as dead as that of any process that was killed.
//
// How the guardian learns of a death:
//
//   - A socket that only the two of them have ends when the process has closed
//     it or has ended completely. That is the ordinary death.
//   - The process keeps a thread that does nothing but live, and whose end the
//     guardian is told of (pidfd_open(2) with PIDFD_THREAD, Linux 6.9). Where
//     this is not to be had, it looks once a second.
//   - What it is told only makes it look: it acts when every thread of the
//     process has been killed or has ended. No process that is slow, stopped,
//     traced or waiting looks like that.
//
// The guardian takes no signals but SIGKILL, and is a session of its own. Its
// package imports the standard library only, so that it starts before the
// libraries of the program do.
package guard

import (
	"strconv"
	"strings"
)

// Command is the first argument of the program that runs [Main].
const Command = "guard"

// Connection is the connection of a mount to the kernel.
type Connection struct {
	// FD is a descriptor of it.
	FD int
	// Minor is its number among all connections: the minor number of the device
	// in the mount table.
	Minor string
	// Dir is where it was mounted.
	Dir string
}

// State is what is left of a process.
type State int

const (
	// Alive is a process of which at least one thread has not been killed,
	// however slow it is, or whose state cannot be found out.
	Alive State = iota
	// Dying is a process that was killed, or is ending, and whose threads have
	// not all ended. It never runs its program again.
	Dying
	// Gone is a process without threads that could hold anything.
	Gone
)

// Unescape undoes the octal escapes for blanks and backslashes that the kernel
// puts into the paths of its mount table.
func Unescape(s string) string {
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+4], 8, 8); err == nil {
				out.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		out.WriteByte(s[i])
	}
	return out.String()
}
