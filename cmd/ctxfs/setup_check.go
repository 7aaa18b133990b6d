package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"ctxfs/providers/caller"
)

// recordable tells why the shell that asks cannot, or should not, become a
// recorded terminal. It is asked at the start of every shell, so it only looks.
func (a *app) recordable() error {
	// The line in the shell's file asks the same of standard output, which it has
	// sent to /dev/null here.
	if !isTerminal(os.Stdin) {
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
	return tryFolder(filepath.Join(a.State, "terminals"))
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
