//go:build !linux

package supervise

import (
	"context"
	"os"
	"syscall"
	"time"
)

// busy reports false: the load is not known on this system.
func busy() bool { return false }

func uptime() (time.Duration, bool) { return 0, false }

// unbreakable returns w: on this system a pipe cannot be reopened, and a process
// that writes to it after ctxfs has exited gets an error.
func unbreakable(w *os.File) (*os.File, error) { return w, nil }

// politeness is how much lower the priority of a background start is.
const politeness = 5

// lower lowers the priority of a process group, if possible.
func lower(group int) { _ = syscall.Setpriority(syscall.PRIO_PGRP, group, politeness) }

// restore gives a process group the usual priority again, and reports whether none of
// it has a lower one: ordinary users cannot raise it.
func restore(group int) bool {
	err := syscall.Setpriority(syscall.PRIO_PGRP, group, 0)
	return err == nil || err == syscall.ESRCH
}

// measure does nothing: this system shows no other processes, so only the growth
// of package caches is progress.
func (m *meter) measure() {}

func (m *meter) writes([]string) bool { return false }

func hasLiving(int) bool { return true }

func began(int) uint64 { return 0 }

// Resident returns nothing: this system shows no other processes.
func Resident([]int) map[int]int64 { return nil }

// AwaitIdle waits until ctx ends: this system does not show what a process does.
func (p *Process) AwaitIdle(ctx context.Context) {
	select {
	case <-p.exited:
	case <-ctx.Done():
	}
}
