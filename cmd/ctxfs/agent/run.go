package agent

import (
	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/agentrun"
	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/providers/executor/programs"
)

func newRun(a *cli.App) *cobra.Command {
	var f agentrun.Flags
	cmd := &cobra.Command{
		Use:   "run [flags] -- PROMPT",
		Short: "start an agent with one task",
		Long:  cli.Indent(agentrun.ExitCodes),
		Args:  cli.Args(-1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return agentrun.Run(cmd.Context(), a.Streams, a.Places, &f, args)
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	f.Add(cmd.Flags())
	a.CompleteFlag(cmd, "agent", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		settings, _ := programs.ReadSettings(a.Config)
		return programs.Available(settings), cobra.ShellCompDirectiveNoFileComp
	})
	a.CompleteFlag(cmd, "repo", cli.CompleteDirs)
	a.CompleteFlag(cmd, "timeout", cobra.NoFileCompletions)
	return cmd
}
