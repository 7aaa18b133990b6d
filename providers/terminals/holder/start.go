package holder

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"

	"ctxfs/providers/internal/procs"
)

// Start starts a Spec in a holder, and shows it in a terminal, which no other program
// may use meanwhile, until it ends or is detached. Program is the path of ctxfs, which
// becomes the holder by calling [Hold]; its error output goes to the file at log.
func Start(ctx context.Context, program string, log string, spec Spec, terminal *os.File) (Outcome, error) {
	if inBackground(terminal) {
		return Outcome{}, errBackground
	}
	ours, err := startHolder(program, log)
	if err != nil {
		return Outcome{}, unrecorded(err)
	}
	out, err := view(ctx, ours, terminal, message{Op: opStart, Spec: &spec, Key: spec.Key})
	if errors.Is(err, errNoTerminal) || errors.Is(err, ErrLost) && out.ID == "" {
		err = unrecorded(err)
	}
	return out, err
}

// StartBackground starts the command of a Spec in a holder without a viewer, as Start
// does, and returns as soon as it runs. Nothing that this process has open is held by it.
func StartBackground(program string, log string, spec Spec) (o Outcome, err error) {
	spec.Background = true
	procs.KeepDescriptors()
	l, err := startHolder(program, log)
	if err != nil {
		return o, unrecorded(err)
	}
	defer l.close()
	if err := l.send(message{Op: opStart, Spec: &spec}, nil); err != nil {
		return o, unrecorded(err)
	}
	m, err := l.next()
	switch {
	case err != nil:
		return o, unrecorded(ErrLost)
	case m.Op == opUnrecorded:
		return o, unrecorded(errors.New(m.Text))
	case m.Op == opFailed:
		return o, &Fault{m.Text, m.Exit}
	}
	return Outcome{ID: m.ID, Dir: m.Dir}, nil
}

func startHolder(program string, log string) (*link, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return nil, err
	}
	unix.CloseOnExec(fds[0])
	unix.CloseOnExec(fds[1])
	theirs := os.NewFile(uintptr(fds[1]), "holder")
	defer theirs.Close()
	ours, err := fileLink(os.NewFile(uintptr(fds[0]), "holder"))
	if err != nil {
		return nil, err
	}
	if err := launch(program, log, theirs); err != nil {
		ours.close()
		return nil, err
	}
	return ours, nil
}

// launch starts the process. It is never waited for: when it ends, so does the
// connection. It is no part of a command that this process is part of.
func launch(program string, log string, socket *os.File) error {
	argv := procs.Helper(program, procs.RoleTerminal)
	cmd := exec.Command(argv[0], argv[1:]...)
	if errs, err := os.OpenFile(log, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600); err == nil {
		defer errs.Close()
		cmd.Stderr = errs
	}
	cmd.Env = procs.Without(os.Environ(), TreeVariable)
	cmd.ExtraFiles = []*os.File{socket} // SocketFD
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	return cmd.Process.Release()
}

// ErrNotRunning reports that a terminal has no holder.
var ErrNotRunning = errors.New("the terminal is not running")

// Attach shows the running terminal with an ID in a terminal, as Start does.
func (r *Recording) Attach(ctx context.Context, id string, terminal *os.File) (Outcome, error) {
	conn, err := r.dial(id)
	if err != nil {
		return Outcome{}, err
	}
	return view(ctx, newLink(conn), terminal, message{Op: opAttach, Key: r.Key})
}
