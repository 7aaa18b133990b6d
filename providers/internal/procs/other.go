//go:build !linux

package procs

import (
	"errors"
	"syscall"
)

// Table is the processes that run.
type Table struct{}

// Now returns the processes that run now.
func Now() *Table { return new(Table) }

// Tree returns the process root, if it runs: this system does not tell who has started
// whom.
func (*Table) Tree(root int, _ string) []Process {
	if root <= 1 || errors.Is(syscall.Kill(root, 0), syscall.ESRCH) {
		return nil
	}
	return []Process{{PID: root}}
}

// Signal sends a signal to the process and, if it leads one, to its group. One that has
// ended is no error.
func (p Process) Signal(sig syscall.Signal) error {
	pid := p.PID
	if group, err := syscall.Getpgid(pid); err == nil && group == pid {
		pid = -pid
	}
	if err := syscall.Kill(pid, sig); !errors.Is(err, syscall.ESRCH) {
		return err
	}
	return nil
}

// Ends watches nothing: this system does not tell that a process has ended which is no
// child.
type Ends struct{}

// NewEnds returns an Ends that never calls its function.
func NewEnds(func(name string)) *Ends { return &Ends{} }

// Watch returns true.
func (*Ends) Watch(string, int) bool { return true }

// Close does nothing.
func (*Ends) Close() {}
