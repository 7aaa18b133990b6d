// Package mount has the commands that show the tree: mount and unmount, status and
// doctor, sync for machines without FUSE, and the hidden command daemon, which is
// the background process.
//
// A command connects to that process, which does the work (package mounts); this
// package starts it, words outcomes, and cleans up mounts whose process was killed.
// Each file is one command.
package mount

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/cmd/ctxfs/daemon"
	"ctxfs/cmd/ctxfs/places"
	"ctxfs/fs/wording"
	"ctxfs/mounts"
	"ctxfs/mounts/control"
)

// Commands returns the commands for mounts and the background process.
func Commands(a *cli.App) []*cobra.Command {
	return []*cobra.Command{newMount(a), newUnmount(a), newStatus(a), newDoctor(a), newSync(a), newDaemon(a)}
}

func newMount(a *cli.App) *cobra.Command {
	var foreground, asJSON bool
	cmd := &cobra.Command{
		Use:               "mount [DIR]",
		Short:             "show the tree on a folder (default ~/.agentctx)",
		Args:              cli.Args(1),
		ValidArgsFunction: cli.CompleteDirs,
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, err := a.DirArg(args)
			if err != nil {
				return err
			}
			if err := mounts.CheckSystem(dir); err != nil {
				return err
			}
			if _, err := mounts.Rescue(a.Process()); err != nil {
				return err
			}
			if err := a.Chdir("/"); err != nil { // this very command may stand in a mount that is replaced
				return err
			}
			a.KeepEnviron()
			if foreground {
				return mountForeground(cmd.Context(), a, dir)
			}
			return mount(cmd.Context(), a, dir, asJSON)
		},
	}
	cmd.Flags().BoolVarP(&foreground, "foreground", "f", false, "stay in the foreground")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the result as JSON")
	return cmd
}

func mount(ctx context.Context, a *cli.App, dir string, asJSON bool) error {
	before, err := takeOver(ctx, a)
	if err != nil {
		return err
	}
	result, err := mounts.OpMount.Ask(ctx, a.Starting(), mounts.ViewQuery{Dir: dir})
	if err != nil {
		return err
	}
	// The process that serves the mount cannot look at it; this one can.
	if _, err := os.ReadDir(result.Dir); err != nil {
		return &control.Fault{
			Message: fmt.Sprintf("mounted, but the root cannot be listed: %v", err),
			Hint:    "see what is wrong: ctxfs doctor",
		}
	}
	if asJSON {
		return a.PrintJSON(struct {
			mounts.MountResult
			Replaced *predecessor `json:"replaced,omitempty"`
		}{result, before})
	}
	if before != nil {
		before.report(a)
		result.Already = false
	}
	reportMount(a, result)
	return nil
}

func reportMount(a *cli.App, result mounts.MountResult) {
	if result.Already {
		a.Sayf("already mounted on %s", a.Tilde(result.Dir))
		return
	}
	a.Sayf("mounted on %s", a.Tilde(result.Dir))
	a.Sayf("  look: ls %s   state: ctxfs status   end: ctxfs unmount", a.Tilde(result.Dir))
}

// mountForeground serves the mount in this process. If there is a background process
// already, that one serves it, and this one waits until the mount ends.
func mountForeground(ctx context.Context, a *cli.App, dir string) error {
	ending, stopEnding := daemon.UntilSignal(ctx)
	defer stopEnding()
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()

	before, err := olderProcess(ctx, a)
	if err != nil {
		return interrupted(ctx, dir, err)
	}
	options := daemonOptions(a, before != nil)
	seat, err := daemon.Claim(ctx, options, func(line string) { a.Notef("%s", line) })
	if errors.Is(err, control.ErrRunning) {
		stopEnding()
		defer context.AfterFunc(ctx, stop)() // the second signal ends the process
		return mountElsewhere(ctx, a, dir)
	}
	if err != nil {
		return interrupted(ctx, dir, err)
	}
	daemon.Stay()
	s, closeTree := daemon.New(options, seat, 0)
	defer closeTree()
	defer context.AfterFunc(ending, s.End)()
	s.Restore(func(line string) { a.Notef("%s", line) })
	if before != nil {
		before.report(a)
	}
	result, err := s.Mount(dir)
	if err != nil {
		s.End()
		s.Serve()
		return interrupted(ctx, dir, err)
	}
	reportMount(a, result)
	s.Serve()
	return nil
}

// interrupted words the error of a mount: a signal may have caused it.
func interrupted(ctx context.Context, dir string, err error) error {
	if ctx.Err() == nil {
		return err
	}
	return &control.Fault{
		Message: fmt.Sprintf("interrupted before %s was mounted", dir),
		Hint:    "to mount it, give the command again: ctxfs mount -f " + wording.ShellWord(dir),
	}
}

// mountElsewhere has the background process mount and waits until the mount or ctx
// ends. If ctx ends first, it unmounts.
func mountElsewhere(ctx context.Context, a *cli.App, dir string) error {
	if err := mount(ctx, a, dir, false); err != nil {
		return interrupted(ctx, dir, err)
	}
	err := awaitEnd(ctx, a, dir)
	if ctx.Err() != nil {
		return unmount(context.WithoutCancel(ctx), a, []string{dir}, false, false)
	}
	return err
}

// awaitEnd waits until a mount ends, whichever process shows it.
func awaitEnd(ctx context.Context, a *cli.App, dir string) error {
	for {
		c, err := a.Process().Dial(ctx)
		if err == nil {
			err = c.Stay(ctx, mounts.OpWait.Name, mounts.ViewQuery{Dir: dir}, func() {})
			c.Close()
		}
		gone := errors.Is(err, control.ErrGone) || errors.Is(err, control.ErrNotRunning)
		if !gone || !shownByNext(ctx, a, dir) {
			return err
		}
	}
}

// daemonOptions are the settings of a background process that this process becomes.
func daemonOptions(a *cli.App, takeOver bool) daemon.Options {
	return daemon.Options{
		Places: a.Places, Environ: a.Environ, LookupEnv: a.LookupEnv, Commands: cli.Commands(a.Home, a.Main), Guardian: daemon.Guardian,
		Log: a.Err, TakeOver: takeOver,
	}
}

func newDaemon(a *cli.App) *cobra.Command {
	takeOver := false
	cmd := &cobra.Command{
		Use:    "daemon",
		Short:  "the background process (started by mount)",
		Hidden: true,
		Args:   cli.Args(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			ending, stop := daemon.UntilSignal(cmd.Context())
			defer stop()
			unheard := make(chan os.Signal, 1) // not ignored, since what it starts would inherit that
			signal.Notify(unheard, syscall.SIGHUP)
			defer signal.Stop(unheard)
			daemon.Stay()
			cmd.Root().ResetCommands() // which are of no use for as long as this one runs
			o := daemonOptions(a, takeOver)
			o.Starter = control.SpawnedStarter()
			return daemon.Run(ending, o)
		},
	}
	cmd.Flags().BoolVar(&takeOver, places.TakeOverFlag, false, "replace a process of an older build")
	return cmd
}
