package gateway

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"ctxfs/fs/cell"
)

// maxMessage is the size in bytes of the longest message that a client may
// send.
const maxMessage = 64 << 20

// ServeStdio serves one client over a pair of streams, one message a line, until in
// ends, ctx ends, or out fails; each cancels the requests under way. It returns nil
// if in has ended. It does not wait for a pending read or write, since the client
// may have stopped sending and reading.
//
// The library's own loop serves one client per process and handles a hundred
// calls at once; further requests get no answer. This one answers all.
func (g *Gateway) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c := &connection{
		gateway: g, client: newClientState(), lines: make(chan []byte), over: ctx.Done(),
		pending: make(map[string]context.CancelCauseFunc), asked: make(map[string]chan<- answer),
	}
	c.client.listen()
	c.session = session{server.NewInProcessSessionWithHandlers("stdio", c, c, c), make(chan mcp.JSONRPCNotification, 16)}
	ctx = context.WithValue(g.server.WithContext(ctx, c.session), connectionKey{}, c)
	go func() {
		defer cancel() // a client that cannot be written to has left
		c.write(out)
	}()
	ended := make(chan error, 1)
	go func() { ended <- c.receive(ctx, in) }()
	var err error
	select {
	case err = <-ended:
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	cancel()
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.working.Wait()
	return err
}

// connection is the connection to a client over streams.
type connection struct {
	gateway *Gateway
	session session
	client  *clientState
	lines   chan []byte     // to be written
	over    <-chan struct{} // closed when the conversation has ended
	working cell.Group      // requests

	mu      sync.Mutex
	pending map[string]context.CancelCauseFunc // by request ID
	asked   map[string]chan<- answer           // our requests to the client, by ID
	last    int                                // of the IDs
	closed  bool                               // no request is started any more
}

// session is the library's state of a client.
type session struct {
	*server.InProcessSession
	news chan mcp.JSONRPCNotification
}

func (s session) NotificationChannel() chan<- mcp.JSONRPCNotification { return s.news }

type connectionKey struct{}

// connectionOf returns the connection that a request arrived on; nil over HTTP.
func connectionOf(ctx context.Context) *connection {
	c, _ := ctx.Value(connectionKey{}).(*connection)
	return c
}

// errCancelled reports that the client has cancelled the request.
var errCancelled = errors.New("cancelled by the client")

func (c *connection) receive(ctx context.Context, in io.Reader) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 0, 64<<10), maxMessage)
	for lines.Scan() {
		if line := bytes.TrimSpace(lines.Bytes()); len(line) > 0 {
			c.dispatch(ctx, bytes.Clone(line))
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("a message is longer than %d MiB", maxMessage>>20)
	}
	return lines.Err()
}

// dispatch handles a message. It does not wait for the result of a request, and
// a request can be cancelled from the moment when it was read.
func (c *connection) dispatch(ctx context.Context, line []byte) {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params struct {
			RequestID json.RawMessage `json:"requestId"`
		} `json:"params"`
		Result json.RawMessage `json:"result"`
		Error  json.RawMessage `json:"error"`
	}
	_ = json.Unmarshal(line, &m) // its errors are answered below
	switch {
	case m.Method == "notifications/cancelled":
		c.mu.Lock()
		cancel := c.pending[string(m.Params.RequestID)]
		c.mu.Unlock()
		if cancel != nil {
			cancel(errCancelled)
		}
		return
	case m.Method == "" && (m.Result != nil || m.Error != nil):
		c.answered(m.ID, line)
		return
	case m.ID == nil || m.Method == "":
		if answer := c.gateway.server.HandleMessage(ctx, line); answer != nil {
			c.send(answer)
		}
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return
	}
	ctx, cancel := context.WithCancelCause(ctx)
	id := string(m.ID)
	c.pending[id] = cancel
	c.working.Go(func() {
		answer := c.gateway.server.HandleMessage(ctx, line)
		c.mu.Lock()
		delete(c.pending, id)
		c.mu.Unlock()
		for len(c.session.news) > 0 { // the library's notifications for a request go before its result
			select {
			case n := <-c.session.news:
				c.send(n)
			default:
			}
		}
		if !errors.Is(context.Cause(ctx), errCancelled) {
			c.send(answer)
		}
		cancel(nil)
	})
}

func (c *connection) notify(method string, params map[string]any) {
	c.send(map[string]any{"jsonrpc": mcp.JSONRPC_VERSION, "method": method, "params": params})
}

// send queues a message for writing, or drops it when the connection has ended.
func (c *connection) send(message any) {
	line, err := json.Marshal(message)
	if err != nil {
		c.gateway.log.Error("an answer cannot be written as JSON", "error", err)
		return
	}
	select {
	case c.lines <- append(line, '\n'):
	case <-c.over:
	}
}

// write writes messages until the conversation ends or out fails.
func (c *connection) write(out io.Writer) {
	for {
		select {
		case line := <-c.lines:
			if _, err := out.Write(line); err != nil {
				return
			}
		case <-c.over:
			return
		}
	}
}
