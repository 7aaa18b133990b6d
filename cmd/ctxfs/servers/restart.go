package servers

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/mounts/control"
	"ctxfs/providers/mcp"
)

func newRestart(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:               "restart [SERVER]",
		Short:             "start an MCP server again, or all of them",
		Args:              cli.Args(1),
		ValidArgsFunction: completeServer(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			return restart(cmd.Context(), a, strings.Join(args, ""))
		},
	}
}

func restart(ctx context.Context, a *cli.App, name string) error {
	a.KeepEnviron()
	_, err := mcp.OpRestart.Ask(ctx, a.OnlyRunning(), mcp.RestartQuery{Name: name})
	if errors.Is(err, control.ErrNotRunning) || errors.Is(err, control.ErrGone) {
		return &control.Fault{Message: "ctxfs is not running, and so no server is", Hint: "start it: ctxfs mount"}
	}
	if err != nil {
		return err
	}
	if name == "" {
		if len(completeServers(ctx, a)) == 0 {
			return errNoServer()
		}
		name = "every server"
	}
	a.Sayf("restarting %s; see how it goes: ctxfs status", name)
	return nil
}
