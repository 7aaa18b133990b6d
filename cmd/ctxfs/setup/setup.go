// Package setup has the commands that make other programs use ctxfs: setup, which
// writes into their files and can remove exactly that again, and completion, which
// prints a script for a shell.
//
// setup.go is the commands, rcfile.go how a shell's file is read and replaced,
// completion.go with the folder completion the scripts.
package setup

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/cmd/ctxfs/console"
	"ctxfs/cmd/ctxfs/places"
	"ctxfs/mounts/control"
	"ctxfs/providers/caller"
	"ctxfs/providers/terminals/holder"
	"ctxfs/providers/terminals/shells"
)

// Commands returns the commands setup and completion.
func Commands(a *cli.App) []*cobra.Command {
	return []*cobra.Command{newSetup(a), newCompletion(a)}
}

func newSetup(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "setup",
		Short: "make other programs use ctxfs",
		Long: `Setup changes the files of other programs so that they use ctxfs. It shows what
it wrote, and can remove exactly that again.`,
		Args: cli.Args(0),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newSetupShell(a))
	return cmd
}

func newSetupShell(a *cli.App) *cobra.Command {
	var name string
	var remove, show, check bool
	cmd := &cobra.Command{
		Use:   "shell",
		Short: "record every new terminal of your shell",
		Long: `Shell inserts one line at the top of your shell's startup file (~/.bashrc,
~/.zshrc or ~/.config/fish/config.fish). From then on every new interactive
terminal is recorded, as by ctxfs term. Nothing else in the file changes;
--remove removes the line again, and --print only shows it.

The shell starts as usual, and is not recorded, if ctxfs is missing or cannot
record; in scripts; without a terminal; in a terminal that is recorded already;
and if an agent or an editor started it for its own use.`,
		Example: `  ctxfs setup shell
  ctxfs setup shell --shell zsh --print
  ctxfs setup shell --remove`,
		Args: cli.Args(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if check {
				if !opensShells(cmd.Root()) || recordable(a) != nil {
					return cli.Exit(console.ExitFailed, nil) // the line discards messages
				}
				return nil
			}
			name, err := shellName(a, cmd, name)
			if err != nil {
				return err
			}
			program, err := programPath()
			if err != nil {
				return err
			}
			path, line := shells.RCFile(name, program, a.Home, a.LookupEnv)
			switch {
			case show:
				a.Sayf("%s", line)
				return nil
			case remove:
				return unsetShell(a, path)
			}
			return setShell(a, name, path, line)
		},
	}
	cmd.Flags().StringVar(&name, "shell", "", "bash, zsh or fish (default: that of $SHELL)")
	cmd.Flags().BoolVar(&remove, "remove", false, "remove the line again")
	cmd.Flags().BoolVar(&show, "print", false, "print the line, and write nothing")
	cmd.Flags().BoolVar(&check, "check", false, "")
	_ = cmd.Flags().MarkHidden("check") // asked by the line itself
	cmd.MarkFlagsMutuallyExclusive("remove", "print", "check")
	_ = cmd.RegisterFlagCompletionFunc("shell", cobra.FixedCompletions(shells.Names(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// shellName is the shell to set up, by default the user's.
func shellName(a *cli.App, cmd *cobra.Command, given string) (string, error) {
	if given != "" {
		if !slices.Contains(shells.Names(), given) {
			return "", cli.Usage(cmd, fmt.Errorf("--shell is bash, zsh or fish, not %q", given))
		}
		return given, nil
	}
	path, _ := a.LookupEnv("SHELL")
	if name := filepath.Base(path); slices.Contains(shells.Names(), name) {
		return name, nil
	}
	return "", &control.Fault{Message: "your shell ($SHELL) is not bash, zsh or fish", Hint: "name the shell to set up: ctxfs setup shell --shell bash"}
}

// opensShells reports whether ctxfs term accepts the flags that the line in a
// shell's file passes. If it did not, the line would replace the shell with an
// error.
func opensShells(root *cobra.Command) bool {
	term, _, err := root.Find([]string{"term"})
	return err == nil && term != root && term.Flags().Lookup("shell") != nil && term.Flags().Lookup("login") != nil
}

// programPath is the path of this program in a shell's file: absolute, since the
// file may be read before PATH is complete, and that of the link in PATH if there
// is one, since the next version may be in another folder.
func programPath() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	if named, err := exec.LookPath("ctxfs"); err == nil && filepath.IsAbs(named) && sameFile(named, self) {
		return named, nil
	}
	return self, nil
}

func sameFile(a, b string) bool {
	first, err := os.Stat(a)
	if err != nil {
		return false
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
}

func setShell(a *cli.App, name, path, line string) error {
	old, exists, err := readRC(path)
	if err != nil {
		return err
	}
	if text := shells.WithLine(old, exists, line); text != old {
		if err := writeRC(path, text); err != nil {
			return &control.Fault{Message: err.Error(), Hint: "write the line yourself: ctxfs setup shell --shell " + name + " --print"}
		}
		a.Sayf("wrote one line at the top of %s:\n  %s", a.Tilde(path), line)
	} else {
		a.Sayf("%s has the line already", a.Tilde(path))
	}
	a.Sayf("every new %s in a terminal is recorded; list them: ctxfs ps", name)
	a.Sayf("undo: ctxfs setup shell --shell %s --remove", name)
	return nil
}

func unsetShell(a *cli.App, path string) error {
	old, _, err := readRC(path)
	if err != nil {
		return err
	}
	rest, found := shells.WithoutLine(old)
	if !found.Line {
		a.Sayf("%s has no line of ctxfs", a.Tilde(path))
		return nil
	}
	if info, err := os.Lstat(path); found.Created && rest == "" && err == nil && info.Mode().IsRegular() {
		if err := os.Remove(path); err != nil {
			return err
		}
		a.Sayf("removed %s, which held nothing else; new terminals are not recorded", a.Tilde(path))
		return nil
	}
	if err := writeRC(path, rest); err != nil {
		return err
	}
	a.Sayf("removed the line from %s; new terminals are not recorded", a.Tilde(path))
	return nil
}

// recordable returns why the calling shell cannot, or should not, become a recorded
// terminal; nil if it can. It runs at the start of every shell, so it must be
// quick, and it changes nothing.
func recordable(a *cli.App) error {
	// The line in the shell's file tests standard output itself, and sends that of
	// this command to /dev/null.
	if !holder.IsTerminal(os.Stdin) {
		return errors.New("standard input is not a terminal")
	}
	if id, inside := a.LookupEnv("CTXFS_TERMINAL"); inside {
		return fmt.Errorf("this is the recorded terminal %s", id)
	}
	if term, _ := a.LookupEnv("TERM"); term == "" || term == "dumb" {
		return errors.New("the terminal shows plain lines only")
	}
	if name := foreignShell(os.Environ()); name != "" {
		return fmt.Errorf("another program started this shell for itself: %s is set", name)
	}
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return err
	}
	if err := terminal.Close(); err != nil {
		return err
	}
	return places.TryFolder(filepath.Join(a.State, "terminals"))
}

// foreignShell returns the name of an environment variable that shows that an agent
// or an editor started the shell for its own use, or "".
func foreignShell(environ []string) string {
	for _, entry := range environ {
		switch name, _, _ := strings.Cut(entry, "="); {
		case caller.Marks(name),
			name == "VSCODE_RESOLVING_ENVIRONMENT", name == "INTELLIJ_ENVIRONMENT_READER", name == "ZED_ENVIRONMENT",
			name == "SSH_ORIGINAL_COMMAND": // scp, rsync and git
			return name
		}
	}
	return ""
}
