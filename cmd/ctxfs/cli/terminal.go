package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"ctxfs/cmd/ctxfs/console"
	"ctxfs/mounts/control"
	"ctxfs/providers/terminals/config"
	"ctxfs/providers/terminals/holder"
	"ctxfs/providers/terminals/record"
)

// Recording returns where and how terminals are recorded.
func (a *App) Recording() holder.Recording {
	return config.Recording(a.Config, a.State, a.Process().SocketFolders())
}

// AtTerminal reports whether this command reads from a terminal and writes to one.
func (a *App) AtTerminal() bool { return console.IsTerminal(a.In) && console.IsTerminal(a.Out) }

// Stdin is the terminal in which this command was started.
func (a *App) Stdin() *os.File {
	f, _ := a.In.(*os.File)
	return f
}

// AttachTerminal shows a running terminal, by its id or name, in this one, until it has ended
// or is detached. Inside a recorded terminal it does so by force only.
func (a *App) AttachTerminal(ctx context.Context, name string, force bool) error {
	recording := a.Recording()
	t, err := recording.Find(name)
	if missing := (*holder.Missing)(nil); errors.As(err, &missing) {
		fault := &control.Fault{Message: err.Error(), Hint: "list the running ones: ctxfs ps"}
		switch {
		case missing.Ended != nil:
			fault.Hint = "what it has shown: " + missing.Ended.Path(missing.Ended.LastPart())
		case missing.Other != "":
			fault.Hint = "what it shows: " + a.terminalFile(name)
		case missing.Near != "":
			fault.Hint = "did you mean: ctxfs attach " + missing.Near
		}
		return fault
	}
	if err != nil {
		return err
	}
	if by := a.OnlyReads(); by != nil {
		a.Notef("%v; what you type is dropped", by)
	}
	if id, inside := a.LookupEnv(holder.Variable); inside && (!force || id == t.ID) {
		fault := &control.Fault{Message: fmt.Sprintf("this is terminal %s, which would record what it is shown", id), Hint: "to attach anyway: ctxfs attach --force " + name}
		if id == t.ID {
			fault.Message, fault.Hint = fmt.Sprintf("this is terminal %s itself", id), ""
		}
		return fault
	}
	if !a.AtTerminal() {
		return &control.Fault{Message: "there is no terminal here to show it in", Hint: "read what it shows: " + t.Path(t.LastPart())}
	}
	out, err := recording.Attach(ctx, t.ID, a.Stdin())
	if errors.Is(err, holder.ErrNotRunning) {
		return &control.Fault{Message: fmt.Sprintf("terminal %s has just ended, or its socket was deleted", t.ID), Hint: "what it has shown: " + t.Path(t.LastPart())}
	}
	return a.Attached(out, err)
}

// terminalFile returns the path of the newest part of a terminal's log.
func (a *App) terminalFile(id string) string {
	t, err := record.LoadState(filepath.Join(a.Recording().Dir, id))
	if err != nil {
		return a.Recording().Dir
	}
	return t.Path(t.LastPart())
}

// Attached returns how viewing a terminal ended, as an exit code or an error.
func (a *App) Attached(out holder.Outcome, err error) error {
	var fault *holder.Fault
	switch {
	case errors.As(err, &fault):
		return Exit(fault.Exit, fault)
	case errors.Is(err, holder.ErrLost) && out.Dir != "":
		return &control.Fault{Message: err.Error(), Hint: "what it has shown: " + filepath.Join(out.Dir, "part-*.txt")}
	case err != nil:
		return err
	case out.HungUp != 0 && out.HungUp != syscall.SIGTERM:
		return Exit(128+int(out.HungUp), nil)
	case out.Detached:
		a.Notef("detached; look at it again: ctxfs attach %s", out.ID)
	case out.Exit != 0:
		return Exit(out.Exit, nil)
	}
	return nil
}
