package exec

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/fs/wording"
	"ctxfs/mounts/control"
	provider "ctxfs/providers/exec"
)

func newLs(a *cli.App) *cobra.Command {
	return cli.WithJSON(&cobra.Command{
		Use:               "ls [FOLDER]",
		Short:             "show the folders that commands fill, and their paths",
		Args:              cli.Args(1),
		ValidArgsFunction: completeFolder(a),
	}, func(cmd *cobra.Command, args []string, asJSON bool) error {
		all, err := folders(cmd.Context(), a)
		if err != nil {
			return err
		}
		if len(args) > 0 {
			all = slices.DeleteFunc(all, func(f provider.Folder) bool { return f.Name != args[0] })
			if len(all) == 0 {
				return &control.Fault{Message: fmt.Sprintf("no folder of commands is called %q", args[0]), Hint: "list all: ctxfs exec ls"}
			}
		}
		if asJSON {
			return a.PrintJSON(all)
		}
		if len(all) == 0 {
			a.Sayf("no command is configured as a folder; see how: ctxfs exec --help")
		}
		for i, f := range all {
			if i > 0 {
				a.Sayf("")
			}
			show(a, f)
		}
		return nil
	})
}

// show prints a folder.
func show(a *cli.App, f provider.Folder) {
	state := wording.Count(f.Files, "files")
	if f.Running > 0 {
		state += ", " + wording.Count(f.Running, "commands") + " running"
	}
	if f.Waiting > 0 {
		state += fmt.Sprintf(", %d waiting", f.Waiting)
	}
	if f.Refreshed.IsZero() {
		state += ", never refreshed"
	} else {
		state += ", refreshed " + wording.Time(f.Refreshed)
	}
	a.Sayf("exec/%s: %s", f.Name, state)
	table := a.Table()
	for _, p := range f.Paths {
		fmt.Fprintf(table, "  %s\t%s\n", p.Path, p.Command)
	}
	table.Flush()
	for _, failed := range f.Failed {
		a.Sayf("  ! %s: %s", failed.Path, failed.Error)
	}
}
