package guard

import (
	"strconv"
	"strings"
)

// Unescape undoes the octal escapes for blanks and backslashes that the kernel
// puts into the paths of its mount table.
func Unescape(s string) string {
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+4], 8, 8); err == nil {
				out.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		out.WriteByte(s[i])
	}
	return out.String()
}
