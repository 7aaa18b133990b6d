//go:build !linux

package record

import "syscall"

// processStart is "" for a process that has ended. Here one process is not told
// from another with the same number.
func processStart(pid int) string {
	if syscall.Kill(pid, 0) != nil {
		return ""
	}
	return "running"
}
