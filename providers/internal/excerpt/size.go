package excerpt

import (
	"bytes"
	"fmt"
)

// Tally counts bytes and lines of a text that comes piece by piece. The zero
// value is that of an empty text.
type Tally struct {
	Bytes int64
	ends  int // line ends
	open  bool
}

// Add counts one more piece.
func (t *Tally) Add(p []byte) {
	if len(p) == 0 {
		return
	}
	t.Bytes += int64(len(p))
	t.ends += bytes.Count(p, newline)
	t.open = p[len(p)-1] != '\n'
}

// Lines is the number of lines: what wc -l counts, and a last one without an
// end.
func (t Tally) Lines() int {
	if t.open {
		return t.ends + 1
	}
	return t.ends
}

// Size writes a number of bytes for people: "36.7 KB". The units are decimal,
// as those of ls --si: 1 KB is 1000 bytes.
func Size(n int64) string {
	switch {
	case n == 1:
		return "1 byte"
	case n < 1000:
		return fmt.Sprintf("%d bytes", n)
	}
	size, unit := float64(n), ""
	for _, unit = range []string{"KB", "MB", "GB", "TB"} {
		if size /= 1000; size < 999.95 { // more is rounded to 1000.0
			break
		}
	}
	return fmt.Sprintf("%.1f %s", size, unit)
}

func counted(lines int) string {
	if lines == 1 {
		return "1 line"
	}
	return fmt.Sprintf("%d lines", lines)
}
