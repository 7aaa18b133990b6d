package wire

import (
	"context"
	"errors"
	"log/slog"

	"github.com/mark3labs/mcp-go/client/transport"

	"ctxfs/providers/mcp/config"
)

// sseTransport is HTTP with one stream for all answers. The library's neither
// ends the requests that wait when the stream is lost, nor bounds the wait for
// its beginning by anything but a time of its own.
type sseTransport struct {
	*transport.SSE
	starting context.Context
	lost     <-chan struct{}
}

// errStream says that the stream has ended, on which answers come.
var errStream = errors.New("the server has closed the stream of its answers")

// newSSE makes the transport of a connection that is being made until starting
// ends.
func newSSE(starting context.Context, c *Connection, d *config.Server) (*sseTransport, error) {
	t, err := transport.NewSSE(d.URL,
		transport.WithHTTPClient(c.http.client()),
		transport.WithHeaders(d.Headers),
		transport.WithSSELogger(slog.New(slog.DiscardHandler)), // it tells addresses
		transport.WithEndpointTimeout(config.MaxTimeout),
		transport.WithResponseTimeout(config.MaxTimeout),
	)
	if err != nil {
		return nil, err
	}
	t.SetConnectionLostHandler(func(error) { c.lose(errStream) })
	return &sseTransport{SSE: t, starting: starting, lost: c.Lost}, nil
}

// Start implements transport.Interface.
func (t *sseTransport) Start(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(t.starting, cancel)
	err := t.SSE.Start(ctx)
	if !stop() && err != nil { // the time is up
		return t.starting.Err()
	}
	if err != nil {
		cancel()
	}
	return err
}

// SendRequest implements transport.Interface.
func (t *sseTransport) SendRequest(ctx context.Context, request transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	waiting, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	answered := make(chan struct{})
	defer close(answered)
	go func() {
		select {
		case <-t.lost:
			cancel(errStream)
		case <-answered:
		}
	}()
	res, err := t.SSE.SendRequest(waiting, request)
	if err != nil && ctx.Err() == nil && context.Cause(waiting) == errStream {
		err = errStream
	}
	return res, err
}
