// Package command runs the commands that fill folders: without a shell, with little of the
// environment, for a limited time, with a limited output, and leaving nothing behind.
//
// Between ctxfs and the command is a keeper, a small process of its own:
//
//	ctxfs                       holds a pipe whose end says that it is gone
//	 └ ctxfs exec-keeper        [Keep]: adopts whatever the command leaves behind, and ends it
//	    └ the command
//
// A keeper that is killed alone, as its command may do, has told the mark of what it has
// started: [Run] ends that. command.go is what is run, and what came of it; keeper.go is the
// keeper.
package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"ctxfs/providers/internal/excerpt"
	"ctxfs/providers/internal/procs"
)

// Spec is a command to run.
type Spec struct {
	// Argv is the program, as an absolute path, and its arguments.
	Argv []string
	Dir  string
	Env  []string
	// Timeout is how long it may take.
	Timeout time.Duration
	// MaxSize is how much it may print to its standard output, in bytes. What it prints to
	// its standard error counts for nothing; the beginning and the end are kept.
	MaxSize int64
	// Keeper is the command line that becomes a keeper.
	Keeper []string
}

// Outcome is what came of a command.
type Outcome struct {
	// Stdout is the output, at most Spec.MaxSize bytes of it; Stderr at most MaxErrors.
	Stdout, Stderr []byte
	// Exit is the exit code, 128 plus its number if a signal ended it; -1 if it was not
	// started, or was ended before it ended itself.
	Exit int
	// Err is nil if it ended by itself: ErrTimeout, ErrTooLarge, ErrLost, the context's error,
	// or why it was not started.
	Err error
}

// Why commands are ended.
var (
	ErrTimeout  = errors.New("the time limit was reached")
	ErrTooLarge = errors.New("it printed too much")
	ErrLost     = errors.New("its keeper was killed")
)

// MaxErrors is how much of the standard error is kept, in bytes.
const MaxErrors = 8 << 10

// Run runs a command and waits until it, and all that it has started, has ended.
func Run(ctx context.Context, s Spec) (o Outcome) {
	o.Exit = -1
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := time.AfterFunc(s.Timeout, func() { cancel(ErrTimeout) })
	defer stop.Stop()
	p, err := start(s)
	if err != nil {
		o.Err = err
		return o
	}
	defer p.close()
	errs := excerpt.NewWriter(MaxErrors - 256) // it adds a line
	read := make(chan struct{}, 2)
	go func() {
		_, _ = io.Copy(errs, procs.NewOutput(p.stderr))
		read <- struct{}{}
	}()
	go func() {
		var b bytes.Buffer
		stdout := procs.NewOutput(p.stdout)
		if _, err := io.Copy(&b, io.LimitReader(stdout, s.MaxSize+1)); err == nil && int64(b.Len()) > s.MaxSize {
			cancel(ErrTooLarge)
			_, _ = io.Copy(io.Discard, stdout)
		}
		o.Stdout = b.Bytes()[:min(int64(b.Len()), s.MaxSize)]
		read <- struct{}{}
	}()
	ended := make(chan struct{})
	var end Ended
	var lost error
	go func() {
		defer close(ended)
		end, lost = p.wait()
	}()
	select {
	case <-ctx.Done():
		p.life.Close() // the keeper ends everything
		<-ended
	case <-ended:
	}
	_ = p.stdout.SetReadDeadline(time.Now()) // what is outside of the keeper's reach may have the other end
	_ = p.stderr.SetReadDeadline(time.Now())
	<-read
	<-read
	o.Stderr = errs.Excerpt("")
	switch why := context.Cause(ctx); {
	case why != nil:
		o.Err = why
	case lost != nil:
		o.Err = lost
	case end.Error != "":
		o.Err = errors.New(end.Error)
	default:
		o.Exit = end.Exit
	}
	return o
}

// process is a keeper, with our ends of its pipes.
type process struct {
	cmd                          *exec.Cmd
	life, stdout, stderr, report *os.File
}

// start starts the keeper, which starts the command.
func start(s Spec) (p *process, err error) {
	p = &process{cmd: exec.Command(s.Keeper[0], append(s.Keeper[1:len(s.Keeper):len(s.Keeper)], s.Argv...)...)}
	var theirs []*os.File
	defer func() {
		for _, f := range theirs {
			f.Close()
		}
		if err != nil {
			p.close()
		}
	}()
	pipe := func(reads bool, ours **os.File) (far *os.File) {
		if err != nil {
			return nil
		}
		r, w, problem := os.Pipe()
		if err = problem; err != nil {
			return nil
		}
		*ours, far = r, w
		if !reads {
			*ours, far = w, r
		}
		theirs = append(theirs, far)
		return far
	}
	life, stdout, stderr, report := pipe(false, &p.life), pipe(true, &p.stdout), pipe(true, &p.stderr), pipe(true, &p.report)
	if err != nil {
		return nil, err
	}
	// The keeper's own standard input is the command's: empty.
	p.cmd.Stdout, p.cmd.Stderr, p.cmd.ExtraFiles = stdout, stderr, []*os.File{life, report}
	p.cmd.Dir, p.cmd.Env = s.Dir, s.Env
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err = p.cmd.Start(); err != nil {
		return nil, err
	}
	return p, nil
}

// begun is what a keeper reports first, as JSON: the mark of all that it starts.
type begun struct {
	Mark uint64 `json:"mark"`
}

// Ended is what it reports at last.
type Ended struct {
	Exit  int    `json:"exit"`
	Error string `json:"error,omitempty"` // why the command was not started
}

// wait waits until the keeper has ended. If it was killed, as the command may do, what it
// has started is killed too.
func (p *process) wait() (e Ended, err error) {
	report := json.NewDecoder(io.LimitReader(p.report, 64<<10))
	var b begun
	_ = report.Decode(&b)
	err = report.Decode(&e)
	_, _ = io.Copy(io.Discard, p.report)
	status := p.cmd.Wait()
	if err == nil {
		return e, nil
	}
	procs.EndMarked(b.Mark)
	if status == nil {
		return e, ErrLost
	}
	return e, fmt.Errorf("%w: %w", ErrLost, status)
}

func (p *process) close() {
	for _, f := range []*os.File{p.life, p.stdout, p.stderr, p.report} {
		if f != nil {
			f.Close()
		}
	}
}

// Environ returns an environment of what every program needs, of the variables that are
// named ("NAME") or set ("NAME=value"), and of some that keep programs from asking back,
// paging and coloring.
func Environ(all, more []string) []string {
	const shared = " PATH HOME USER LOGNAME LANG LANGUAGE TZ TMPDIR SHELL XDG_CONFIG_HOME XDG_DATA_HOME XDG_CACHE_HOME XDG_STATE_HOME XDG_RUNTIME_DIR "
	values := map[string]string{"TERM": "dumb", "NO_COLOR": "1", "PAGER": "cat", "GIT_PAGER": "cat", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0"}
	for _, entry := range all {
		name, value, _ := strings.Cut(entry, "=")
		if strings.Contains(shared, " "+name+" ") || strings.HasPrefix(name, "LC_") {
			values[name] = value
		}
	}
	for _, wanted := range more {
		name, value, set := strings.Cut(wanted, "=")
		for _, entry := range all {
			if of, have, _ := strings.Cut(entry, "="); !set && of == name {
				value, set = have, true
			}
		}
		if set {
			values[name] = value
		}
	}
	var environ []string
	for name, value := range values {
		environ = append(environ, name+"="+value)
	}
	return environ
}
