package wire

import (
	"context"
	"errors"
	"log/slog"

	"github.com/mark3labs/mcp-go/client/transport"

	"ctxfs/providers/mcp/config"
)

// sseTransport is the library's transport over HTTP with one stream for all
// answers. It adds what the library lacks: pending requests end when the stream
// is lost, and the caller bounds the wait for its beginning.
type sseTransport struct {
	*transport.SSE
	starting context.Context
	lost     <-chan struct{}
}

// errStream reports that the stream that carries the answers has ended.
var errStream = errors.New("the server has closed the stream of its answers")

// newSSE returns the transport of a connection. Starting bounds the time to
// connect.
func newSSE(starting context.Context, c *Connection, d *config.Server) (*sseTransport, error) {
	t, err := transport.NewSSE(d.URL,
		transport.WithHTTPClient(c.http.client()),
		transport.WithHeaders(d.Headers),
		transport.WithSSELogger(slog.New(slog.DiscardHandler)), // its lines hold addresses
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
