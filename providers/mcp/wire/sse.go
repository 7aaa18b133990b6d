package wire

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"

	"github.com/mark3labs/mcp-go/client/transport"

	"ctxfs/providers/mcp/config"
	"ctxfs/providers/mcp/lines"
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

// tap is a stream of events, from which the requests of the server are read: the
// library would take them for unexpected answers.
type tap struct {
	io.ReadCloser
	asked func(lines.Message)

	line []byte // the beginning of the current line
	data []byte // of the current event
	long bool   // the event is longer than any request
}

// tapped is the length up to which an event may be a request, in bytes.
const tapped = maxSampling + 64<<10

// Read implements io.Reader.
func (t *tap) Read(p []byte) (int, error) {
	n, err := t.ReadCloser.Read(p)
	for rest := p[:n]; len(rest) > 0; {
		part, after, ended := bytes.Cut(rest, []byte{'\n'})
		rest = after
		if len(t.line)+len(t.data)+len(part) > tapped {
			t.long, t.data, t.line = true, nil, t.line[:min(len(t.line), 1)]
		}
		if t.long { // of a line it only matters that it is not empty
			part = part[:min(len(part), 1-len(t.line))]
		}
		t.line = append(t.line, part...)
		if ended {
			t.endLine()
		}
	}
	return n, err
}

// endLine takes the current line.
func (t *tap) endLine() {
	line := bytes.TrimSuffix(t.line, []byte{'\r'})
	if data, ok := bytes.CutPrefix(line, []byte("data:")); ok && !t.long {
		t.data = append(append(t.data, data...), '\n')
	}
	if len(line) == 0 {
		if is, ok := lines.Read(t.data); ok && is.Asks() {
			t.asked(is)
		}
		t.data, t.long = nil, false
	}
	t.line = t.line[:0]
}
