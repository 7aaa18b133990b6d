// Package terminal has the commands for recorded terminals: term opens one, run
// records one command, ps lists them, attach shows one again, stop ends one, wait waits for
// what they print and for more, and the process that owns one is a helper, which package early starts.
//
// The work is done by [ctxfs/providers/terminals/holder]; this package words its
// outcomes. Each file is one command.
package terminal

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/fs"
	"ctxfs/mounts/control"
	"ctxfs/providers/terminals"
	"ctxfs/providers/terminals/holder"
)

// Commands returns the commands for recorded terminals.
func Commands(a *cli.App) []*cobra.Command {
	return []*cobra.Command{newTerm(a), newPS(a), newAttach(a), newRun(a), newStop(a), newWait(a)}
}

func newTerm(a *cli.App) *cobra.Command {
	var name, shell string
	var login, force, tmux bool
	cmd := &cobra.Command{
		Use:         "term [-- COMMAND...]",
		Short:       "open a terminal that agents can read",
		Annotations: map[string]string{cli.NeedsNoPlaces: "yes"},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.OnlyReads(); err != nil {
				return err
			}
			if tmux && a.PlacesErr != nil {
				return a.PlacesErr
			}
			if tmux {
				if cmd.Flags().NFlag() > 1 || len(args) > 0 {
					return cli.Usage(cmd, errors.New("--tmux opens no terminal; give it alone"))
				}
				return adoptTmux(cmd.Context(), a)
			}
			if len(args) > 0 && (shell != "" || login) {
				return cli.Usage(cmd, errors.New("a command and a shell exclude each other"))
			}
			if err := canOpen(a, force); err != nil {
				return err
			}
			spec := holder.Spec{Name: name, Login: login, Argv: args}
			if len(args) == 0 {
				path, err := shellPath(a, shell)
				if err != nil {
					return err
				}
				spec.Shell = path
			}
			if a.PlacesErr != nil {
				return termUnrecorded(a, spec, &holder.Unrecorded{Err: a.PlacesErr})
			}
			spec.Recording = a.Recording()
			return openTerminal(cmd.Context(), a, spec)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&name, "name", "", "the id of the terminal, instead of a number")
	flags.StringVar(&shell, "shell", "", "bash, zsh, fish or the path of a shell, instead of $SHELL")
	flags.BoolVar(&force, "force", false, "open one even inside a recorded terminal")
	flags.BoolVar(&login, "login", false, "start a login shell")
	flags.BoolVar(&tmux, "tmux", false, "open none; record the panes of running tmux servers")
	a.CompleteFlag(cmd, "shell", cobra.FixedCompletions([]string{"bash", "zsh", "fish"}, cobra.ShellCompDirectiveDefault))
	a.CompleteFlag(cmd, "name", cobra.NoFileCompletions)
	return cmd
}

// canOpen returns why no terminal can be opened here; nil if one can.
func canOpen(a *cli.App, force bool) error {
	if id, inside := a.LookupEnv(holder.Variable); inside && !force {
		return &control.Fault{
			Message: fmt.Sprintf("this terminal is recorded already, as %s", id),
			Hint:    "to open another one inside it: ctxfs term --force",
		}
	}
	if !a.AtTerminal() {
		return &control.Fault{
			Message: "there is no terminal here to open another one in",
			Hint:    "record a command without one: ctxfs run -- COMMAND",
		}
	}
	return nil
}

// shellPath is the path of the shell to start, which may be named.
func shellPath(a *cli.App, shell string) (string, error) {
	if shell == "" {
		shell, _ = a.LookupEnv("SHELL")
	}
	if shell == "" {
		shell = "sh"
	}
	path, err := holder.LookPath(shell)
	if err != nil {
		fault := &control.Fault{Message: fmt.Sprintf("the shell %s cannot be started: %s", shell, fs.Cause(err)), Hint: "name another one: ctxfs term --shell bash"}
		return "", cli.Exit(holder.NotStarted(err), fault)
	}
	return path, nil
}

// openTerminal opens a terminal here, and waits until it has ended or is detached.
func openTerminal(ctx context.Context, a *cli.App, spec holder.Spec) error {
	out, err := holder.Start(ctx, a.Program, holderLog(a), spec, a.Stdin())
	if without := (*holder.Unrecorded)(nil); errors.As(err, &without) {
		return termUnrecorded(a, spec, without)
	}
	return a.Attached(out, err)
}

// holderLog returns the file for the errors of holders.
func holderLog(a *cli.App) string {
	_ = os.MkdirAll(a.State, 0o700) // if it cannot be made, the recording says why
	return filepath.Join(a.State, "holder.log")
}

// termUnrecorded replaces this process with the shell or command, unrecorded.
func termUnrecorded(a *cli.App, spec holder.Spec, why *holder.Unrecorded) error {
	a.Notef("%v", why)
	return notStarted(spec, spec.Exec())
}

// adoptTmux has the background process record the panes of running tmux servers.
func adoptTmux(ctx context.Context, a *cli.App) error {
	adopted, err := terminals.OpTmux.Ask(ctx, a.Starting(), fs.None{})
	if err != nil {
		return err
	}
	for _, p := range adopted.Panes {
		a.Sayf("recording %s as %s", p.ID, p.Terminal)
	}
	for _, p := range adopted.Problems {
		a.Notef("%s", p)
	}
	if len(adopted.Panes) == 0 {
		return &control.Fault{Message: "there is no tmux pane to record", Hint: "start one: tmux new-session"}
	}
	return nil
}
