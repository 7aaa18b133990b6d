package tree

import (
	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/cmd/ctxfs/console"
	"ctxfs/cmd/ctxfs/usertree"
)

func newCat(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:               "cat PATH...",
		Short:             "print files of the tree, without a mount",
		Args:              cli.Args(-1, "which file of the tree?"),
		ValidArgsFunction: completePaths(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			asker := a.Fallback()
			defer asker.Close()
			return eachPath(a, args, func(p string) error {
				_, err := usertree.OpRead.Ask(cmd.Context(), asker, usertree.PathQuery{Path: p}, nil, a.Out)
				return err
			})
		},
	}
}

// eachPath does something with each path of the tree that a user names, and returns the
// last error, before which it prints the others.
func eachPath(a *cli.App, args []string, do func(p string) error) (failed error) {
	for _, arg := range args {
		p, err := a.TreePath(arg)
		if err == nil {
			err = do(p)
		}
		if err != nil {
			if failed != nil {
				console.Complain(a.Err, failed)
			}
			failed = err
		}
	}
	return failed
}
