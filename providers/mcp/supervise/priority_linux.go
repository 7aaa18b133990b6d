package supervise

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// politeness is how much lower the priority of a background start is: it gets
// a third of what others get of a processor.
const politeness = 5

// The numbers of ioprio_set(2), which no package has.
const (
	ioprioGroup = 2         // IOPRIO_WHO_PGRP
	ioprioLow   = 2<<13 | 7 // the last of the best effort class
	ioprioUsual = 0         // as the nice value says
	lowest      = 19        // the nice value
	niceOffset  = 20        // getpriority(2) answers 20 minus the nice value
	self        = 0         // the calling process
)

// lower lowers the priority of a process group. That it cannot be is no fault.
func lower(group int) {
	_ = syscall.Setpriority(syscall.PRIO_PGRP, group, min(lowest, ownNice()+politeness))
	_, _, _ = syscall.Syscall(unix.SYS_IOPRIO_SET, ioprioGroup, uintptr(group), ioprioLow)
}

// restore gives a process group our own priority again, and reports whether it
// could: ordinary users may not.
func restore(group int) bool {
	_, _, _ = syscall.Syscall(unix.SYS_IOPRIO_SET, ioprioGroup, uintptr(group), ioprioUsual)
	return syscall.Setpriority(syscall.PRIO_PGRP, group, ownNice()) == nil
}

func ownNice() int {
	p, err := syscall.Getpriority(syscall.PRIO_PROCESS, self)
	if err != nil {
		return 0
	}
	return niceOffset - p
}
