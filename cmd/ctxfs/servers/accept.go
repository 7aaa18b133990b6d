package servers

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/cmd/ctxfs/usertree"
	"ctxfs/fs/wording"
	"ctxfs/providers/mcp"
)

func newAccept(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:               "accept SERVER [TOOL...]",
		Short:             "accept changed tool definitions of an MCP server",
		Args:              cli.Args(-1, "which server?"),
		ValidArgsFunction: completeChanged(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			return accept(cmd.Context(), a, args[0], args[1:])
		},
	}
}

func accept(ctx context.Context, a *cli.App, server string, tools []string) error {
	accepted, err := cli.Ask(ctx, a, mcp.OpAccept, mcp.AcceptQuery{Server: server, Tools: tools})
	if err != nil {
		return err
	}
	if len(accepted.Tools) == 0 {
		a.Sayf("nothing to accept: no tool of %s has changed since it was pinned", accepted.Server)
		return nil
	}
	for _, t := range accepted.Tools {
		a.Sayf("accepted %s/%s as it is since %s", accepted.Server, t.Tool, wording.Time(t.Since))
	}
	return nil
}

// completeChanged completes the name of a server, then the names of its tools that
// have changed.
func completeChanged(a *cli.App) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
		if len(args) == 0 {
			return completeServers(cmd.Context(), a), cobra.ShellCompDirectiveNoFileComp
		}
		entries, _ := cli.Ask(cmd.Context(), a, usertree.OpList, usertree.PathQuery{Path: "mcps/" + args[0] + "/tools"}) // no server, no names
		for _, e := range entries {
			if tool, ok := strings.CutSuffix(e.Name, ".diff"); ok && !slices.Contains(args[1:], tool) {
				names = append(names, tool)
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}
