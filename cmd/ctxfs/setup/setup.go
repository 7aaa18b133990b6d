// Package setup has the commands that make other programs use ctxfs: setup, which
// writes into their files and takes exactly that out again, and completion, which
// prints a script for a shell.
//
// setup.go is the commands, rcfile.go how a shell's file is read and replaced,
// completion.go with the folder completion the scripts.
package setup

import (
	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/cmd/ctxfs/console"
	"ctxfs/cmd/ctxfs/places"
	"ctxfs/mounts/control"
	"ctxfs/providers/caller"
	"ctxfs/providers/terminals/holder"
	"ctxfs/providers/terminals/shells"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"
)

// Commands returns the commands setup and completion.
func Commands(a *cli.App) []*cobra.Command {
	return []*cobra.Command{newSetup(a), newCompletion(a)}
}

func newSetup(a *cli.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "setup",
		Short: "make other programs use ctxfs",
		Long: `Setup writes what makes other programs use ctxfs into their files, shows what it
wrote, and takes exactly that out again.`,
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
		Long: `Shell writes one line at the beginning of your shell's file (~/.bashrc, ~/.zshrc
or ~/.config/fish/config.fish) that makes every new interactive terminal a
recorded one, as ctxfs term does. Nothing else in the file changes; --remove
takes the line out again, and --print only shows it.

The shell goes on as usual, without being recorded, where ctxfs is missing or
cannot record, in scripts, without a terminal, in a terminal that is recorded
already, and in shells that agents and editors start for themselves.`,
		Example: `  ctxfs setup shell
  ctxfs setup shell --shell zsh --print
  ctxfs setup shell --remove`,
		Args: cli.Args(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if check {
				if !opensShells(cmd.Root()) || recordable(a) != nil {
					return cli.Exit(console.ExitFailed, nil) // nobody reads why
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
	cmd.Flags().StringVar(&name, "shell", "", "bash, zsh or fish (default: as $SHELL says)")
	cmd.Flags().BoolVar(&remove, "remove", false, "take the line out again")
	cmd.Flags().BoolVar(&show, "print", false, "print the line, and write nothing")
	cmd.Flags().BoolVar(&check, "check", false, "")
	_ = cmd.Flags().MarkHidden("check") // the line's own question
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
	return "", &control.Fault{Message: "your shell ($SHELL) is none of bash, zsh and fish", Hint: "name the one to set up: ctxfs setup shell --shell bash"}
}

// opensShells tells whether ctxfs term takes what the line in a shell's file says
// to it: a shell that is given up for an error would be lost.
func opensShells(root *cobra.Command) bool {
	term, _, err := root.Find([]string{"term"})
	return err == nil && term != root && term.Flags().Lookup("shell") != nil && term.Flags().Lookup("login") != nil
}

// programPath is where this program will be found in future: a shell's file is
// read before its user's PATH is complete, and the program itself may be a link
// into a folder that the next version does not have.
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
		a.Sayf("wrote one line at the beginning of %s:\n  %s", a.Tilde(path), line)
	} else {
		a.Sayf("%s has the line already", a.Tilde(path))
	}
	a.Sayf("every new %s in a terminal is recorded; which there are: ctxfs ps", name)
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
		a.Sayf("took away %s, which held nothing else; new terminals are not recorded", a.Tilde(path))
		return nil
	}
	if err := writeRC(path, rest); err != nil {
		return err
	}
	a.Sayf("took the line out of %s; new terminals are not recorded", a.Tilde(path))
	return nil
}

// recordable tells why the shell that asks cannot, or should not, become a
// recorded terminal. It is asked at the start of every shell, so it only looks.
func recordable(a *cli.App) error {
	// The line in the shell's file asks the same of standard output, which it has
	// sent to /dev/null here.
	if !holder.IsTerminal(os.Stdin) {
		return errors.New("standard input is no terminal")
	}
	if id, inside := a.LookupEnv("CTXFS_TERMINAL"); inside {
		return fmt.Errorf("this is the recorded terminal %s", id)
	}
	if term, _ := a.LookupEnv("TERM"); term == "" || term == "dumb" {
		return errors.New("the terminal can show lines only")
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

// foreignShell is the variable that tells that an agent or an editor started
// the shell for its own use; empty if none did.
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
