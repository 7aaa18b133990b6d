package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"ctxfs/cmd/ctxfs/call"
	"ctxfs/cmd/ctxfs/places"
	"ctxfs/mounts/control"
	"ctxfs/providers"

	"github.com/spf13/cobra"
)

// version is the program's own.
const version = places.Version

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
	if len(args) == 0 || !strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) { // a prompt has no room for notes
		a.Note = places.Notes(io.err)
	}
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
	err := misspelt(root, args)
	if err == nil {
		err = root.ExecuteContext(ctx)
	}
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
	root.SetHelpCommand(a.helpCommand())
	root.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return unknown("command", cmd, args[0])
		}
		return nil
	}
	return root
}

// unknown is the fault of a name that none of a command's commands has.
func unknown(what string, cmd *cobra.Command, name string) error {
	var known []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			known = append(known, c.Name())
		}
	}
	hint := "see what there is: " + cmd.CommandPath() + " --help"
	if near := providers.Nearest(name, known); near != "" {
		hint = "did you mean: " + cmd.CommandPath() + " " + near
		if what == "help topic" {
			hint = "did you mean: ctxfs help " + strings.TrimPrefix(cmd.CommandPath()+" "+near, "ctxfs ")
		}
	}
	return &coded{exitUsage, &control.Fault{Message: fmt.Sprintf("unknown %s %q", what, name), Hint: hint}}
}

func (a *app) helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "explain a command",
		Long:  "Help explains a command, as its flag --help does.",
		ValidArgsFunction: func(cmd *cobra.Command, args []string, start string) (names []string, _ cobra.ShellCompDirective) {
			of, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			for _, c := range of.Commands() {
				if c.IsAvailableCommand() && strings.HasPrefix(c.Name(), start) {
					names = append(names, cobra.CompletionWithDesc(c.Name(), c.Short))
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			of := cmd.Root()
			for _, name := range args {
				next, rest, err := of.Find([]string{name})
				if err != nil || len(rest) > 0 || next == of {
					return unknown("help topic", of, name)
				}
				of = next
			}
			of.InitDefaultHelpFlag()
			return of.Help()
		},
	}
}

// misspelt fails where the first word names no command, whatever follows it:
// with --help, too.
func misspelt(root *cobra.Command, args []string) error {
	if len(args) == 0 || args[0] == "" || strings.HasPrefix(args[0], "-") || strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		return nil
	}
	root.InitDefaultHelpCmd()
	if cmd, _, err := root.Find(args[:1]); err != nil || cmd == root {
		return unknown("command", root, args[0])
	}
	return nil
}

// usage marks an error as one of the command line.
func usage(cmd *cobra.Command, err error) error {
	return &coded{exitUsage, &control.Fault{Message: err.Error(), Hint: "see how it is used: " + cmd.CommandPath() + " --help"}}
}

func indent(s string) string {
	return "  " + strings.ReplaceAll(s, "\n", "\n  ")
}
