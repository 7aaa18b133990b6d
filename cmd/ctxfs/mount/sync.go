package mount

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/cmd/ctxfs/console"
	"ctxfs/cmd/ctxfs/places"
	"ctxfs/fs"
	"ctxfs/mounts"
	"ctxfs/mounts/control"
)

func newSync(a *cli.App) *cobra.Command {
	var once, asJSON bool
	cmd := &cobra.Command{
		Use:               "sync DIR",
		Short:             "write the tree to a plain folder, for machines without FUSE",
		Args:              cli.Args(1, "into which folder?"),
		ValidArgsFunction: cli.CompleteDirs,
		RunE: func(cmd *cobra.Command, args []string) error {
			dir, err := a.DirArg(args)
			if err != nil {
				return err
			}
			report := &passPrinter{app: a, dir: dir, json: asJSON}
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			if once {
				err = syncOnce(ctx, a, dir, report)
			} else {
				report.follows = true
				err = syncFollow(ctx, a, dir, report)
			}
			switch {
			case errors.Is(err, context.Canceled) && !once:
				return nil // stopped by the user: what is written stays
			case errors.Is(err, context.Canceled):
				return &control.Fault{Message: "stopped before the pass was complete", Hint: "to continue, give the same command again"}
			case err == nil && report.conflicts > 0:
				return cli.Exit(console.ExitProblems, nil)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&once, "once", false, "make one pass, then end")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print each pass as a line of JSON")
	return cmd
}

// passPrinter prints what each pass of a sync did.
type passPrinter struct {
	app       *cli.App
	dir       string
	json      bool
	follows   bool
	passes    int
	conflicts int
}

func (r *passPrinter) report(p mounts.Report) {
	r.passes++
	r.conflicts = len(p.Conflicts)
	if r.json {
		_ = json.NewEncoder(r.app.Out).Encode(p)
		return
	}
	for _, c := range p.Conflicts {
		r.app.Notef("%s", c)
	}
	for _, e := range p.Errors {
		r.app.Notef("%s", e)
	}
	if r.passes == 1 || p.Written+p.Removed > 0 {
		r.app.Sayf("%s: %d written, %d removed, %d unchanged", r.app.Tilde(r.dir), p.Written, p.Removed, p.Unchanged)
	}
	if r.passes == 1 && r.follows {
		r.app.Notef("keeping it current; end with Ctrl-C")
	}
}

func syncOnce(ctx context.Context, a *cli.App, dir string, r *passPrinter) error {
	err := syncCall(ctx, a.OnlyRunning(), dir, true, r)
	ending := errors.Is(err, control.ErrGone) && r.passes == 0 // which counts as none
	if !ending && !errors.Is(err, control.ErrNotRunning) {
		return err
	}
	tree := a.Offline()
	defer tree.Close()
	p, err := mounts.SyncOnce(ctx, tree.Tree, dir, tree.Providers().Roots())
	if err == nil {
		r.report(p)
	}
	return err
}

// syncFollow has the background process keep the folder current until this process
// ends.
func syncFollow(ctx context.Context, a *cli.App, dir string, r *passPrinter) error {
	return places.UntilServed(func() error {
		c, err := a.Start(ctx)
		if err != nil {
			return err
		}
		defer c.Close()
		err = syncCall(ctx, c, dir, false, r)
		if errors.Is(err, control.ErrGone) && r.passes > 0 && !servedByNext(ctx, a) {
			return fmt.Errorf("what is written stays as it is: %v", err)
		}
		return err
	})
}

func syncCall(ctx context.Context, c fs.Asker, dir string, once bool, r *passPrinter) error {
	_, err := mounts.OpSync.Ask(ctx, c, mounts.ViewQuery{Dir: filepath.Clean(dir), Once: once}, r.report, nil)
	return err
}
