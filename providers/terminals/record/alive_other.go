//go:build !linux

package record

import "syscall"

// processStart returns "" for a process that has exited. Here a process cannot be
// distinguished from another with the same number.
func processStart(pid int) string {
	if syscall.Kill(pid, 0) != nil {
		return ""
	}
	return "running"
}
