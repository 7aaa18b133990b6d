package supervise

import (
	"bytes"
	"io"
	"sync"
	"time"
)

// Process is a server's process with its whole group: launchers leave the real
// server as a grandchild, which outlives them.
type Process struct {
	Stdin  Input
	Stdout io.ReadCloser
	Stderr *Tail

	sup    *Supervisor
	group  int
	env    []string
	began  time.Time
	meter  *meter
	exited chan struct{} // closed when the process has exited
	status string        // how it exited; read after exited

	// protects returns whether the process may be installing, and until when it
	// may go on; set by Start.
	protects func() (until time.Time, installing bool)
}

// lastWords is how long the exit of a process waits for the rest of its standard
// error: a grandchild may hold the pipe open.
const lastWords = time.Second

// start starts the program of a command.
func (s *Supervisor) start(c Command) (*Process, error) {
	var err error
	if c.Path, err = findProgram(c.Name, c.Env, c.Dir); err != nil {
		return nil, err
	}
	program, err := s.spawn(c)
	if err != nil {
		return nil, err
	}
	p := &Process{
		Stdin: program.Stdin, Stdout: program.Stdout, Stderr: new(Tail), sup: s, group: program.Group, env: c.Env, began: time.Now(), exited: make(chan struct{}),
		protects: func() (time.Time, bool) { return time.Time{}, false },
	}
	s.reaper.watch(p.group, briefly()) // first: until then nothing ends it if this process is killed
	p.meter = newMeter(p.group)
	read := make(chan struct{})
	go func() {
		defer close(read)
		p.Stderr.readFrom(program.Stderr)
	}()
	go func() {
		p.status = program.Wait()
		select {
		case <-read:
		case <-time.After(lastWords):
		}
		program.Stderr.Close()
		close(p.exited)
	}()
	return p, nil
}

// Group returns the number of the process group, which is the pid of its leader.
func (p *Process) Group() int { return p.group }

// Exited returns a channel that is closed when the process has exited. Others of
// its group may go on.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Status returns how the process exited, in words. It must be called after Exited
// is closed.
func (p *Process) Status() string { return p.status }

// Await waits up to d, and reports whether the process has exited.
func (p *Process) Await(d time.Duration) bool {
	select {
	case <-p.exited:
		return true
	case <-time.After(d):
		return false
	}
}

// tailKept is the size of a Tail in bytes.
const tailKept = 8 << 10

// Tail is the last part of what a process writes to its standard error. It is safe
// for concurrent use.
type Tail struct {
	mu  sync.Mutex
	buf []byte
	cut bool
}

// readFrom reads r to its end and keeps the last part.
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

// Text returns the tail from the beginning of a line. If no line begins in it, the
// first margin bytes are dropped, so that no part of a longer secret is left that
// redaction would not recognize.
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
