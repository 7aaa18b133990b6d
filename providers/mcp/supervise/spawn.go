package supervise

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// Command is a command that is to be started.
type Command struct {
	Name string // as configured: a name to look up in PATH, or a path
	Path string // of the program
	Args []string
	Env  []string
	Dir  string
}

// Program is a program that was started.
type Program struct {
	Stdin          Input
	Stdout, Stderr io.ReadCloser
	// Group is the number of its process group.
	Group int
	// Wait waits until it has exited, and returns how, in words. It is called once.
	Wait func() string
}

// Input is the standard input of a program. A write to it fails with
// [syscall.EPIPE] once the program has closed it, and with
// [os.ErrDeadlineExceeded] after the deadline.
type Input interface {
	io.WriteCloser
	SetWriteDeadline(time.Time) error
}

// startProcess starts the process of a command, in a group of its own.
func (s *Supervisor) startProcess(c Command) (*Program, error) {
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
	for i := 1; i < len(pipes); i++ {
		var err error
		if pipes[i].w, err = unbreakable(pipes[i].w); err != nil {
			closeAll()
			return nil, err
		}
		ends = append(ends, pipes[i].w)
	}
	in, out, errs := pipes[0], pipes[1], pipes[2]
	cmd := &exec.Cmd{
		Path: c.Path, Args: append([]string{c.Name}, c.Args...), Env: c.Env, Dir: c.Dir,
		Stdin: in.r, Stdout: out.w, Stderr: errs.w,
		SysProcAttr: &syscall.SysProcAttr{Setpgid: true},
	}
	s.reaper.prepare()
	if err := cmd.Start(); err != nil {
		closeAll()
		return nil, startError(c, err)
	}
	in.r.Close()
	out.w.Close()
	errs.w.Close()
	return &Program{
		Stdin: in.w, Stdout: out.r, Stderr: errs.r, Group: cmd.Process.Pid,
		Wait: func() string { return exitStatus(cmd.Wait()) },
	}, nil
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
