package main

import (
	"context"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/cmd/ctxfs/console"
	"ctxfs/cmd/ctxfs/places"
	"ctxfs/cmd/ctxfs/setup"
	"ctxfs/cmd/ctxfs/terminal"
)

const exitCodes = `0  it worked
1  it failed; the message says why
2  the command line was wrong
3  status: ctxfs is not running
4  doctor: something needs mending; sync: some files were left as they are;
   stale: files have changed`

// run is the whole program. It returns the exit code.
func run(ctx context.Context, args []string, streams console.Streams) int {
	a := &app{cli.New(streams, os.LookupEnv)}
	if len(args) == 0 || !strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) { // a prompt has no room for notes
		a.Note = console.Notes(streams.Err)
	}
	root := a.rootCommand()
	root.SetArgs(args)
	root.SetIn(streams.In)
	root.SetOut(streams.Out)
	root.SetErr(streams.Err)
	// Help is there even where nothing else is.
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		if cmd.Annotations[cli.NeedsNoPlaces] != "" {
			return nil
		}
		return a.PlacesErr
	}
	err := misspelt(root, args)
	if err == nil {
		err = root.ExecuteContext(ctx)
	}
	code, printed := cli.ExitCode(err)
	if printed {
		console.Complain(streams.Err, err)
	}
	return code
}

func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "ctxfs",
		Short: "everything a coding agent may need, as one folder of files",
		Long: `ctxfs mounts a folder in which any coding agent finds its context with ls, rg
and jq: the tools of its MCP servers, its skills, terminals, past sessions and long
results. Reading it costs nothing and changes nothing.

  ctxfs mount                      show it at ~/.agentctx
  ls ~/.agentctx/mcps              one folder per MCP server
  rg -il issue ~/.agentctx/mcps    find a tool
  ctxfs unmount                    take it away

Exit codes:
` + cli.Indent(exitCodes),
		Version:       places.Version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetVersionTemplate("ctxfs {{.Version}}\n")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return cli.Usage(cmd, err)
	})
	root.AddCommand(
		a.mountCommand(), a.unmountCommand(), a.statusCommand(), a.doctorCommand(), a.syncCommand(),
		a.lsCommand(), a.catCommand(), a.findCommand(), a.historyCommand(), a.staleCommand(), a.toolsCommand(), a.callCommand(), a.readCommand(), a.promptGetCommand(), a.promptCommand(),
		a.serveCommand(), a.restartCommand(), a.configCommand(), a.trustCommand(), a.acceptCommand(), a.authCommand(), a.daemonCommand(),
	)
	root.AddCommand(setup.Commands(a.App)...)
	root.AddCommand(terminal.Commands(a.App)...)
	for _, cmd := range root.Commands() {
		if check := cmd.Args; check != nil {
			cmd.Args = func(cmd *cobra.Command, args []string) error {
				if err := check(cmd, args); err != nil {
					return cli.Usage(cmd, err)
				}
				return nil
			}
		}
	}
	root.SetHelpCommand(a.helpCommand())
	root.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return unknown("command", cmd, args[0])
		}
		return nil
	}
	return root
}
