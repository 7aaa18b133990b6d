// Package command runs the commands that fill folders: without a shell, with little of the
// environment, for a limited time, with a limited output, and leaving nothing behind.
//
// Between ctxfs and the command is a keeper, a small process of its own:
//
//	ctxfs                       holds a pipe whose end says that it is gone
//	 └ ctxfs helper keep        package procs: adopts whatever the command leaves behind, and ends it
//	    └ the command
package command

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
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
	// Program is the path of ctxfs, which becomes the keeper.
	Program string
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
	ErrLost     = procs.ErrLost
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
	kept, stdout, stderr, err := start(s)
	if err != nil {
		o.Err = err
		return o
	}
	defer stdout.Close()
	defer stderr.Close()
	errs := excerpt.NewWriter(MaxErrors - 256) // it adds a line
	read := make(chan struct{}, 2)
	go func() {
		_, _ = io.Copy(errs, procs.NewOutput(stderr))
		read <- struct{}{}
	}()
	go func() {
		var b bytes.Buffer
		out := procs.NewOutput(stdout)
		if _, err := io.Copy(&b, io.LimitReader(out, s.MaxSize+1)); err == nil && int64(b.Len()) > s.MaxSize {
			cancel(ErrTooLarge)
			_, _ = io.Copy(io.Discard, out)
		}
		o.Stdout = b.Bytes()[:min(int64(b.Len()), s.MaxSize)]
		read <- struct{}{}
	}()
	ended := make(chan struct{})
	var end procs.Ended
	var lost error
	go func() {
		defer close(ended)
		end, lost = kept.Wait()
	}()
	select {
	case <-ctx.Done():
		kept.End() // the keeper ends everything
		<-ended
	case <-ended:
	}
	_ = stdout.SetReadDeadline(time.Now()) // what is outside of the keeper's reach may have the other end
	_ = stderr.SetReadDeadline(time.Now())
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

// start starts the command with its keeper, and returns our ends of its output.
func start(s Spec) (kept *procs.Kept, stdout, stderr *os.File, err error) {
	stdout, out, err := os.Pipe()
	if err != nil {
		return nil, nil, nil, err
	}
	defer out.Close()
	stderr, errs, err := os.Pipe()
	if err == nil {
		defer errs.Close()
		kept, err = procs.Keep{Keeper: procs.Helper(s.Program, procs.RoleKeep, s.Argv...), Dir: s.Dir, Env: s.Env, Stdout: out, Stderr: errs}.Start()
	}
	if err != nil {
		stdout.Close()
		stderr.Close()
	}
	return kept, stdout, stderr, err
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
