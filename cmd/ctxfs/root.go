package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"ctxfs/cmd/ctxfs/call"
	"ctxfs/mounts/control"

	"github.com/spf13/cobra"
)

// version is the program's own.
const version = "0.1.0"

// Exit codes, as the help documents them.
const (
	exitOK         = 0
	exitFailed     = 1
	exitUsage      = 2
	exitNotRunning = 3
	exitProblems   = 4
)

const exitCodes = `0  it worked
1  it failed; the message says why
2  the command line was wrong
3  status: ctxfs is not running
4  doctor: something needs mending; sync: some files were left as they are;
   stale: files have changed`

type stdio struct {
	in       io.Reader
	out, err io.Writer
}

// coded is an error with an exit code. An empty message prints nothing.
type coded struct {
	code int
	err  error
}

func (e *coded) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}
func (e *coded) Unwrap() error { return e.err }

// run is the whole program.
func run(ctx context.Context, args []string, io stdio) int {
	a, fault := newApp(os.LookupEnv)
	a.stdio = io
	root := a.rootCommand()
	root.SetArgs(args)
	root.SetIn(io.in)
	root.SetOut(io.out)
	root.SetErr(io.err)
	// Help is there even where nothing else is.
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		if cmd.Annotations[needsNoPlaces] != "" {
			return nil
		}
		return fault
	}
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	code := exitFailed
	if c := (*coded)(nil); errors.As(err, &c) {
		if code = c.code; c.err == nil {
			return code
		}
	}
	call.Complain(io.err, err)
	return code
}

// needsNoPlaces marks a command that does what it is for without any folders of
// ours.
const needsNoPlaces = "needs no places"

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
` + indent(exitCodes),
		Version:       version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetVersionTemplate("ctxfs {{.Version}}\n")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usage(cmd, err)
	})
	root.AddCommand(
		a.mountCommand(), a.unmountCommand(), a.statusCommand(), a.doctorCommand(), a.syncCommand(),
		a.lsCommand(), a.catCommand(), a.findCommand(), a.historyCommand(), a.staleCommand(), a.toolsCommand(), a.callCommand(), a.readCommand(), a.promptGetCommand(), a.promptCommand(),
		a.serveCommand(), a.restartCommand(), a.configCommand(), a.trustCommand(), a.acceptCommand(), a.authCommand(), a.setupCommand(), a.completionCommand(), a.daemonCommand(),
		a.termCommand(), a.psCommand(), a.attachCommand(), a.runCommand(), a.holderCommand(),
	)
	for _, cmd := range root.Commands() {
		if check := cmd.Args; check != nil {
			cmd.Args = func(cmd *cobra.Command, args []string) error {
				if err := check(cmd, args); err != nil {
					return usage(cmd, err)
				}
				return nil
			}
		}
	}
	root.SuggestionsMinimumDistance = 2
	check := root.Args
	root.Args = func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			hint := "see what there is: ctxfs --help"
			if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
				hint = "did you mean: ctxfs " + near[0]
			}
			return &coded{exitUsage, &control.Fault{Message: fmt.Sprintf("unknown command %q", args[0]), Hint: hint}}
		}
		return nil
	}
	return root
}

// usage marks an error as one of the command line.
func usage(cmd *cobra.Command, err error) error {
	return &coded{exitUsage, &control.Fault{Message: err.Error(), Hint: "see how it is used: " + cmd.CommandPath() + " --help"}}
}

func indent(s string) string {
	return "  " + strings.ReplaceAll(s, "\n", "\n  ")
}
