package setup

import (
	"errors"
	"fmt"
	"os"
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
	"ctxfs/providers/setup"
	"ctxfs/providers/setup/agents"
	"ctxfs/providers/terminals/shells"
)

// shellTarget is the target that records the terminals of a shell, by default the user's.
// Each shell is one of its own.
func shellTarget(a *cli.App, cmd *cobra.Command, program, shell string) (agents.Agent, error) {
	name, err := shellName(a, cmd, shell)
	if err != nil {
		return agents.Agent{}, err
	}
	path, line := shells.RCFile(name, program, a.Home, a.LookupEnv)
	t := setup.Shell(name, path, line, shells.LineMark)
	t.ID += ":" + name
	return t, nil
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

// recordable returns why the calling shell cannot, or should not, become a recorded
// terminal; nil if it can. It runs at the start of every shell, so it must be
// quick, and it changes nothing.
func recordable(a *cli.App) error {
	// The line in the shell's file tests standard output itself, and sends that of
	// this command to /dev/null.
	if !console.IsTerminal(a.In) {
		return errors.New("standard input is not a terminal")
	}
	if id, inside := a.LookupEnv("CTXFS_TERMINAL"); inside {
		return fmt.Errorf("this is the recorded terminal %s", id)
	}
	if term, _ := a.LookupEnv("TERM"); term == "" || term == "dumb" {
		return errors.New("the terminal shows plain lines only")
	}
	if name := foreignShell(a.Environ()); name != "" {
		return fmt.Errorf("another program started this shell for itself: %s is set", name)
	}
	if err := a.OnlyReads(); err != nil {
		return err
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
	marks := caller.Marks()
	for _, entry := range environ {
		switch name, _, _ := strings.Cut(entry, "="); {
		case marks(name),
			name == "VSCODE_RESOLVING_ENVIRONMENT", name == "INTELLIJ_ENVIRONMENT_READER", name == "ZED_ENVIRONMENT",
			name == "SSH_ORIGINAL_COMMAND": // scp, rsync and git
			return name
		}
	}
	return ""
}
