// Package setup has the commands that make other programs use ctxfs: setup, which
// changes their files and can undo exactly that, uninstall, which undoes everything, and
// completion, which prints a script for a shell.
//
// setup.go is the command, run.go what it does, show.go what it prints and asks; shell.go and
// service.go are the two targets that are no agents, uninstall.go is the command of that name,
// completion.go with the folder completion the scripts.
package setup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/cmd/ctxfs/console"
	"ctxfs/mounts/control"
	"ctxfs/providers"
	"ctxfs/providers/setup"
	"ctxfs/providers/setup/agents"
	"ctxfs/providers/terminals/shells"
)

// Commands returns the commands setup, uninstall and completion.
func Commands(a *cli.App) []*cobra.Command {
	return []*cobra.Command{newSetup(a), newUninstall(a), newCompletion(a)}
}

// options are the flags of setup.
type options struct {
	project, undo, dryRun, yes, asJSON, check bool
	shell                                     string
}

func newSetup(a *cli.App) *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "setup [AGENT...]",
		Short: "make agents and other programs use ctxfs",
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			var names []string
			for _, name := range append(names, targetNames(a)...) {
				if word, _, _ := strings.Cut(name, "\t"); !slices.Contains(args, word) {
					names = append(names, name)
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.check {
				if !opensShells(cmd.Root()) || recordable(a) != nil {
					return cli.Exit(console.ExitFailed, nil) // the line discards messages
				}
				return nil
			}
			r, err := newRun(a, cmd, o, args)
			if err != nil {
				return err
			}
			return r.run(cmd.Context())
		},
	}
	cmd.Flags().BoolVar(&o.project, "project", false, "change the project's files, not your own")
	cmd.Flags().BoolVar(&o.undo, "undo", false, "undo what setup did; without AGENT for all")
	cmd.Flags().BoolVarP(&o.dryRun, "dry-run", "n", false, "show the changes, and write nothing")
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	cmd.Flags().BoolVar(&o.asJSON, "json", false, "print what was done as JSON; do not ask")
	cmd.Flags().StringVar(&o.shell, "shell", "", "which shell (default: that of $SHELL)")
	cmd.Flags().BoolVar(&o.check, "check", false, "")
	_ = cmd.Flags().MarkHidden("check") // asked by the line in a shell's file
	cmd.MarkFlagsMutuallyExclusive("dry-run", "yes")
	a.CompleteFlag(cmd, "shell", cobra.FixedCompletions(shells.Names(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// targetNames returns the names of all targets, described for completion.
func targetNames(a *cli.App) []string {
	var names []string
	for _, t := range agents.All() {
		names = append(names, cobra.CompletionWithDesc(t.ID, t.Title))
	}
	return append(names, cobra.CompletionWithDesc("shell", "record new terminals"), cobra.CompletionWithDesc("service", "mount at login"))
}

// run is one execution of setup.
type run struct {
	options
	app  *cli.App
	home setup.Home
	// ids are the targets that were named, or all that are installed; named says which.
	ids   []string
	named bool
	opts  agents.Options
	found []setup.Found
}

// newRun finds the targets that are meant.
func newRun(a *cli.App, cmd *cobra.Command, o options, args []string) (*run, error) {
	r := &run{options: o, app: a, named: len(args) > 0}
	home, err := newHome(a)
	if err != nil {
		return nil, err
	}
	r.home = home
	if o.project {
		if r.opts.Project, err = projectFolder(a); err != nil {
			return nil, err
		}
	}
	for _, name := range args {
		switch {
		case name == "shell" && o.undo && o.shell == "":
			r.ids = append(r.ids, name) // whichever was set up
		case name == "shell":
			t, err := shellTarget(a, cmd, home.Program, o.shell)
			if err != nil {
				return nil, err
			}
			r.home.Targets = append(r.home.Targets, t)
			r.ids = append(r.ids, t.ID)
		case slices.ContainsFunc(home.Targets, func(t agents.Agent) bool { return t.ID == name }):
			r.ids = append(r.ids, name)
		default:
			return nil, unknownTarget(name, home.Targets)
		}
	}
	if o.shell != "" && !slices.Contains(args, "shell") {
		return nil, cli.Usage(cmd, errors.New("--shell is for the target shell: ctxfs setup shell --shell "+o.shell))
	}
	if r.found, err = r.home.Find(); err != nil {
		return nil, err
	}
	if o.undo {
		return r, nil
	}
	for _, f := range r.found {
		if f.Where == "" && f.ID != "service" && slices.Contains(r.ids, f.ID) {
			a.Notef("%s is not installed as far as can be seen; its files are written all the same", f.Title)
		}
	}
	if !r.named {
		for _, f := range r.found {
			if f.Where != "" && f.ID != "service" {
				r.ids = append(r.ids, f.ID)
			}
		}
	}
	return r, nil
}

func unknownTarget(name string, targets []agents.Agent) error {
	names := []string{"shell"}
	for _, t := range targets {
		names = append(names, t.ID)
	}
	hint := "there are: " + strings.Join(names, ", ")
	var meant []string
	for word := range strings.SplitSeq(name, ",") { // several are separated by blanks
		if slices.Contains(names, word) {
			meant = append(meant, word)
			continue
		}
		if i := slices.IndexFunc(names, func(n string) bool { return strings.HasPrefix(n, word+"-") || strings.HasPrefix(word, n+"-") }); i >= 0 && word != "" {
			meant = append(meant, names[i]) // as "claude", or "gemini-cli"
		} else if nearest := providers.Nearest(word, names); nearest != "" {
			meant = append(meant, nearest)
		}
	}
	if len(meant) > 0 {
		hint = "did you mean: ctxfs setup " + strings.Join(meant, " ")
	}
	return cli.Exit(console.ExitUsage, &control.Fault{Message: fmt.Sprintf("ctxfs cannot set up %q", name), Hint: hint})
}

// newHome returns what is set up: the user, this program, and all targets but the shell.
func newHome(a *cli.App) (setup.Home, error) {
	if a.PlacesErr != nil {
		return setup.Home{}, a.PlacesErr
	}
	path, _ := a.LookupEnv("PATH")
	program := a.ProgramIn(path)
	m := agents.Machine{Home: a.Home, OS: runtime.GOOS, LookupEnv: a.LookupEnv, Program: program, Mount: a.DefaultMount()}
	return setup.Home{
		Machine: m, Journal: filepath.Join(a.State, "setup.json"),
		Targets: append(agents.All(), serviceTarget(a, program)),
	}, nil
}

// projectFolder returns the folder of the project that the current folder is in: the one
// with its repository, else the current folder itself.
func projectFolder(a *cli.App) (string, error) {
	here, err := a.Getwd()
	if err != nil {
		return "", err
	}
	project := here
	for dir := here; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
			project = dir
			break
		}
	}
	if control.Same(project, a.Home) {
		return "", &control.Fault{Message: "the current folder is your home folder, not a project", Hint: "go to the project, or leave --project out"}
	}
	return project, nil
}
