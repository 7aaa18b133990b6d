package supervise

import (
	"bytes"
	"io"
	"sync"
)

// tailKept is how much of the end of a standard error is kept, in bytes.
const tailKept = 8 << 10

// Tail is the end of what a process writes to its standard error.
type Tail struct {
	mu  sync.Mutex
	buf []byte
	cut bool
}

// readFrom keeps the end of everything that r gives.
func (t *Tail) readFrom(r io.Reader) {
	piece := make([]byte, 4<<10)
	for {
		n, err := r.Read(piece)
		t.add(piece[:n])
		if err != nil {
			return
		}
	}
}

func (t *Tail) add(p []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if over := len(t.buf) + len(p) - tailKept; over > 0 {
		t.buf, t.cut = append(t.buf[:0], t.buf[over:]...), true
	}
	t.buf = append(t.buf, p...)
}

// Text is the end, from the beginning of a line. Where there is no such
// beginning it drops margin bytes, so that no piece of a longer word is left
// that the whole word would be known by.
func (t *Tail) Text(margin int) string {
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
