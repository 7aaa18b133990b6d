package descendants

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"ctxfs/providers/internal/procs"
)

// Adopt makes this process the parent of what its descendants leave behind, also of
// daemons and of processes in sessions of their own.
func Adopt() error {
	return os.NewSyscallError("prctl", unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))
}

// DiesWith has a child receive a signal when the thread that starts it ends.
func DiesWith(attr *syscall.SysProcAttr, sig syscall.Signal) *syscall.SysProcAttr {
	attr.Pdeathsig = sig
	return attr
}

// below returns the descendants of this process, whatever its children are.
func below([]int) []process { return procs.Now().Tree(os.Getpid(), "") }
