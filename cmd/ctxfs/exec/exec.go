// Package exec has the commands about folders that commands fill: what is configured,
// and how it is refreshed. Each file is one command; exec.go is the one that has the others.
package exec

import (
	"context"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/fs"
	provider "ctxfs/providers/exec"
)

// Command returns the command exec, with its subcommands.
func Command(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "exec",
		Short: "any command as a folder: what is configured, and refreshing it",
		Args:  cli.Args(0),
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newLs(a), newRefresh(a))
	return cmd
}

// completeFolder completes the name of a folder of commands, with what it is.
func completeFolder(a *cli.App) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
		if len(args) == 0 {
			all, _ := folders(cmd.Context(), a) // a completion has no room for complaints
			for _, f := range all {
				names = append(names, cobra.CompletionWithDesc(f.Name, "commands in "+a.Tilde(f.Dir)))
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

// folders returns the folders that are configured.
func folders(ctx context.Context, a *cli.App) ([]provider.Folder, error) {
	return cli.Ask(ctx, a, provider.OpFolders, fs.None{})
}
