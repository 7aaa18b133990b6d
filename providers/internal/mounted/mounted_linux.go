// Package mounted tells where file systems are mounted.
package mounted

import (
	"bytes"
	"os"
	"strconv"
	"strings"
)

// Below returns the mount points below a folder, without touching them: a file
// system may not answer. Source: proc_pid_mountinfo(5).
func Below(dir string) map[string]bool {
	text, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil
	}
	return parse(text, strings.TrimSuffix(dir, "/")+"/")
}

func parse(mountinfo []byte, prefix string) map[string]bool {
	points := make(map[string]bool)
	for line := range bytes.SplitSeq(mountinfo, []byte("\n")) {
		fields := strings.Fields(string(line))
		if len(fields) < 5 {
			continue
		}
		if point := unescape(fields[4]); strings.HasPrefix(point, prefix) {
			points[point] = true
		}
	}
	return points
}

// unescape replaces "\040" and its kin, three octal digits, by the bytes that they are.
func unescape(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+3 < len(text) {
			if n, err := strconv.ParseUint(text[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}
