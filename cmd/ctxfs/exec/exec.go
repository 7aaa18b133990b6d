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
		Long: `Exec is about the folder exec of the tree, whose files are filled by commands.
A few lines of config.toml map paths to commands:

  [exec.log]
  dir = "~/src/project"
  "commits/" = ["git", "log", "-n", "50", "--format=%h"]
  "commits/{hash}.patch" = ["git", "show", "{hash}"]
  "status.txt" = ["git", "status"]

Now exec/log/commits/1a2b3c4.patch is what git show 1a2b3c4 prints. A path that
ends in a slash has the command that lists the names in that folder, one a line.

What is listed is cached: reading it runs nothing. A name that is not listed
runs its command when the file is first read, once for all who wait for it; its
output is listed then, until it expires. Commands run without a shell, with few
variables of the environment, for a limited time, and leave nothing running.

Each placeholder has a pattern: {id}, {key}, {name}, {number}, {hash}, {date}
and {uuid} have one, others get theirs by placeholders. No value begins with
"-", and names that programs look for everywhere, such as .git or package.json,
are none. Of paths that fit a name alike the first one counts, after those
without placeholders.

Settings of a folder, with their defaults:

  dir = "~"            where its commands run
  timeout = "30s"      how long each may take
  max_size = "10 MB"   how much each may print
  at_once = 4          how many run at a time
  lifetime = "1h"      how long an output is served (at least twice every)
  most = 200           how many names of a listing a refresh fetches
  every = "10m"        refresh it by itself, at this interval (default: never)
  watch = [".git/HEAD"]          refresh it when one of these changes
  env = ["TOKEN", "LANG=C"]      variables to pass on, or to set
  placeholders = {pod = "[a-z0-9-]+"}

Check them with: ctxfs config validate`,
		Example: `  ctxfs exec ls
  ctxfs exec refresh log
  ctxfs cat exec/log/status.txt`,
		Args: cli.Args(0),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
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
	asker := a.Fallback()
	defer asker.Close()
	return provider.OpFolders.Ask(ctx, asker, fs.None{})
}
