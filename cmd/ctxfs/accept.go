package main

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/fs/wording"
	"ctxfs/mounts/control"
	"ctxfs/providers/mcp"
)

func (a *app) acceptCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "accept SERVER [TOOL...]",
		Short: "accept that an MCP server has changed its tools",
		Long: `Accept pins the definitions of a server's tools as they are shown now. Ctxfs
pins each definition when it first sees it. When a server shows another one
later, the difference is in mcps/SERVER/tools/TOOL.diff, and STATUS.md and
ctxfs doctor tell of it, until it is accepted or the server takes it back. The
tool can be called all the while.

Without TOOL it accepts all that has changed. It takes effect at once.`,
		Example: `  cat ~/.agentctx/mcps/github/tools/*.diff    what has changed
  ctxfs accept github create_issue            accept one tool
  ctxfs accept github                         accept all`,
		Args:              cli.Args(-1, "which server?"),
		ValidArgsFunction: a.completeChanged,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.accept(cmd.Context(), args[0], args[1:])
		},
	}
}

type acceptArgs struct {
	Server string   `json:"server"`
	Tools  []string `json:"tools"`
}

func (w *world) acceptHandler(_ context.Context, c *control.Conn) error {
	var args acceptArgs
	if err := c.Args(&args); err != nil {
		return err
	}
	accepted, err := w.accept(args)
	if err != nil {
		return err
	}
	return c.Reply(accepted)
}

func (w *world) accept(args acceptArgs) (mcp.Accepted, error) {
	accepted, err := w.providers.Accept(args.Server, args.Tools...)
	if use := (*mcp.UseError)(nil); errors.As(err, &use) {
		err = &control.Fault{Message: err.Error(), Hint: use.Mend}
	}
	return accepted, err
}

func (a *app) accept(ctx context.Context, server string, tools []string) error {
	args := acceptArgs{server, tools}
	var accepted mcp.Accepted
	err := a.either(ctx, "accept", args, &accepted, func(w *world) (err error) {
		accepted, err = w.accept(args)
		return err
	})
	if err != nil {
		return err
	}
	if len(accepted.Tools) == 0 {
		a.Sayf("nothing to accept: the tools of %s are as they were pinned", accepted.Server)
		return nil
	}
	for _, t := range accepted.Tools {
		a.Sayf("accepted %s/%s as it is since %s", accepted.Server, t.Tool, wording.Time(t.Since))
	}
	return nil
}

// completeChanged completes the name of a server, then those of its tools that
// have changed.
func (a *app) completeChanged(cmd *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
	if len(args) == 0 {
		return a.completeServers(cmd.Context()), cobra.ShellCompDirectiveNoFileComp
	}
	src, err := a.source(cmd.Context())
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer src.close()
	entries, _ := src.list(cmd.Context(), "mcps/"+args[0]+"/tools") // no server, no names
	for _, e := range entries {
		if tool, ok := strings.CutSuffix(e.Name, ".diff"); ok && !slices.Contains(args[1:], tool) {
			names = append(names, tool)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
