package holder

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"ctxfs/fs/rounds"
)

// stallTime is how long a viewer may take nothing before the others, the
// program and the recording no longer wait for it.
const stallTime = 3 * time.Second

// viewer is a terminal that shows a session.
type viewer struct {
	session    *session
	tty        tty
	keys       keys
	cols, rows int
	told       func(message) // sends a message to the process that gave us the terminal
	looks      bool          // it may not type, and its size does not count

	stalled  bool          // guarded by the session's lock
	done     chan struct{} // closed when it has left
	reading  chan struct{} // closed when no more keys are read
	detached func()
}

func newViewer(s *session, file *os.File, m message, told func(message)) *viewer {
	v := &viewer{
		session: s, tty: tty{file: file}, keys: keys{key: m.Key}, cols: m.Cols, rows: m.Rows, told: told,
		done: make(chan struct{}), reading: make(chan struct{}),
	}
	if v.looks = m.looks; v.looks {
		v.cols, v.rows = 0, 0
	}
	v.detached = func() { go s.detach(v) }
	return v
}

// start starts reading keys.
func (v *viewer) start() { go v.read() }

// stop ends it: after this the holder no longer reads from the terminal, which is
// restored.
func (v *viewer) stop() {
	close(v.done)
	_ = v.tty.file.SetDeadline(time.Unix(1, 0))
	<-v.reading
	v.tty.restore()
	v.tty.file.Close()
}

func (v *viewer) hasLeft() bool { return rounds.IsClosed(v.done) }

// show writes output. The caller holds the session's lock.
func (v *viewer) show(p []byte) {
	if v.stalled || len(p) == 0 {
		return
	}
	_ = v.tty.file.SetWriteDeadline(time.Now().Add(stallTime))
	n, err := v.tty.file.Write(p)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		v.stalled = true
		go v.recover(append([]byte(nil), p[n:]...))
	} // the reader sees any other error
}

// recover waits until a stalled viewer takes output again.
func (v *viewer) recover(rest []byte) {
	for len(rest) > 0 {
		if v.hasLeft() {
			return
		}
		_ = v.tty.file.SetWriteDeadline(time.Now().Add(stallTime))
		n, err := v.tty.file.Write(rest)
		rest = rest[n:]
		if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			return
		}
	}
	v.session.mu.Lock()
	defer v.session.mu.Unlock()
	if !v.hasLeft() {
		v.stalled = false
		v.session.draw(v)
	}
}

// read passes on what is typed.
func (v *viewer) read() {
	defer close(v.reading)
	buf := make([]byte, 16<<10)
	for {
		n, err := v.tty.file.Read(buf)
		if n > 0 {
			out, detach := v.keys.pass(buf[:n])
			v.typed(out)
			if detach {
				v.detached()
				return
			}
		}
		if errors.Is(err, os.ErrDeadlineExceeded) && !v.hasLeft() {
			v.typed(v.keys.release())
			err = v.tty.file.SetReadDeadline(time.Time{})
		}
		if v.keys.held && err == nil {
			err = v.tty.file.SetReadDeadline(time.Now().Add(keyTime))
		}
		switch {
		case v.hasLeft(): // after the deadline was set, as stop sets it before
			return
		case err != nil: // the terminal was closed
			v.detached()
			return
		}
	}
}

// typed writes to the program, which may be slow to read.
func (v *viewer) typed(p []byte) {
	for len(p) > 0 && !v.looks && !v.hasLeft() {
		_ = v.session.master.SetWriteDeadline(time.Now().Add(100 * time.Millisecond))
		n, err := v.session.master.Write(p)
		p = p[n:]
		if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			return
		}
	}
}

// draw draws the screen for a viewer: its text, without colours, which are not
// known, and the modes that are set. A full-screen program is asked to draw it
// itself. The caller holds the session's lock.
func (s *session) draw(v *viewer) {
	rows, col, row := s.rec.Screen()
	var b strings.Builder
	b.Write(s.modes.enter())
	b.WriteString("\x1b[m\x1b[H\x1b[2J")
	for i, text := range rows {
		if text != "" {
			fmt.Fprintf(&b, "\x1b[%dH%s", i+1, text)
		}
	}
	fmt.Fprintf(&b, "\x1b[%d;%dH", row+1, col+1)
	v.show([]byte(b.String()))
	if s.modes.alternate() && !v.looks {
		go s.redraw()
	}
}

// redraw makes a full-screen program draw everything, by changing the size of
// its terminal, and changing it back.
func (s *session) redraw() {
	s.mu.Lock()
	cols, rows := s.cols, s.rows
	setSize(s.master, cols, max(1, rows-1))
	s.mu.Unlock()
	time.AfterFunc(50*time.Millisecond, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if !s.ended {
			setSize(s.master, s.cols, s.rows)
			if group := foreground(s.master); group > 1 {
				_ = syscall.Kill(-group, syscall.SIGWINCH)
			}
		}
	})
}
