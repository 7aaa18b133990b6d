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

// A conversation begins with a greeting of the server. Then comes one request
// and its replies, each a JSON object in a line. The last reply is not marked
// "more"; raw bytes may follow it. Whoever can open the socket, which only its
// owner can, is the user.
//
// Nothing is asked before the greeting: who gives up waiting for a process
// that does not answer has asked for nothing that it might do later.

type greeting struct {
	Pid     int    `json:"pid"`
	Version string `json:"version"`
	Home    string `json:"home"`
}

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
	// Pid is the number of the process, 0 if it cannot be seen from here.
	Pid int
	// Limit is how long Call waits for a process that is stopped, once it has
	// been asked for something; 0 is for ever.
	Limit time.Duration

	home  Home
	conn  net.Conn
	lines *bufio.Reader
}

// Dial connects to the background process and waits until it is there to
// answer; ErrNotRunning if there is none, ErrGone if it was ending. While it is
// busy that takes as long as it takes; a process that cannot answer is a
// [Silent].
func (h Home) Dial(ctx context.Context) (*Client, error) {
	conn, pid, err := h.connectAny(ctx)
	if errors.Is(err, ErrNotRunning) {
		if conn, pid, err = h.connectOlder(ctx); err == nil {
			h.note("process %d is of an older version of ctxfs; start it anew: kill %[1]d; ctxfs mount", pid)
			return &Client{Pid: pid, home: h, conn: conn, lines: bufio.NewReader(conn)}, nil
		}
	}
	if err != nil {
		return nil, err
	}
	c := &Client{Pid: pid, home: h, conn: conn, lines: bufio.NewReader(conn)}
	if err := c.greeted(ctx); err != nil {
		conn.Close()
		return nil, err
	}
	return c, nil
}

// connectAny connects to the socket in whichever folder has one, and returns the
// number of the process that listens, 0 if it cannot be seen. One that has not
// taken what others want of it for so long that there is no more room is waited
// for.
func (h Home) connectAny(ctx context.Context) (net.Conn, int, error) {
	for begun := time.Now(); ; {
		c, err := connect(ctx, h.State)
		if err == nil {
			return c, peer(c), nil
		}
		full := false
		var refused error
		for i, folder := range h.Folders() {
			if i > 0 {
				if !h.trusted(folder) {
					continue
				}
				c, err = connect(ctx, folder)
			}
			switch {
			case err == nil:
				return c, peer(c), nil
			case errors.Is(err, syscall.EAGAIN):
				full = true
			case ctx.Err() != nil:
				return nil, 0, context.Cause(ctx)
			case !nobody(err):
				refused = errors.Join(refused, err)
			}
		}
		switch {
		case !full && refused != nil:
			return nil, 0, h.cannotReach(refused)
		case !full:
			return nil, 0, ErrNotRunning
		}
		if pid := h.Holder(); time.Since(begun) > noteAfter && (look(pid).still() || time.Since(begun) > blindAfter) {
			return nil, 0, silent(pid, look(pid).state(), "does not answer")
		}
		select {
		case <-ctx.Done():
			return nil, 0, context.Cause(ctx)
		case <-time.After(lookEvery):
		}
	}
}

// cannotReach words what keeps this program from connecting.
func (h Home) cannotReach(err error) error {
	switch {
	case errors.Is(err, syscall.EPERM):
		fault := &Fault{
			Message: fmt.Sprintf("this sandbox forbids sockets, by which the background process is reached (%v)", err),
			Hint:    "allow Unix sockets in the sandbox (sandbox-runtime: allowAllUnixSockets); reading the mount needs none",
		}
		if h.takesFiles() {
			fault.Hint += "\nor call by a file: echo '{ARGUMENTS}' >" + h.Mount + "/mcps/SERVER/calls/TOOL.1.json; cat " + h.Mount + "/mcps/SERVER/calls/TOOL.1.result"
		}
		return fault
	case errors.Is(err, syscall.EACCES):
		return &Fault{
			Message: fmt.Sprintf("the socket of the background process is closed to this user or sandbox (%v)", err),
			Hint:    "run the command as the user whose process it is, or let the sandbox write to the socket",
		}
	}
	return fmt.Errorf("reach the background process: %w", err)
}

// greeted waits for the greeting.
func (c *Client) greeted(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() { c.conn.Close() })
	defer stop()
	line, err := c.line(ctx, before)
	if err != nil {
		return err
	}
	var g greeting
	if err := json.Unmarshal(line, &g); err != nil {
		return fmt.Errorf("the background process greets in a way that is not known: %w", err)
	}
	if g.Home != "" && c.home.Dir != "" && !Same(g.Home, c.home.Dir) {
		return &Fault{
			Message: fmt.Sprintf("the background process of the state folder %s (%d) serves the home folder %s, not %s", c.home.State, g.Pid, g.Home, c.home.Dir),
			Hint:    "unset XDG_STATE_HOME, or set it to a folder of this home: export XDG_STATE_HOME=" + c.home.Dir + "/.local/state",
		}
	}
	if g.Version != c.home.Version {
		c.home.note("process %d is of version %s of ctxfs, this program of %s; start it anew: kill %[1]d; ctxfs mount", g.Pid, g.Version, c.home.Version)
	}
	return nil
}

// line reads a line, and looks at the process while it waits.
func (c *Client) line(ctx context.Context, w wait) ([]byte, error) {
	if w == staying {
		line, err := c.lines.ReadBytes('\n')
		if err != nil {
			err = broken(ctx, nil, err)
		}
		return line, err
	}
	v := c.home.watch(c.Pid, w, c.Limit, func() { c.conn.Close() })
	line, err := c.lines.ReadBytes('\n')
	if verdict := v.close(); err != nil {
		return nil, broken(ctx, verdict, err)
	}
	return line, nil
}

// Close ends the conversation; the server then cancels what it does for it.
func (c *Client) Close() error { return c.conn.Close() }

// Call sends a request and decodes the last reply's value into value, which
// may be nil. Replies before the last go to each, if given. A *Fault is the
// server's own word; any other error is one of the connection. The context
// ends the conversation.
func (c *Client) Call(ctx context.Context, op string, args, value any, each func(json.RawMessage)) error {
	return c.call(ctx, op, args, value, each, working)
}

// Ask is Call for what a process that is well answers at once: one that does
// not, and is not busy, is a [Silent].
func (c *Client) Ask(ctx context.Context, op string, args, value any) error {
	return c.call(ctx, op, args, value, nil, quick)
}

// Stay is Call for what lasts as long as the conversation: from its first
// reply on, at which it calls held, nobody waits for the process.
func (c *Client) Stay(ctx context.Context, op string, args any, held func()) error {
	return c.call(ctx, op, args, nil, func(json.RawMessage) { held() }, lasting)
}

func (c *Client) call(ctx context.Context, op string, args, value any, each func(json.RawMessage), w wait) error {
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
		return broken(ctx, nil, err)
	}
	for {
		line, err := c.line(ctx, w)
		if err != nil {
			return err
		}
		var r reply
		if err := json.Unmarshal(line, &r); err != nil {
			return broken(ctx, nil, err)
		}
		switch {
		case r.Fault != nil:
			return r.Fault
		case r.More:
			if w == lasting {
				w = staying
			}
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
