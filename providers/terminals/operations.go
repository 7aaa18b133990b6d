package terminals

import (
	"context"

	"ctxfs/fs"
)

// OpTmux records the panes of running tmux servers, see [Provider.AdoptTmux].
var OpTmux = fs.Op[TmuxQuery, Adopted]{Name: "tmux", Slow: true}

// TmuxQuery names the socket of a tmux server besides the user's; "" is none.
type TmuxQuery struct {
	Socket string `json:"socket,omitempty"`
}

// Operations implements fs.Operator.
func (p *Provider) Operations() []fs.Operation {
	return []fs.Operation{
		OpTmux.Handle(func(ctx context.Context, q TmuxQuery) (Adopted, error) { return p.AdoptTmux(ctx, q.Socket) }),
	}
}
