package mcp

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"ctxfs/fs/fstest"
	"ctxfs/providers/mcp/supervise"
)

// process is what a stub server runs in: goroutines of the test, over pipes in
// memory, or this program, started as a process of its own.
type process struct {
	in       io.Reader
	out, err io.WriteCloser
	lookup   func(string) string // a variable of its environment
	args     []string
	dir      string
	pid      int
	changes  func() <-chan struct{} // closed when a file may have changed since the call
	ended    chan struct{}          // closed at its end
	end      func(status string)
}

// realProcess is this program as a stub server.
func realProcess() *process {
	dir, _ := os.Getwd()
	return &process{
		in: os.Stdin, out: os.Stdout, err: os.Stderr, lookup: os.Getenv, args: os.Args[1:], dir: dir, pid: os.Getpid(),
		changes: func() <-chan struct{} {
			changed := make(chan struct{})
			time.AfterFunc(5*time.Millisecond, func() { close(changed) })
			return changed
		},
	}
}

// remoteStub is what a stub server over HTTP runs in.
func remoteStub(env ...string) *process { return &process{lookup: variablesOf(env)} }

// variablesOf looks up variables in a list of names and values.
func variablesOf(env []string) func(string) string {
	return func(name string) string {
		for i := 0; i+1 < len(env); i += 2 {
			if env[i] == name {
				return env[i+1]
			}
		}
		return ""
	}
}

// exit ends the process and the calling goroutine.
func (p *process) exit(code int) {
	if p.end == nil {
		os.Exit(code)
	}
	p.end(fmt.Sprintf("it exited with status %d", code))
	runtime.Goexit()
}

// journal notes what happens in a file.
func (p *process) journal(what string) {
	path := p.lookup(stubJournal)
	if path == "" {
		return
	}
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	fmt.Fprintln(f, what)
}

// file returns the text of a file that a variable names, "" without one.
func (p *process) file(variable string) string {
	path := p.lookup(variable)
	if path == "" {
		return ""
	}
	if !strings.HasPrefix(path, "/") {
		path = p.dir + "/" + path
	}
	text, _ := os.ReadFile(path) // "" if there is none
	return string(text)
}

// whenever calls act each time that a file has another text, until it returns false.
func (p *process) whenever(variable, text string, act func() (goOn bool)) {
	for {
		changed := p.changes()
		if now := p.file(variable); now != text {
			if text = now; !act() {
				return
			}
		}
		select {
		case <-changed:
		case <-p.ended:
			return
		}
	}
}

// programs are the processes in memory of a world.
type programs struct {
	t testing.TB

	mu      sync.Mutex
	started map[int]*process // by group
	written chan struct{}    // closed, and replaced, when the test writes a file
}

func newPrograms(t testing.TB) *programs {
	p := &programs{t: t, started: make(map[int]*process), written: make(chan struct{})}
	t.Cleanup(func() { // those that are left to finish what they install
		for group := range p.started {
			p.kill(group)
		}
	})
	return p
}

// noGroup is above every number that a group of the system can have.
const noGroup = 1 << 30

// spawn starts a stub server.
func (p *programs) spawn(c supervise.Command) (*supervise.Program, error) {
	if c.Path != os.Args[0] {
		p.t.Errorf("%s is no stub server", c.Path)
	}
	in, stdin := fstest.Pipe()
	stdout, out := fstest.Pipe()
	stderr, err := fstest.Pipe()
	exited := make(chan string, 1)
	s := &process{
		in: in, out: out, err: err, args: c.Args, dir: c.Dir, changes: p.changes, ended: make(chan struct{}),
		lookup: func(name string) (value string) {
			for _, v := range c.Env { // of two the last counts
				if is, ok := strings.CutPrefix(v, name+"="); ok {
					value = is
				}
			}
			return value
		},
	}
	var once sync.Once
	s.end = func(status string) {
		once.Do(func() {
			exited <- status
			close(s.ended)
			in.Close()
			out.Close()
			err.Close()
		})
	}
	p.mu.Lock()
	s.pid = noGroup + len(p.started)
	p.started[s.pid] = s
	p.mu.Unlock()
	go func() {
		runStub(s)
		s.exit(0)
	}()
	return &supervise.Program{Stdin: stdin, Stdout: stdout, Stderr: stderr, Group: s.pid, Wait: func() string { return <-exited }}, nil
}

// kill ends a process.
func (p *programs) kill(group int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.started[group].end("it was killed by a signal: killed")
}

// runs reports whether a process has not ended.
func (p *programs) runs(group int) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.started[group].ended:
		return false
	default:
		return true
	}
}

func (p *programs) changes() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.written
}

// wrote tells all processes that a file was written.
func (p *programs) wrote() {
	p.mu.Lock()
	defer p.mu.Unlock()
	close(p.written)
	p.written = make(chan struct{})
}
