// Package cli has what all commands of ctxfs share: the user's streams and folders,
// the connection to the background process, and one wording for output, usage
// errors and help.
//
// A command is a function that takes an [App] and returns a cobra.Command; each
// family of commands has a package beside this one, and package main lists them
// all. The order of this package's parts: app.go ([App]), print.go (output for
// people and scripts), exit.go (errors with an exit code), args.go (arguments and
// their completion), standpoint.go (folders that users name), terminal.go (recorded
// terminals), wait.go (conditions that are waited for), quick.go (commands that the
// background process answers).
package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"text/tabwriter"
	"time"

	"ctxfs/cmd/ctxfs/console"
	"ctxfs/cmd/ctxfs/daemon"
	"ctxfs/cmd/ctxfs/places"
	"ctxfs/cmd/ctxfs/usertree"
	"ctxfs/fs"
	"ctxfs/mounts"
	"ctxfs/mounts/control"
	"ctxfs/providers/caller"
	"ctxfs/providers/readonly"
)

// App is what every command needs: who the user is, where the files are, where to print,
// and what else it finds around it. Commands share one App and do not change it, and take
// nothing of their surroundings from elsewhere.
type App struct {
	console.Streams
	places.Places

	// Environ is the environment, and LookupEnv looks up one of its variables.
	Environ   func() []string
	LookupEnv func(string) (string, bool)
	// Getwd returns the working folder, and Chdir leaves it.
	Getwd func() (string, error)
	Chdir func(string) error
	// Here is where the program stands that gives the command: this one.
	Here func() fs.Standpoint
	// Main runs a command line, and returns the exit code.
	Main func(ctx context.Context, a *App, args []string) int
	Now  func() time.Time
	// Completes reports that the command line asks for completions.
	Completes bool
	// PlacesErr is why Places is empty; nil if it is not. Commands that need no
	// folders still run; see [NeedsNoPlaces].
	PlacesErr error
}

// New finds the user's folders. It creates none, and never fails: PlacesErr says
// what is missing.
func New(streams console.Streams, lookupEnv func(string) (string, bool)) *App {
	found, err := places.Find(lookupEnv)
	return &App{
		Streams: streams, Places: found, PlacesErr: err,
		Environ: os.Environ, LookupEnv: lookupEnv, Getwd: os.Getwd, Chdir: os.Chdir, Here: fs.Here, Now: time.Now,
	}
}

// Abs returns an absolute path, as [filepath.Abs] does.
func (a *App) Abs(path string) (string, error) {
	if filepath.IsAbs(path) {
		return filepath.Clean(path), nil
	}
	dir, err := a.Getwd()
	return filepath.Join(dir, path), err
}

// KeepEnviron saves the environment for servers that are started later. It prints a note if it
// cannot.
func (a *App) KeepEnviron() {
	if err := caller.KeepEnviron(a.State, a.Environ()); err != nil {
		a.Notef("servers are not given the variables of this shell: %v", err)
	}
}

// ServerInfo asks the background process who it is and what it shows. It returns
// the zero value, and no error, if there is no process or it is ending.
func (a *App) ServerInfo(ctx context.Context) (mounts.ServerInfo, error) {
	info, err := mounts.OpStatus.Ask(ctx, a.OnlyRunning(), fs.None{})
	if errors.Is(err, control.ErrNotRunning) || errors.Is(err, control.ErrGone) {
		return mounts.ServerInfo{}, nil
	}
	return info, err
}

// OnlyReads returns the error of a command that does more than read, if this program is
// part of a read-only run of an agent; nil if it is not. It is for the message: what runs
// outside of such a run's sandbox identifies its callers itself.
func (a *App) OnlyReads() error {
	if a.PlacesErr != nil {
		return nil
	}
	if by := readonly.In(a.State).Process(os.Getpid()); by != nil {
		return Exit(console.ExitDenied, by)
	}
	return nil
}

// Fallback returns the Asker of a command that needs no background process: that
// process if there is one, else the tree in this process. The caller closes it.
func (a *App) Fallback() *daemon.Fallback { return daemon.NewFallback(a.Places, a.Offline) }

// Starting returns the Asker of a command that needs the background process, which
// it starts if necessary.
func (a *App) Starting() fs.Asker { return daemon.Starting{Places: a.Places} }

// OnlyRunning returns the Asker of a command that makes no sense without a
// background process; its error is control.ErrNotRunning if no process runs.
func (a *App) OnlyRunning() fs.Asker { return daemon.Running{Places: a.Places} }

// Offline returns the tree in this process, as configuration and caches describe
// it. The caller closes it.
func (a *App) Offline() *usertree.Tree { return daemon.Offline(a.Places, a.Environ, a.LookupEnv) }

// Ask asks the background process, or the tree in this process where none runs.
func Ask[Q, A any](ctx context.Context, a *App, op fs.Op[Q, A], q Q) (A, error) {
	asker := a.Fallback()
	defer asker.Close()
	return op.Ask(ctx, asker, q)
}

// Table returns a writer of columns, separated by tabs. It prints when it is flushed.
func (a *App) Table() *tabwriter.Writer { return tabwriter.NewWriter(a.Out, 0, 0, 2, ' ', 0) }
