package sessions

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/workspaces"
)

const workspacesFolder = "workspaces"

func newHere(a *cli.App) *cobra.Command {
	var page bool
	cmd := cli.WithJSON(&cobra.Command{
		Use:               "here [DIR]",
		Short:             "print the folder with what is known about the place where you stand",
		Args:              cli.Args(1),
		ValidArgsFunction: cli.CompleteDirs,
	}, func(cmd *cobra.Command, args []string, asJSON bool) error {
		at, err := a.Standpoint(strings.Join(args, ""))
		if err != nil {
			return err
		}
		return printHere(cmd.Context(), a, at, page, asJSON)
	})
	cmd.Flags().BoolVar(&page, "page", false, "print HERE.md instead")
	cmd.MarkFlagsMutuallyExclusive("page", "json")
	return cmd
}

// hereEntry is a workspace for scripts.
type hereEntry struct {
	Name string `json:"name"`
	Dir  string `json:"dir"`
	// Path is its folder: in the mount, or without one in the tree.
	Path    string `json:"path"`
	Mounted bool   `json:"mounted"`
	Page    string `json:"page"`
}

func printHere(ctx context.Context, a *cli.App, at fs.Standpoint, page, asJSON bool) error {
	found, err := cli.Ask(ctx, a, workspaces.OpHere, workspaces.HereQuery{At: at})
	if err != nil {
		return err
	}
	if page {
		a.Sayf("%s", strings.TrimSuffix(found.Page, "\n"))
		return nil
	}
	shown, err := currentViews(ctx, a)
	if err != nil {
		return err
	}
	e := hereEntry{Name: found.Name, Dir: found.Dir, Page: found.Page}
	e.Path, e.Mounted = shown.dir(workspacesFolder + "/" + found.Path)
	if asJSON {
		return a.PrintJSON(e)
	}
	a.Sayf("%s", e.Path)
	if !e.Mounted {
		a.Notef("not mounted; read it: ctxfs cat %s", wording.ShellWord(e.Path+"/HERE.md"))
	}
	return nil
}
