package agent

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/mounts/control"
	"ctxfs/providers/terminals/holder"
)

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
