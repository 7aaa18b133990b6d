package fstest

import (
	"io"
	"os"
	"sync"
	"syscall"
	"time"
)

// pipeSize is how many bytes a pipe holds: as many as one of Linux.
const pipeSize = 64 << 10

// Pipe returns the ends of a pipe in memory, which behaves as one of the system
// does: it holds some bytes, a write fails with EPIPE once the reading end is
// closed, and a deadline for writing can be set. Waiting in it blocks durably in
// the sense of testing/synctest.
func Pipe() (io.ReadCloser, *PipeWriter) {
	p := new(pipe)
	p.turned = sync.NewCond(&p.mu)
	return pipeReader{p}, &PipeWriter{p}
}

type pipe struct {
	mu      sync.Mutex
	turned  *sync.Cond // at each change of the rest
	held    []byte
	unread  bool // the reading end is closed
	ended   bool // the writing end is closed
	late    bool // the deadline has passed
	pending *time.Timer
}

// set changes the pipe and wakes its waiters.
func (p *pipe) set(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
	p.turned.Broadcast()
}

// PipeWriter is the writing end of a pipe.
type PipeWriter struct{ p *pipe }

// Write implements io.Writer.
func (w *PipeWriter) Write(data []byte) (n int, err error) {
	p := w.p
	p.mu.Lock()
	defer p.mu.Unlock()
	for n < len(data) {
		switch room := pipeSize - len(p.held); {
		case p.ended:
			return n, os.ErrClosed
		case p.unread:
			return n, &os.PathError{Op: "write", Path: "|1", Err: syscall.EPIPE}
		case p.late:
			return n, os.ErrDeadlineExceeded
		case room == 0:
			p.turned.Wait()
		default:
			more := min(room, len(data)-n)
			p.held = append(p.held, data[n:n+more]...)
			n += more
			p.turned.Broadcast()
		}
	}
	return n, nil
}

// Close implements io.Closer. What is held can still be read.
func (w *PipeWriter) Close() error {
	w.p.set(func() { w.p.ended = true })
	return nil
}

// SetWriteDeadline is that of [os.File].
func (w *PipeWriter) SetWriteDeadline(at time.Time) error {
	p := w.p
	p.set(func() {
		if p.pending != nil {
			p.pending.Stop()
		}
		p.late = false
		p.pending = time.AfterFunc(time.Until(at), func() { p.set(func() { p.late = true }) })
	})
	return nil
}

// pipeReader is the reading end of a pipe.
type pipeReader struct{ p *pipe }

// Read implements io.Reader.
func (r pipeReader) Read(data []byte) (int, error) {
	p := r.p
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.held) == 0 {
		switch {
		case p.unread:
			return 0, os.ErrClosed
		case p.ended:
			return 0, io.EOF
		}
		p.turned.Wait()
	}
	n := copy(data, p.held)
	if p.held = p.held[n:]; len(p.held) == 0 {
		p.held = nil
	}
	p.turned.Broadcast()
	return n, nil
}

// Close implements io.Closer.
func (r pipeReader) Close() error {
	r.p.set(func() { r.p.unread = true })
	return nil
}
