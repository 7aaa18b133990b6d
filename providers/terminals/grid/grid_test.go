package grid

import (
	"strings"
	"testing"
	"time"

	"ctxfs/fs/fstest"
)

// clock is a clock that tests move.
type clock struct{ time.Time }

func (c *clock) now() time.Time          { return c.Time }
func (c *clock) advance(d time.Duration) { c.Time = c.Add(d) }
func newClock() *clock                   { return &clock{time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)} }
func (c *clock) grid(cols, rows int) *Grid {
	return New(Options{Cols: cols, Rows: rows, Nonce: "secret", Now: c.now})
}
func taken(g *Grid) string { text, _ := g.Take(); return string(text) }
func trimmed(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

func TestSamples(t *testing.T) {
	for _, c := range samples() {
		t.Run(c.name, func(t *testing.T) {
			want := c.log
			if want == "" {
				want = c.lines
			}
			for _, size := range []int{1, 2, 3, len(c.in)} {
				g := newClock().grid(40, 10)
				for i := 0; i < len(c.in); i += size {
					g.Write([]byte(c.in[i:min(i+size, len(c.in))]))
				}
				g.Close()
				fstest.Equal(t, trimmed(taken(g)), want, "pieces", size)
			}
		})
	}
}
