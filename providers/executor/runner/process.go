package runner

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"ctxfs/fs"
	"ctxfs/providers/executor/sandbox"
	"ctxfs/providers/internal/procs"
)

// endTime is how long the agent and all that it has started may take to end by
// themselves when they are told to: all of them are gone within twice that.
const endTime = time.Second

// process is the agent's process, and all that it starts.
type process struct {
	argv, environ []string
	dir           string
	renders       bool     // read shows what the agent prints, as people want it
	terminal      Terminal // nil if it cannot be recorded
	// Only is what it may write, closed what is called when the rest has been closed to it;
	// both are nil if it may write everything.
	only   *sandbox.Rules
	closed func(sandbox.Report)
	// Read reads the standard output; started is called when the agent has been.
	read    func(stdout *io.PipeReader)
	started func()

	pid  int
	exit *procs.Exit // nil if it was not started, or cannot be ended
}

// run starts the agent and waits until it, and everything that it has started, has ended,
// and its output has been read. The error says why it was ended early, or why it was not
// started. This goroutine must be locked to its thread.
func (p *process) run(ctx context.Context, limit time.Duration) (why error) {
	children := make(chan os.Signal, 1)
	signal.Notify(children, syscall.SIGCHLD)
	defer signal.Stop(children)
	stdout, readers, err := p.start()
	if err != nil {
		p.notStarted(err)
		return err
	}
	defer stdout.Close()
	p.started()
	over := time.After(limit)
	reaped := func(e procs.Exit) {
		if e.PID == p.pid {
			p.exit = &e
		}
	}
	for why == nil && p.exit == nil {
		select {
		case <-children:
			procs.Reap(reaped)
		case <-over:
			why = errTime
		case <-ctx.Done():
			why = context.Cause(ctx)
		}
	}
	grace := endTime
	if errors.Is(why, errKilled) {
		grace = 0 // what killed the keeper is hardly willing
	}
	err = procs.End(grace, reaped, p.pid)
	_ = stdout.SetReadDeadline(time.Now()) // what is outside of the run may have the other end
	<-readers
	p.close(why)
	switch {
	case why != nil || p.exit != nil:
		return why
	case err != nil:
		return err
	}
	return errors.New("how it ended is not known")
}

// start starts the agent. The channel is closed when its output has been read.
func (p *process) start() (stdout *os.File, read <-chan struct{}, err error) {
	stdout, far, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	defer far.Close()
	attr := &os.ProcAttr{Dir: p.dir, Env: p.environ, Sys: procs.DiesWith(&syscall.SysProcAttr{Setsid: true}, syscall.SIGKILL)}
	if p.terminal != nil {
		slave := p.terminal.Slave()
		attr.Files = []*os.File{slave, far, slave}
		attr.Sys.Setctty = true // of its standard input
	} else {
		nothing, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
		if err != nil {
			stdout.Close()
			return nil, nil, err
		}
		defer nothing.Close()
		attr.Files = []*os.File{nothing, far, nothing}
	}
	started, err := p.enter(attr)
	if err != nil {
		stdout.Close()
		return nil, nil, err
	}
	p.pid = started.Pid
	_ = started.Release() // package procs waits for it
	if p.terminal != nil {
		p.terminal.Started(p.pid)
	}
	near, whole := io.Pipe()
	done := make(chan struct{})
	go func() {
		p.read(near)
		_, _ = io.Copy(io.Discard, near) // if it has stopped reading
		close(done)
	}()
	go func() {
		defer whole.Close()
		shown := p.show
		if p.renders {
			shown = func([]byte) {}
		}
		procs.Relay(stdout, func(b []byte) {
			shown(b)
			_, _ = whole.Write(b)
		})
	}()
	return stdout, done, nil
}

// enter starts the agent's process, in a sandbox if it may only read.
func (p *process) enter(attr *os.ProcAttr) (*os.Process, error) {
	if p.only == nil {
		return os.StartProcess(p.argv[0], p.argv, attr)
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	started, report, err := sandbox.Start(self, *p.only, p.argv, attr)
	if err == nil {
		p.closed(report)
	}
	return started, err
}

func (p *process) show(b []byte) {
	if p.terminal != nil {
		p.terminal.Show(b)
	}
}

// notStarted ends the terminal of an agent that cannot be started, as ctxfs run does.
func (p *process) notStarted(err error) {
	if p.terminal == nil {
		return
	}
	p.show(fmt.Appendf(nil, "ctxfs: %s cannot be started: %s\n", p.argv[0], fs.Cause(err)))
	exit := 126
	if errors.Is(err, os.ErrNotExist) {
		exit = 127
	}
	p.terminal.Close(exit, "")
}

// interrupted is the exit code of what was cancelled, which then counts as no failure: how
// an agent ends that is told to says nothing.
const interrupted = 130

// close ends the terminal.
func (p *process) close(why error) {
	switch {
	case p.terminal == nil:
	case errors.Is(why, errCancelled):
		p.terminal.Close(interrupted, "")
	case p.exit == nil:
		p.terminal.Close(-1, "")
	case p.exit.Status.Signaled():
		p.terminal.Close(p.exit.Code(), unix.SignalName(p.exit.Status.Signal()))
	default:
		p.terminal.Close(p.exit.Code(), "")
	}
}

// with returns an environment with entries, each instead of one of the same name.
func with(environ []string, entries ...string) []string {
	kept := slices.DeleteFunc(slices.Clone(environ), func(old string) bool {
		name, _, _ := strings.Cut(old, "=")
		return slices.ContainsFunc(entries, func(entry string) bool { return strings.HasPrefix(entry, name+"=") })
	})
	return append(kept, entries...)
}
