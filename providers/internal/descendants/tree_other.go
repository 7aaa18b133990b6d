//go:build !linux

package descendants

import (
	"syscall"

	"ctxfs/providers/internal/procs"
)

// Adopt does nothing: this system gives orphans to its first process.
func Adopt() error { return nil }

// DiesWith returns attr: this system does not tell a child that its parent has ended.
func DiesWith(attr *syscall.SysProcAttr, _ syscall.Signal) *syscall.SysProcAttr { return attr }

// below returns the children, which are signalled with their groups: this system does not
// tell what they have started.
func below(children []int) (all []process) {
	for _, pid := range children {
		all = append(all, procs.Now().Tree(pid, "")...)
	}
	return all
}
