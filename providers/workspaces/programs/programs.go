// Package programs runs programs of the user that report something: about a repository, or
// their own version. They run with a low priority, with no input, in a process group and an
// environment of their own, and for no longer than they are given.
package programs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"

	"ctxfs/fs"
	"ctxfs/providers/internal/background"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/mask"
	"ctxfs/providers/internal/procs"
)

const (
	// politeness is the nice value of programs.
	politeness = 10
	// maxComplaint is how much is kept of what a program writes to standard error, in
	// bytes.
	maxComplaint = 4 << 10
)

// errTooLong is the error of [Runner.Output] for a program that writes more than is read.
var errTooLong = errors.New("its output is too long")

// Command is how a program is run.
type Command struct {
	Path string   // absolute
	Args []string // without its name
	Dir  string   // in which it runs
	Env  []string // all of its environment, "NAME=value"
}

// Failure is the error of a program that failed.
type Failure struct {
	Program string // its name
	Code    int    // its exit code; -1 if a signal ended it
	// Message is what it wrote to standard error, as one line without secrets, shortened;
	// it may be "".
	Message string
}

func (f *Failure) Error() string {
	if f.Message == "" {
		return fmt.Sprintf("%s failed with code %d", f.Program, f.Code)
	}
	return f.Program + ": " + f.Message
}

// Runner runs programs. They end with this process, however that ends. It is safe for
// concurrent use.
type Runner struct {
	spawner *procs.Spawner
	running background.Work
}

// New returns a Runner. Close ends it.
func New() *Runner { return &Runner{spawner: procs.NewSpawner()} }

// Close waits for the programs that run; their contexts end them. Nothing can be run
// after it.
func (r *Runner) Close() {
	r.running.End()
	r.spawner.Close()
}

// Run runs a program and calls read with its standard output. It returns when the program
// has ended: if read returns an error before the end of the output, or the context ends,
// the program and what it has started are killed. The error is that of the context, of
// read, or a [*Failure].
func (r *Runner) Run(ctx context.Context, c Command, read func(io.Reader) error) error {
	if !r.running.Begin() {
		return context.Canceled
	}
	defer r.running.Done()
	if err := ctx.Err(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	cmd := exec.CommandContext(ctx, c.Path, c.Args...)
	cmd.Dir, cmd.Env = c.Dir, c.Env
	complaint := &tail{}
	cmd.Stderr = complaint
	output, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := r.spawner.Start(cmd); err != nil {
		return err
	}
	_ = syscall.Setpriority(syscall.PRIO_PGRP, cmd.Process.Pid, politeness)
	closed := context.AfterFunc(ctx, func() { // a child of the program may keep the output open
		output.Close()
	})
	defer closed()
	if err := read(output); err != nil {
		cancel(err)
	}
	err = cmd.Wait()
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return &Failure{Program: filepath.Base(c.Path), Code: exit.ExitCode(), Message: complaint.line()}
	}
	return err
}

// Output runs a program and returns its standard output, of at most limit bytes.
func (r *Runner) Output(ctx context.Context, c Command, limit int64) (text []byte, err error) {
	err = r.Run(ctx, c, func(output io.Reader) error {
		text, err = io.ReadAll(io.LimitReader(output, limit+1))
		if int64(len(text)) > limit {
			return errTooLong
		}
		return err
	})
	return text, err
}

// tail keeps the end of what is written to it.
type tail struct{ text []byte }

func (t *tail) Write(p []byte) (int, error) {
	t.text = append(t.text, p...)
	if excess := len(t.text) - maxComplaint; excess > 0 {
		t.text = append(t.text[:0], t.text[excess:]...)
	}
	return len(p), nil
}

func (t *tail) line() string { return clean.Cut(clean.Line(mask.Text(string(t.text))), 300) }

// Find returns the path of a program in a list of folders, the value of PATH, or "". It
// leaves out folders that are relative, and programs that lie in one of the folders
// outside, themselves or through links: a folder in which agents work must not choose what
// is run.
func Find(name, path string, outside ...string) string {
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) || Within(dir, outside) {
			continue
		}
		found := filepath.Join(dir, name)
		if target, err := filepath.EvalSymlinks(found); err != nil || Within(target, outside) {
			continue
		}
		if info, err := os.Stat(found); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0 {
			return found
		}
	}
	return ""
}

// Within reports whether a path is one of the folders, or lies in one.
func Within(path string, dirs []string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool { return fs.Within(path, dir) })
}
