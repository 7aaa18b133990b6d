//go:build !linux

package supervise

import "syscall"

// politeness is how much lower the priority of a background start is.
const politeness = 5

// lower lowers the priority of a process group. That it cannot be is no fault.
func lower(group int) { _ = syscall.Setpriority(syscall.PRIO_PGRP, group, politeness) }

// restore gives a process group the usual priority again, and reports whether
// it could: ordinary users may not.
func restore(group int) bool { return syscall.Setpriority(syscall.PRIO_PGRP, group, 0) == nil }
