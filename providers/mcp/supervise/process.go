package supervise

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// Command is a command that is to be started.
type Command struct {
	Name string // as configured: a name to look up in PATH, or a path
	Args []string
	Env  []string
	Dir  string
}

// Process is a server's process with its whole group: launchers leave the real
// server as a grandchild, which outlives them.
type Process struct {
	Stdin  *os.File
	Stdout *os.File
	Stderr *Tail

	sup    *Supervisor
	cmd    *exec.Cmd
	meter  *meter
	exited chan struct{} // closed when the process has exited
	status string        // how it exited; read after exited
	err    *os.File      // our end of its standard error

	// protects returns whether the process may be installing, and until when it
	// may go on; set by Start.
	protects func() (until time.Time, installing bool)
}

// lastWords is how long the exit of a process waits for the rest of its standard
// error: a grandchild may hold the pipe open.
const lastWords = time.Second

// start starts the process of a command.
func (s *Supervisor) start(c Command) (*Process, error) {
	path, err := findProgram(c.Name, c.Env, c.Dir)
	if err != nil {
		return nil, err
	}
	var ends []*os.File
	closeAll := func() {
		for _, f := range ends {
			f.Close()
		}
	}
	var pipes [3]struct{ r, w *os.File }
	for i := range pipes {
		r, w, err := os.Pipe()
		if err != nil {
			closeAll()
			return nil, err
		}
		pipes[i].r, pipes[i].w = r, w
		ends = append(ends, r, w)
	}
	in, out, errs := pipes[0], pipes[1], pipes[2]
	p := &Process{
		Stdin: in.w, Stdout: out.r, err: errs.r, Stderr: new(Tail), sup: s, exited: make(chan struct{}),
		protects: func() (time.Time, bool) { return time.Time{}, false },
	}
	for i := 1; i < len(pipes); i++ {
		if pipes[i].w, err = unbreakable(pipes[i].w); err != nil {
			closeAll()
			return nil, err
		}
		ends = append(ends, pipes[i].w)
	}
	p.cmd = &exec.Cmd{
		Path: path, Args: append([]string{c.Name}, c.Args...), Env: c.Env, Dir: c.Dir,
		Stdin: in.r, Stdout: pipes[1].w, Stderr: pipes[2].w,
		SysProcAttr: &syscall.SysProcAttr{Setpgid: true},
	}
	s.reaper.prepare()
	if err := p.cmd.Start(); err != nil {
		closeAll()
		return nil, startError(c, err)
	}
	in.r.Close()
	pipes[1].w.Close()
	pipes[2].w.Close()
	s.reaper.watch(p.Group(), briefly()) // first: until then nobody ends it if this process is killed
	p.meter = newMeter(p.Group())
	read := make(chan struct{})
	go func() {
		defer close(read)
		p.Stderr.readFrom(p.err)
	}()
	go func() {
		p.status = exitStatus(p.cmd.Wait())
		timer := time.NewTimer(lastWords)
		defer timer.Stop()
		select {
		case <-read:
		case <-timer.C:
		}
		p.err.Close()
		close(p.exited)
	}()
	return p, nil
}

// Group returns the number of the process group, which is the pid of its leader.
func (p *Process) Group() int { return p.cmd.Process.Pid }

// Exited returns a channel that is closed when the process has exited. Others of
// its group may go on.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Status returns how the process exited, in words. It must be called after Exited
// is closed.
func (p *Process) Status() string { return p.status }

// Await waits up to d, and reports whether the process has exited.
func (p *Process) Await(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-p.exited:
		return true
	case <-timer.C:
		return false
	}
}

// exitStatus returns the result of Wait in words.
func exitStatus(err error) string {
	var exit *exec.ExitError
	switch {
	case err == nil, errors.Is(err, exec.ErrWaitDelay):
		return "it exited with status 0"
	case errors.As(err, &exit):
		if ws, ok := exit.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
			return "it was killed by a signal: " + ws.Signal().String()
		}
		return fmt.Sprintf("it exited with status %d", exit.ExitCode())
	}
	return "it ended: " + err.Error()
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
