// Package servers has the commands for MCP servers. Four use a server: tools lists its
// tools, call calls one, read and prompt-get get a resource or a prompt. Five manage
// it: config shows where it is configured, trust allows the servers of a project,
// accept pins changed definitions, auth logs in, restart starts it again.
//
// Each file is one command; complete.go completes the names of servers, tools and
// their arguments. What a call does before the libraries of this package are
// initialised is in [ctxfs/cmd/ctxfs/call].
package servers

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/cmd/ctxfs/usertree"
	"ctxfs/mounts/control"
	"ctxfs/providers/mcp"
)

// Commands returns the commands for MCP servers.
func Commands(a *cli.App) []*cobra.Command {
	return []*cobra.Command{newTools(a), newCall(a), newAnswer(a), newTasks(a), newRead(a), newPromptGet(a), newRestart(a), newConfig(a), newTrust(a), newAccept(a), newAuth(a)}
}

func newTools(a *cli.App) *cobra.Command {
	return cli.WithJSON(&cobra.Command{
		Use:               "tools [SERVER]",
		Short:             "list the tools of the MCP servers",
		Args:              cli.Args(1),
		ValidArgsFunction: completeServer(a),
	}, func(cmd *cobra.Command, args []string, asJSON bool) error {
		return tools(cmd.Context(), a, strings.Join(args, ""), asJSON)
	})
}

func tools(ctx context.Context, a *cli.App, server string, asJSON bool) error {
	boxes, err := cli.Ask(ctx, a, mcp.OpTools, mcp.ToolQuery{Server: server})
	switch {
	case err != nil:
		return err
	case asJSON:
		return a.PrintJSON(boxes)
	case len(boxes) == 0:
		return errNoServer()
	}
	table := a.Table()
	for _, box := range boxes {
		for _, t := range box.Tools {
			fmt.Fprintf(table, "%s/%s\t%s\n", box.Server, t.File, t.Summary)
		}
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, box := range boxes {
		if box.What == "" && len(box.Tools) > 0 || box.State == "starting" && len(box.Tools) > 0 {
			continue
		}
		line := box.Server + " is " + box.State
		if box.What != "" {
			line += ": " + box.What
		}
		if box.Mend != "" {
			line += "; " + box.Mend
		}
		a.Notef("%s", line)
	}
	if what := usertree.NoTool(boxes); server == "" && what != "" {
		return &control.Fault{Message: what, Hint: "start them: ctxfs mount; what is wrong with them: ctxfs doctor"}
	}
	return nil
}

// errNoServer is the error of a command that applies to all servers if no server is
// configured.
func errNoServer() error {
	return &control.Fault{Message: "no MCP server is configured", Hint: "see where ctxfs looks: ctxfs cat mcps/INDEX.md"}
}
