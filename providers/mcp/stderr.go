package mcp

import (
	"bytes"
	"sync"
)

// stderrKept is how much of the end of a standard error is kept, in bytes.
const stderrKept = 8 << 10

// tail keeps the end of what is written to it.
type tail struct {
	mu  sync.Mutex
	buf []byte
	cut bool
}

// Write implements io.Writer; it never fails.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(p)
	if len(p) > stderrKept {
		p, t.cut = p[len(p)-stderrKept:], true
	}
	if over := len(t.buf) + len(p) - stderrKept; over > 0 {
		t.buf, t.cut = append(t.buf[:0], t.buf[over:]...), true
	}
	t.buf = append(t.buf, p...)
	return n, nil
}

// text is the end, from the beginning of a line. Where there is no such
// beginning it drops margin bytes, so that no piece of a longer word is left
// that the whole word would be known by.
func (t *tail) text(margin int) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	b := t.buf
	if t.cut {
		if i := bytes.IndexByte(b, '\n'); i >= 0 {
			b = b[i+1:]
		} else {
			b = b[min(margin, len(b)):]
		}
	}
	return string(b)
}
