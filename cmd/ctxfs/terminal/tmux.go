package terminal

import (
	"context"
	"strings"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/cmd/ctxfs/places"
	"ctxfs/mounts/control"
	"ctxfs/providers/terminals"
)

type tmuxArgs struct {
	Socket string `json:"socket,omitempty"`
}

// adoptTmux has the background process record the panes of running tmux servers.
func adoptTmux(a *cli.App, ctx context.Context) error {
	var args tmuxArgs
	if name, inside := a.LookupEnv("TMUX"); inside {
		args.Socket, _, _ = strings.Cut(name, ",") // wherever that server has it
	}
	var adopted terminals.Adopted
	err := places.UntilServed(func() error {
		c, err := a.Start(ctx)
		if err != nil {
			return err
		}
		defer c.Close()
		return c.Call(ctx, "tmux", args, &adopted, nil)
	})
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
