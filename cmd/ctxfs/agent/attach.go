package agent

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/mounts/control"
	"ctxfs/providers/executor/job"
	"ctxfs/providers/terminals/holder"
)

func newAttach(a *cli.App) *cobra.Command {
	var force bool
	cmd := &cobra.Command{
		Use:               "attach ID",
		Short:             "show the terminal of an agent, and type into it",
		Args:              cli.Args(1, which),
		ValidArgsFunction: completeJobs(a, 1, inTerminal),
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := terminalOf(a, "attach", args[0])
			if err != nil {
				return err
			}
			return a.AttachTerminal(cmd.Context(), id, force)
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "attach even inside a recorded terminal")
	return cmd
}

// terminalOf returns the id of the terminal in which an agent runs that a user names for a
// command.
func terminalOf(a *cli.App, command, name string) (string, error) {
	j, err := findJob(a, command, name, inTerminal)
	switch {
	case err != nil:
		return "", err
	case j.Ended():
		return "", &control.Fault{Message: fmt.Sprintf("%s has ended: %s", j.ID, j.Result.Ended), Hint: "see what came of it: ctxfs agent result " + j.ID}
	case j.Status.State == job.Waiting:
		return "", &control.Fault{Message: j.ID + " has not started: " + stands(j), Hint: "see what runs: ctxfs agent ps; let more run at once: limit in the table [agents] of " + a.Tilde(a.Config)}
	case j.Status.Terminal == "":
		return "", &control.Fault{Message: j.ID + " runs, but its terminal could not be recorded", Hint: "see why: cat " + j.Path(job.LogFile)}
	}
	return j.Status.Terminal, nil
}

// maxSent is the longest text that is sent, in bytes.
const maxSent = 64 << 10

func newSend(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:               "send ID TEXT...",
		Short:             "type a line into the terminal of an agent",
		Args:              cli.Args(-1, which, "which text?"),
		ValidArgsFunction: completeJobs(a, 1, inTerminal),
		RunE: func(cmd *cobra.Command, args []string) error {
			text := strings.Join(args[1:], " ")
			if len(text) > maxSent {
				return cli.Usage(cmd, fmt.Errorf("the text has %d bytes; at most %d can be typed at once", len(text), maxSent))
			}
			if err := a.OnlyReads(); err != nil {
				return err
			}
			id, err := terminalOf(a, "send", args[0])
			if err != nil {
				return err
			}
			recording := a.Recording()
			err = recording.Type(cmd.Context(), id, text+"\r")
			if errors.Is(err, holder.ErrNotRunning) || errors.Is(err, holder.ErrLost) {
				return &control.Fault{Message: "the agent has just ended, or the socket of its terminal was deleted", Hint: "see how it stands: ctxfs agent ps --all"}
			}
			return err
		},
	}
}
