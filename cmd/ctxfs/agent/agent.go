// Package agent has the commands that start coding agents and look after those that run:
// agent run starts one, the others show, await and end it. Each file is one command.
//
// The work is done by the packages of [ctxfs/providers/executor]; this package
// words outcomes. What agent run does is package agentrun, the process that runs an agent
// package agentrunner.
//
// In order: agent.go (the command that has the others), run.go (agent run, as help and the
// shell know it), jobs.go (runs as users name them), and a file for each of the other
// commands.
package agent

import (
	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
)

// Commands returns the command agent, with its subcommands.
func Commands(a *cli.App) []*cobra.Command {
	cmd := &cobra.Command{
		Use:   "agent",
		Short: "start coding agents, one task each",
		Args:  cli.Args(0),
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newRun(a), newPS(a), newAttach(a), newWait(a), newStop(a), newSend(a), newResult(a), newAdopt(a), newSchema(a))
	return []*cobra.Command{cmd}
}
