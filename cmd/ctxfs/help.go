package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/cmd/ctxfs/console"
	"ctxfs/mounts/control"
	"ctxfs/providers"
)

// unknown is the fault of a name that none of a command's commands has.
func unknown(what string, cmd *cobra.Command, name string) error {
	var known []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			known = append(known, c.Name())
		}
	}
	hint := "see what there is: " + cmd.CommandPath() + " --help"
	if near := providers.Nearest(name, known); near != "" {
		hint = "did you mean: " + cmd.CommandPath() + " " + near
		if what == "help topic" {
			hint = "did you mean: ctxfs help " + strings.TrimPrefix(cmd.CommandPath()+" "+near, "ctxfs ")
		}
	}
	return cli.Exit(console.ExitUsage, &control.Fault{Message: fmt.Sprintf("unknown %s %q", what, name), Hint: hint})
}

func (a *app) helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "explain a command",
		Long:  "Help explains a command, as its flag --help does.",
		ValidArgsFunction: func(cmd *cobra.Command, args []string, start string) (names []string, _ cobra.ShellCompDirective) {
			of, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			for _, c := range of.Commands() {
				if c.IsAvailableCommand() && strings.HasPrefix(c.Name(), start) {
					names = append(names, cobra.CompletionWithDesc(c.Name(), c.Short))
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			of := cmd.Root()
			for _, name := range args {
				next, rest, err := of.Find([]string{name})
				if err != nil || len(rest) > 0 || next == of {
					return unknown("help topic", of, name)
				}
				of = next
			}
			of.InitDefaultHelpFlag()
			return of.Help()
		},
	}
}

// misspelt fails where the first word names no command, whatever follows it:
// with --help, too.
func misspelt(root *cobra.Command, args []string) error {
	if len(args) == 0 || args[0] == "" || strings.HasPrefix(args[0], "-") || strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		return nil
	}
	root.InitDefaultHelpCmd()
	if cmd, _, err := root.Find(args[:1]); err != nil || cmd == root {
		return unknown("command", root, args[0])
	}
	return nil
}
