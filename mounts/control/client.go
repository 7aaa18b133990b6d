package control

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"
	"time"
)

// A conversation is one request and its replies, each a JSON object in a line.
// The last reply is not marked "more"; raw bytes may follow it. Whoever can
// open the socket, which lies in an owner-only folder, is the user.

type request struct {
	Op   string          `json:"op"`
	Args json.RawMessage `json:"args,omitempty"`
}

type reply struct {
	Value json.RawMessage `json:"value,omitempty"`
	Fault *Fault          `json:"fault,omitempty"`
	More  bool            `json:"more,omitempty"`
}

// ErrNotRunning says that there is no background process.
var ErrNotRunning = errors.New("ctxfs is not running")

// ErrGone says that the background process ended during a conversation.
var ErrGone = errors.New("the background process went away")

// Client is a conversation with the background process.
type Client struct {
	conn  net.Conn
	lines *bufio.Reader
}

// Dial connects to the background process; ErrNotRunning if there is none.
func Dial(runtime string) (*Client, error) {
	name, done, err := shortSocket(socketPath(runtime))
	if err != nil {
		return nil, err
	}
	defer done()
	conn, err := net.DialTimeout("unix", name, 5*time.Second)
	if errors.Is(err, syscall.ENOENT) || errors.Is(err, syscall.ECONNREFUSED) {
		return nil, ErrNotRunning
	}
	if err != nil {
		return nil, fmt.Errorf("reach the background process: %w", err)
	}
	return &Client{conn: conn, lines: bufio.NewReader(conn)}, nil
}

// Close ends the conversation; the server then cancels what it does for it.
func (c *Client) Close() error { return c.conn.Close() }

// Call sends a request and decodes the last reply's value into value, which
// may be nil. Replies before the last go to each, if given. A *Fault is the
// server's own word; any other error is one of the connection. The context
// ends the conversation.
func (c *Client) Call(ctx context.Context, op string, args, value any, each func(json.RawMessage)) error {
	stop := context.AfterFunc(ctx, func() { c.conn.Close() })
	defer stop()
	body, err := json.Marshal(args)
	if err != nil {
		return err
	}
	line, err := json.Marshal(request{Op: op, Args: body})
	if err != nil {
		return err
	}
	if _, err := c.conn.Write(append(line, '\n')); err != nil {
		return c.broken(ctx, err)
	}
	for {
		line, err := c.lines.ReadBytes('\n')
		if err != nil {
			return c.broken(ctx, err)
		}
		var r reply
		if err := json.Unmarshal(line, &r); err != nil {
			return c.broken(ctx, err)
		}
		switch {
		case r.Fault != nil:
			return r.Fault
		case r.More:
			if each != nil {
				each(r.Value)
			}
			continue
		case value != nil && r.Value != nil:
			return json.Unmarshal(r.Value, value)
		}
		return nil
	}
}

// Rest returns the raw bytes that follow the last reply.
func (c *Client) Rest() io.Reader { return c.lines }

func (c *Client) broken(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("%w (%v)", ErrGone, err)
}
