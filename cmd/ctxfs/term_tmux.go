package main

import (
	"context"

	"ctxfs/mounts/control"
)

type tmuxArgs struct {
	Socket string `json:"socket,omitempty"`
}

// tmuxHandler answers the request of "ctxfs term --tmux".
func (w *world) tmuxHandler(ctx context.Context, c *control.Conn) error {
	var args tmuxArgs
	if err := c.Args(&args); err != nil {
		return err
	}
	adopted, err := w.providers.AdoptTmux(ctx, args.Socket)
	if err != nil {
		return err
	}
	return c.Reply(adopted)
}
