package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/cmd/ctxfs/usertree"
	"ctxfs/fs"
	"ctxfs/mounts/control"
	"ctxfs/providers/mcp"
)

func (a *app) restartCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "restart [SERVER]",
		Short: "start an MCP server again, or all of them",
		Long: `Restart ends an MCP server, starts it again and lists its tools anew. Its
folder and its last known tools stay all the while.`,
		Args:              cli.Args(1),
		ValidArgsFunction: a.completeServer,
		RunE: func(cmd *cobra.Command, args []string) error {
			name := ""
			if len(args) > 0 {
				name = args[0]
			}
			return a.restart(cmd.Context(), name)
		},
	}
	return cmd
}

func (a *app) restart(ctx context.Context, name string) error {
	_, err := mcp.OpRestart.Ask(ctx, a.OnlyRunning(), mcp.RestartQuery{Name: name})
	if errors.Is(err, control.ErrNotRunning) || errors.Is(err, control.ErrGone) {
		return &control.Fault{Message: "ctxfs is not running, so no server is", Hint: "start it: ctxfs mount"}
	}
	if err != nil {
		return err
	}
	if name == "" {
		name = "every server"
	}
	a.Sayf("restarting %s; see how it goes: ctxfs status", name)
	return nil
}

// completeServer completes the one name of a server.
func (a *app) completeServer(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return a.completeServers(cmd.Context()), cobra.ShellCompDirectiveNoFileComp
}

func (a *app) completeServers(ctx context.Context) []string {
	asker := a.Fallback()
	defer asker.Close()
	statuses, err := usertree.OpProviders.Ask(ctx, asker, fs.None{})
	if err != nil {
		return nil
	}
	var names []string
	for _, p := range statuses {
		if p.Name == "mcps" {
			for _, item := range p.Items {
				names = append(names, item.Name)
			}
		}
	}
	return names
}
