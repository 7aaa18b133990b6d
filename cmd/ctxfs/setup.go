package main

import "github.com/spf13/cobra"

func (a *app) setupCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "setup",
		Short: "make other programs use ctxfs",
		Long: `Setup writes what makes other programs use ctxfs into their files, shows what it
wrote, and takes exactly that out again.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.setupShellCommand())
	return cmd
}
