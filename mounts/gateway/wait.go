package gateway

import (
	"context"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// Wait is what a client waits for.
type Wait struct {
	// For is one condition or several, as the command ctxfs wait takes them.
	For string
	// Any reports that one of them is enough.
	Any bool
	// Timeout is how long to wait.
	Timeout time.Duration
	// Root is the folder in which the client says that it works, or "".
	Root string
}

// The times of a wait: clients give up a request after a minute, unless they are told
// otherwise.
const (
	usualWait = 50 * time.Second
	longWait  = time.Hour
)

// waitTime returns how long to wait for a client that asks for some seconds.
func waitTime(seconds float64) time.Duration {
	return time.Duration(min(max(seconds, 0.1), longWait.Seconds()) * float64(time.Second))
}

func (g *Gateway) wait(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	args := struct {
		For     string  `json:"for"`
		Any     bool    `json:"any"`
		Seconds float64 `json:"seconds"`
	}{Seconds: usualWait.Seconds()}
	if err := decode(r, &args); err != nil {
		return nil, err
	}
	root, asked := g.root(ctx, r)
	if asked != nil {
		return asked, nil
	}
	text, err := g.backend.Wait(ctx, Wait{For: args.For, Any: args.Any, Timeout: waitTime(args.Seconds), Root: root})
	return texts(text), err
}
