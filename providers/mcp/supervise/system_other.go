//go:build !linux

package supervise

import (
	"os"
	"syscall"
	"time"
)

// busy is not known where the system does not tell.
func busy() bool { return false }

func uptime() (time.Duration, bool) { return 0, false }

// unbreakable is for systems where a pipe cannot be opened anew: who writes
// to it after the end of ctxfs gets an error.
func unbreakable(w *os.File) (*os.File, error) { return w, nil }

// politeness is how much lower the priority of a background start is.
const politeness = 5

// lower lowers the priority of a process group. That it cannot be is no fault.
func lower(group int) { _ = syscall.Setpriority(syscall.PRIO_PGRP, group, politeness) }

// restore gives a process group the usual priority again, and reports whether
// it could: ordinary users may not.
func restore(group int) bool { return syscall.Setpriority(syscall.PRIO_PGRP, group, 0) == nil }

// measure has nothing to add up where the system shows no other processes:
// only the growth of package caches tells of progress.
func (m *meter) measure() {}

func (m *meter) writes([]string) bool { return false }

func hasLiving(int) bool { return true }

func began(int) uint64 { return 0 }
