package confined

import (
	"errors"
	"os"
	"syscall"

	"ctxfs/providers/internal/procs"
)

// look returns what is seen of a process.
func look(pid int) seen {
	s, ok := procs.ReadStat(pid)
	if !ok {
		return seen{hidden: errors.Is(syscall.Kill(pid, 0), syscall.EPERM)}
	}
	return seen{parent: s.Parent, began: max(s.Began, 1), ended: s.State == 'Z' || s.State == 'X'}
}

// namespaceOf returns the PID namespace of a process; "" if it cannot be seen.
func namespaceOf(pid int) string {
	name, err := os.Readlink(procs.Path(pid, "ns/pid"))
	if err != nil {
		return ""
	}
	return name
}
