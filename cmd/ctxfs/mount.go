package main

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

func (a *app) mountCommand() *cobra.Command {
	var foreground, asJSON bool
	cmd := &cobra.Command{
		Use:   "mount [DIR]",
		Short: "show the tree on a folder (default ~/.agentctx)",
		Long: `Mount shows the tree on DIR, which must be empty or not exist, and returns as
soon as it can be listed. Servers that are not known
yet start after that, in the background; the others at their first call.

One background process serves all mounts of a home; the first mount starts it
and the last unmount ends it. Mounting where a mount is already does nothing;
where a dead one lies, whose process was killed, it is mended first.`,
		Example: `  ctxfs mount
  ctxfs mount /tmp/ctx
  ctxfs mount -f     in the foreground, for systemd: ends with Ctrl-C or SIGTERM`,
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
			if foreground {
				return a.mountForeground(cmd.Context(), dir)
			}
			return a.mount(cmd.Context(), dir, asJSON)
		},
	}
	cmd.Flags().BoolVarP(&foreground, "foreground", "f", false, "stay in the foreground")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the result as JSON")
	return cmd
}

func (a *app) mount(ctx context.Context, dir string, asJSON bool) error {
	var result mounts.MountResult
	err := places.UntilServed(func() (err error) {
		result, err = a.requestMount(ctx, dir)
		return err
	})
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
		return a.PrintJSON(result)
	}
	a.reportMount(result)
	return nil
}

func (a *app) requestMount(ctx context.Context, dir string) (result mounts.MountResult, err error) {
	c, err := a.Start(ctx)
	if err != nil {
		return result, err
	}
	defer c.Close()
	return mounts.OpMount.Ask(ctx, c, mounts.ViewQuery{Dir: dir})
}

func (a *app) reportMount(result mounts.MountResult) {
	if result.Already {
		a.Sayf("already mounted on %s", a.Tilde(result.Dir))
		return
	}
	a.Sayf("mounted on %s", a.Tilde(result.Dir))
	a.Sayf("  look: ls %s   state: ctxfs status   end: ctxfs unmount", a.Tilde(result.Dir))
}

// mountForeground serves the mount in this process, or, if there is a
// background process already, has it mount and waits for the end.
func (a *app) mountForeground(ctx context.Context, dir string) error {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(signals)
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()

	seat, err := a.Process().Claim(ctx)
	if errors.Is(err, control.ErrRunning) {
		signal.Stop(signals)
		defer context.AfterFunc(ctx, stop)() // the second signal ends the process
		return a.mountElsewhere(ctx, dir)
	}
	if err != nil {
		return interrupted(ctx, dir, err)
	}
	s, closeTree := daemon.New(daemon.Options{Places: a.Places, LookupEnv: a.LookupEnv, Log: a.Err}, seat, 0)
	defer closeTree()
	go daemon.EndOnSignal(s, signals)
	result, err := s.Mount(dir)
	if err != nil {
		s.End()
		s.Serve()
		return interrupted(ctx, dir, err)
	}
	a.reportMount(result)
	s.Serve()
	return nil
}

// interrupted words an error that a signal may have brought about.
func interrupted(ctx context.Context, dir string, err error) error {
	if ctx.Err() == nil {
		return err
	}
	return &control.Fault{
		Message: fmt.Sprintf("interrupted before %s was mounted", dir),
		Hint:    "mount it all the same: ctxfs mount -f " + wording.ShellWord(dir),
	}
}

// mountElsewhere has the background process mount and waits for the end of the
// mount or of the context, with which it is taken away.
func (a *app) mountElsewhere(ctx context.Context, dir string) error {
	if err := a.mount(ctx, dir, false); err != nil {
		return interrupted(ctx, dir, err)
	}
	c, err := a.Process().Dial(ctx)
	if err == nil {
		defer c.Close()
		err = c.Stay(ctx, mounts.OpWait.Name, mounts.ViewQuery{Dir: dir}, func() {})
	}
	if ctx.Err() != nil {
		return a.unmount(context.WithoutCancel(ctx), []string{dir}, false, false)
	}
	return err
}

func (a *app) daemonCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "daemon",
		Short:  "the background process (started by mount)",
		Hidden: true,
		Args:   cli.Args(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return daemon.Run(cmd.Context(), daemon.Options{Places: a.Places, LookupEnv: a.LookupEnv, Log: a.Err})
		},
	}
}
