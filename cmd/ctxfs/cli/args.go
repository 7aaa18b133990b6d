package cli

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/console"
	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/mounts"
	"ctxfs/mounts/control"
	"ctxfs/providers"
)

// NeedsNoPlaces, as a key of a command's annotations, marks a command that works
// without ctxfs's folders.
const NeedsNoPlaces = "needs no places"

// DirArg is the folder that a command names as its first argument, else the
// default mount point.
func (a *App) DirArg(args []string) (string, error) {
	if len(args) == 0 {
		return a.DefaultMount(), nil
	}
	if args[0] == "" {
		return "", Exit(console.ExitUsage, errors.New("the name of the folder is empty"))
	}
	return a.Abs(args[0])
}

// TreePath is the path in the tree that a user names: "mcps/x", or a path of a
// mount.
func (a *App) TreePath(arg string) (string, error) {
	onDisk := filepath.IsAbs(arg)
	for _, start := range []string{".", "..", "~"} {
		onDisk = onDisk || arg == start || strings.HasPrefix(arg, start+"/")
	}
	if !onDisk {
		return CleanPath(arg), nil
	}
	abs, err := a.Abs(arg)
	if err != nil {
		return "", err
	}
	roots := []string{a.DefaultMount()}
	if points, err := mounts.Points(); err == nil {
		for _, p := range points {
			roots = append(roots, p.Dir)
		}
	}
	for _, root := range roots {
		if rel, err := filepath.Rel(root, abs); err == nil && filepath.IsLocal(rel) {
			return CleanPath(rel), nil
		}
	}
	return "", &control.Fault{
		Message: fmt.Sprintf("%s is not in a mount of ctxfs", arg),
		Hint:    "name a path in the tree, such as mcps or skills/agentctx; see what there is: ctxfs ls",
	}
}

// CleanPath is the shortest form of a path in the tree; "" is the root.
func CleanPath(p string) string { return strings.TrimPrefix(path.Clean("/"+p), "/") }

// CompleteFlag sets what completes the values of a flag. Only a command line that completes
// registers it: cobra never forgets a flag, and the background process runs many commands.
func (a *App) CompleteFlag(cmd *cobra.Command, flag string, complete cobra.CompletionFunc) {
	if a.Completes {
		_ = cmd.RegisterFlagCompletionFunc(flag, complete) // fails for a flag that is not there
	}
}

// CompleteDirs completes the names of folders on disk.
func CompleteDirs(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// Args returns the check of a command's arguments for its field Args. Each required
// argument has a question, such as "which server?", that asks for it where it is
// missing. A command takes up to most arguments in all, or any number if most is
// negative.
//
// The error for a missing argument shows the first of the command's examples that
// runs the command.
func Args(most int, questions ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < len(questions):
			hint := seeHelp(cmd)
			if example := firstExample(cmd); example != "" {
				hint = "for example: " + example + "\n" + hint
			}
			return Exit(console.ExitUsage, &control.Fault{Message: questions[len(args)], Hint: hint})
		case most < 0 || len(args) <= most:
			return nil
		case cmd.HasAvailableSubCommands():
			return Unknown("command", cmd, args[0])
		case most == 0:
			return Usage(cmd, fmt.Errorf("%s takes no arguments, so %q is one too many", commandName(cmd), args[0]))
		}
		return Usage(cmd, fmt.Errorf("%s takes at most %s, so %q is one too many", commandName(cmd), wording.Count(most, "arguments"), args[most]))
	}
}

// commandName returns the name of a command: its path without the program's name.
func commandName(cmd *cobra.Command) string {
	return strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
}

// firstExample returns the first of a command's examples that runs the command
// itself, without the remark after it.
func firstExample(cmd *cobra.Command) string {
	for line := range strings.Lines(cmd.Example) {
		line, _, _ = strings.Cut(strings.TrimSpace(line), "  ")
		if strings.HasPrefix(line, cmd.CommandPath()+" ") {
			return line
		}
	}
	return ""
}

// Unknown returns the error for a name that is not one of a command's subcommands.
// What is the kind of name: "command" or "help topic".
func Unknown(what string, cmd *cobra.Command, name string) error {
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	hint := "see what there is: " + cmd.CommandPath() + " --help"
	if nearest := providers.Nearest(name, names); nearest != "" {
		hint = "did you mean: " + cmd.CommandPath() + " " + nearest
		if what == "help topic" {
			hint = "did you mean: ctxfs help " + strings.TrimPrefix(cmd.CommandPath()+" "+nearest, "ctxfs ")
		}
	}
	return Exit(console.ExitUsage, &control.Fault{Message: fmt.Sprintf("unknown %s %q", what, name), Hint: hint})
}

// Standpoint returns where a program stands in the folder that a user names; with "" it is
// where this program stands. Its error says what is wrong with the name.
func (a *App) Standpoint(dir string) (fs.Standpoint, error) {
	if dir == "" || dir == "." {
		return a.Here(), nil
	}
	abs, err := a.Abs(wording.ExpandTilde(dir, a.Home)) // no shell expands it behind "="
	if err != nil {
		return fs.Standpoint{}, err
	}
	const fix = "name the folder of a project, or leave it out and cd there"
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		what := "the folder " + a.Tilde(dir) + " cannot be used: " + wording.Cause(err).Error()
		if errors.Is(err, os.ErrNotExist) {
			what = "there is no folder " + a.Tilde(dir)
		}
		return fs.Standpoint{}, &control.Fault{Message: what, Hint: fix}
	}
	if info, err := os.Stat(real); err == nil && !info.IsDir() {
		return fs.Standpoint{}, &control.Fault{Message: a.Tilde(dir) + " is not a folder", Hint: fix}
	}
	return fs.StandpointAt(real), nil
}
