package grid

import (
	"bytes"
	"runtime"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

// TestMemoryIsBounded writes, for long, what could make a grid grow, and takes
// what becomes final.
func TestMemoryIsBounded(t *testing.T) {
	size := fstest.Rounds(64 << 20)
	for name, piece := range map[string]string{
		"a line without end":       strings.Repeat("x", 4096),
		"combining without end":    strings.Repeat("\u0301", 2048),
		"clusters over and over":   "\r" + strings.Repeat("e\u0301", 40),
		"a command without end":    strings.Repeat("\x1b]0;", 1) + strings.Repeat("x", 4096),
		"a string without end":     "\x1bP" + strings.Repeat("x", 4096),
		"parameters without end":   "\x1b[" + strings.Repeat("1;", 2048),
		"digits without end":       "\x1b[" + strings.Repeat("9", 4096),
		"titles":                   strings.Repeat("\x1b]0;title\a", 400),
		"full screens":             strings.Repeat("\x1b[?1049hx\x1b[?1049l", 200),
		"rows drawn over and over": strings.Repeat("\x1b[Habc\r\nd\u0301\r\n", 300),
		"tab stops, regions":       strings.Repeat("\x1bH\x1b[2;5r\t\n", 400),
	} {
		t.Run(name, func(t *testing.T) {
			c := newClock()
			g := c.grid(80, 24)
			data := []byte(piece)
			measure := func() uint64 {
				runtime.GC()
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				return m.HeapAlloc
			}
			before := measure()
			for n := 0; n < size; n += len(data) {
				c.advance(soon)
				g.Write(data)
				g.Take()
			}
			if after := measure(); after > before+1<<20 {
				t.Errorf("%d bytes more than before", after-before)
			}
			runtime.KeepAlive(g)
		})
	}
}

// TestLineWithoutEndIsLoggedInPieces, and is one line.
func TestLineWithoutEndIsLoggedInPieces(t *testing.T) {
	g := newClock().grid(80, 24)
	line := bytes.Repeat([]byte("0123456789"), 100_000)
	var log []byte
	for i := 0; i < len(line); i += 4096 {
		g.Write(line[i:min(i+4096, len(line))])
		text, _ := g.Take()
		if log = append(log, text...); i-len(log) > 80*24 {
			t.Fatalf("after %d bytes the log has %d", i, len(log))
		}
	}
	g.Close()
	if text, _ := g.Take(); string(append(log, text...)) != string(line)+"\n" {
		t.Error("the line is not in the log as it was")
	}
}

// TestSizesAreBounded: a program may give its terminal any size.
func TestSizesAreBounded(t *testing.T) {
	for _, size := range [][2]int{{0, 0}, {1, 1}, {-1, 5}, {65535, 65535}} {
		g := newClock().grid(size[0], size[1])
		g.Write([]byte("日本\x1b[65535;65535Hx\x1b[65535b\x1b[65535S\x1b[65535T\x1b[65535L\x1b[65535@\r\n"))
		g.Resize(size[1], size[0])
		g.Write([]byte("end"))
		g.Close()
		if text := taken(g); !strings.HasSuffix(text, "end\n") && size[0] > 2 {
			t.Errorf("%v: %d bytes", size, len(text))
		}
	}
}
