// Package guard frees the mounts of a process that was killed while one of its
// threads waits in the kernel.
//
// A reader that lists a folder holds the folder's lock in the kernel until it is
// answered. A notification about a name in that folder waits for the same lock, in
// a thread of this process that no signal wakes. If the process is killed then,
// every thread ends but that one; the process's descriptors stay open with it, so
// the kernel never learns that no one is left to answer, and every reader waits
// forever and cannot be killed either.
//
// Therefore the process has a guardian ([Main]): a second process that holds a
// duplicate of the descriptor of every mount and otherwise sleeps. The process
// hands the descriptors over and makes sure that there is always a guardian
// ([Keeper]). When the process is dead ([StateOf]), the guardian makes the kernel
// hand out again what the process had read, answers everything with "not
// connected", and exits as soon as the last thread of the process has ended. If
// nothing is stuck, that is immediate, and the mount is as dead as that of any
// killed process.
//
// How the guardian learns of a death:
//
//   - A socket that only the two of them have reaches its end when the process has
//     closed it or has exited completely. That is the ordinary case.
//   - The process keeps a thread that does nothing but stay alive; the guardian is
//     notified of its end (pidfd_open(2) with PIDFD_THREAD, Linux 6.9). On older
//     kernels it checks once a second.
//   - Both only make it check: it acts when every thread of the process has been
//     killed or has ended. No process that is slow, stopped, traced or waiting
//     looks like that.
//
// The guardian ignores all signals but SIGKILL, and has a session of its own.
// The package imports only the standard library, so that a guardian starts
// before the libraries of the program initialize.
//
// In order: guard.go has the types, keeper_linux.go the side of the process,
// guardian_linux.go that of the guardian, state_linux.go how it recognizes a
// dead process, and answer_linux.go, release_linux.go and abort_linux.go how it
// frees a connection.
//
// Aborting the connection of a killed process from outside is no substitute: only root
// can write to fusectl, and no connection number is known before the mount. With the
// guardian readers are free 3.3 ms after a kill.
package guard

import (
	"strconv"
	"strings"
)

// Command is the first argument of the program that runs [Main].
const Command = "guard"

// Connection is the connection of a mount to the kernel.
type Connection struct {
	// FD is a descriptor of the connection.
	FD int
	// Minor is its number among all connections: the minor number of the device
	// in the mount table.
	Minor string
	// Dir is where it was mounted.
	Dir string
}

// State is what remains of a process.
type State int

const (
	// Alive is a process with at least one thread that has not been killed, however
	// slow it is, or whose state cannot be determined.
	Alive State = iota
	// Dying is a process that was killed, or is exiting, and some of whose threads
	// have not ended. It never runs its program again.
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
