package exec

import (
	"fmt"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/cmd/ctxfs/console"
	"ctxfs/fs/wording"
	provider "ctxfs/providers/exec"
)

func newRefresh(a *cli.App) *cobra.Command {
	return cli.WithJSON(&cobra.Command{
		Use:               "refresh [FOLDER]",
		Short:             "run the listings of a folder, and fetch what they name",
		Args:              cli.Args(1),
		ValidArgsFunction: completeFolder(a),
	}, func(cmd *cobra.Command, args []string, asJSON bool) error {
		var q provider.RefreshQuery
		if len(args) > 0 {
			q.Folder = args[0]
		}
		watched := console.IsTerminal(a.Err) && !asJSON
		tell := func(p provider.Progress) {
			if watched {
				fmt.Fprintf(a.Err, "\rexec/%s: %d of %d\x1b[K", p.Folder, p.Done, p.Of)
			}
		}
		asker := a.Fallback()
		defer asker.Close()
		all, err := provider.OpRefresh.Ask(cmd.Context(), asker, q, tell, nil)
		if watched {
			fmt.Fprint(a.Err, "\r\x1b[K")
		}
		if err != nil {
			return err
		}
		if asJSON {
			if err := a.PrintJSON(all); err != nil {
				return err
			}
		}
		code := 0
		for _, r := range all {
			if !asJSON {
				a.Sayf("exec/%s: %s, %s", r.Folder, wording.Count(r.Fetched, "files"), wording.Count(len(r.Failed), "failures"))
			}
			for _, left := range r.Left {
				if !asJSON {
					a.Notef("not fetched from %s", left)
				}
			}
			for _, f := range r.Failed {
				code = console.ExitTool
				if !asJSON {
					a.Notef("%s: %s", f.Path, f.Error)
				}
			}
		}
		return cli.Exit(code, nil)
	})
}
