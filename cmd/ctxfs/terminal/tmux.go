package terminal

import (
	"context"
	"strings"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/mounts/control"
	"ctxfs/providers/terminals"
)

// adoptTmux has the background process record the panes of running tmux servers.
func adoptTmux(ctx context.Context, a *cli.App) error {
	var args terminals.TmuxQuery
	if name, inside := a.LookupEnv("TMUX"); inside {
		args.Socket, _, _ = strings.Cut(name, ",") // wherever that server has it
	}
	adopted, err := terminals.OpTmux.Ask(ctx, a.Starting(), args)
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
		return &control.Fault{Message: "there is no pane of tmux to record", Hint: "start one: tmux new-session"}
	}
	return nil
}
