//go:build !linux

package procs

import (
	"context"
	"errors"
	"os/exec"
	"syscall"
)

// Table is the processes that run.
type Table struct{}

// Now returns the processes that run now.
func Now() *Table { return new(Table) }

// Tree returns the process root, if it runs: this system does not report parents.
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

// Settled returns at once.
func (*Ends) Settled(context.Context) error { return nil }

// Close does nothing.
func (*Ends) Close() {}

// Began returns what distinguishes a process that runs from one that has ended, for which it
// is "": here not from another one with its number.
func Began(pid int) string {
	if syscall.Kill(pid, 0) != nil {
		return ""
	}
	return "running"
}

// Spawner starts processes. This system cannot kill them when this process is
// killed: they have to notice the end of their input.
type Spawner struct{}

// NewSpawner returns a spawner that has started nothing yet. Close ends it.
func NewSpawner() *Spawner { return &Spawner{} }

// Start calls cmd.Start. The command has a group of its own; see grouped.
func (s *Spawner) Start(cmd *exec.Cmd) error {
	grouped(cmd)
	return cmd.Start()
}

func (s *Spawner) Close() {}

// Adopt does nothing: this system gives orphans to its first process.
func Adopt() error { return nil }

// DiesWith returns attr: this system does not tell a child that its parent has ended.
func DiesWith(attr *syscall.SysProcAttr, _ syscall.Signal) *syscall.SysProcAttr { return attr }

// below returns the children, which are signalled with their groups: this system does not
// tell what they have started.
func below(children []int) (all []Process) {
	for _, pid := range children {
		all = append(all, Now().Tree(pid, "")...)
	}
	return all
}

// Mark returns 0: this system does not tell the limits of processes.
func Mark() uint64 { return 0 }

// Marked returns false: no process has a mark.
func Marked(int, uint64) bool { return false }

func marked(uint64) []Process { return nil }
