package record

import (
	"bytes"
	"os"
	"strconv"
	"strings"
)

// processStart tells a process from another that once had or will have the same
// number: when it was started, and since which start of the machine that is
// counted. It is "" for one that has ended.
func processStart(pid int) string {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return ""
	}
	// The name may hold anything, and ends with the last parenthesis.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 20 || fields[0][0] == 'Z' || fields[0][0] == 'X' {
		return ""
	}
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(boot)) + ":" + string(fields[19])
}
