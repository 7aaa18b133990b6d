package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	agentruns "ctxfs/cmd/ctxfs/agent"
	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/cmd/ctxfs/console"
	"ctxfs/cmd/ctxfs/exec"
	"ctxfs/cmd/ctxfs/memories"
	"ctxfs/cmd/ctxfs/mount"
	"ctxfs/cmd/ctxfs/places"
	"ctxfs/cmd/ctxfs/serve"
	"ctxfs/cmd/ctxfs/servers"
	"ctxfs/cmd/ctxfs/sessions"
	"ctxfs/cmd/ctxfs/setup"
	"ctxfs/cmd/ctxfs/stats"
	"ctxfs/cmd/ctxfs/terminal"
	"ctxfs/cmd/ctxfs/tree"
)

// run is the whole program. It returns the exit code.
func run(ctx context.Context, a *cli.App, args []string) int {
	a.Main = run
	a.Completes = len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd)
	if !a.Completes { // a prompt has no room for notes
		a.Note = console.Notes(a.Err)
	}
	root := newRoot(a)
	root.SetArgs(args)
	root.SetIn(a.In)
	root.SetOut(a.Out)
	root.SetErr(a.Err)
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
	code, printed := console.ExitCode(err)
	if printed {
		console.Complain(a.Err, err)
	}
	return code
}

// newRoot returns the program's command and, below it, all others.
func newRoot(a *cli.App) *cobra.Command {
	root := &cobra.Command{
		Use:           "ctxfs",
		Short:         "everything a coding agent may need, as one folder of files",
		Version:       places.Version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cli.Args(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			shortHelp(cmd)
			return nil
		},
	}
	root.SetVersionTemplate("ctxfs {{.Version}}\n")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return cli.Usage(cmd, flagError(err)) })
	for _, family := range []struct {
		title    string
		commands []*cobra.Command
	}{
		{"Mount:", mount.Commands(a)},
		{"Tree:", append(tree.Commands(a), exec.Command(a))},
		{"MCP servers:", servers.Commands(a)},
		{"Terminals:", terminal.Commands(a)},
		{"Agents:", agentruns.Commands(a)},
		{"Work:", append(append(sessions.Commands(a), memories.Commands(a)...), stats.Command(a))},
		{"Programs:", append(setup.Commands(a), serve.Command(a))},
	} {
		root.AddGroup(&cobra.Group{ID: family.title, Title: family.title})
		for _, cmd := range family.commands {
			cmd.GroupID = family.title
			root.AddCommand(cmd)
		}
	}
	root.SetHelpCommand(helpCommand())
	explain(root)
	setHelp(root)
	checkFlagGroups(root)
	return root
}

// checkFlagGroups makes cmd and its subcommands report flags that exclude each
// other in the wording of ctxfs.
func checkFlagGroups(cmd *cobra.Command) {
	check := cmd.Args
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if cmd.ValidateFlagGroups() != nil {
			var given []string
			cmd.Flags().Visit(func(f *pflag.Flag) {
				if len(f.Annotations) > 0 { // it is in a group
					given = append(given, "--"+f.Name)
				}
			})
			return cli.Usage(cmd, fmt.Errorf("%s exclude each other", strings.Join(given, " and ")))
		}
		if check == nil {
			return nil
		}
		return check(cmd, args)
	}
	for _, c := range cmd.Commands() {
		checkFlagGroups(c)
	}
}

// flagError words what the parser of flags complains about.
func flagError(err error) error {
	var lacks *pflag.ValueRequiredError
	var bad *pflag.InvalidValueError
	switch {
	case errors.As(err, &lacks):
		return fmt.Errorf("--%s needs a value", lacks.GetFlag().Name)
	case errors.As(err, &bad):
		kind := "a value of the type " + bad.GetFlag().Value.Type()
		switch bad.GetFlag().Value.Type() {
		case "int":
			kind = "a number"
		case "bool":
			kind = "true or false"
		}
		return fmt.Errorf("--%s takes %s, not %q", bad.GetFlag().Name, kind, bad.GetValue())
	}
	return err
}
