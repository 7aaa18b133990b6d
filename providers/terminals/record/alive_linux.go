package record

import (
	"bytes"
	"os"
	"strconv"
	"strings"
)

// processStart returns what distinguishes a process from any other that had or will
// have the same number: its start time and the boot that the time is relative to.
// It returns "" for one that has exited.
func processStart(pid int) string {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return ""
	}
	// The name may contain anything, and ends with the last parenthesis.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 20 || fields[0][0] == 'Z' || fields[0][0] == 'X' {
		return ""
	}
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(boot)) + ":" + string(fields[19])
}
