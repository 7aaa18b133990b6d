package procs

import (
	"os"
	"strconv"
	"syscall"
)

// KeepDescriptors marks inherited descriptors, such as the end of a pipe that somebody
// reads to its end, close-on-exec: what is started next would otherwise hold them as long
// as it lives.
func KeepDescriptors() {
	open, err := os.ReadDir("/dev/fd")
	if err != nil {
		return // then they are inherited
	}
	for _, entry := range open {
		if fd, err := strconv.Atoi(entry.Name()); err == nil && fd > 2 {
			syscall.CloseOnExec(fd)
		}
	}
}
