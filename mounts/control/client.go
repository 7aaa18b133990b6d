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

	"ctxfs/fs"
)

// A conversation begins with a greeting from the server. Then follow one request
// and its replies, each a JSON object on a line. The last reply is not marked
// "more"; raw bytes may follow it. Only its owner can open the socket: a client
// acts for the user.
//
// The client asks for nothing before the greeting: one that gives up on an
// unresponsive process leaves no request behind for the process to execute later.

type greeting struct {
	Pid     int    `json:"pid"`
	Version string `json:"version"`
	Home    string `json:"home"`
	Program string `json:"program,omitempty"` // as in Record
	Build   string `json:"build,omitempty"`
}

type request struct {
	Op   string          `json:"op"`
	Args json.RawMessage `json:"args,omitempty"`
	// Confined confines the one for whom the client asks, as a gateway does for its own
	// clients. It takes rights away, and gives none.
	Confined *fs.Confined `json:"confined,omitempty"`
}

type reply struct {
	Value json.RawMessage `json:"value,omitempty"`
	Fault *Fault          `json:"fault,omitempty"`
	More  bool            `json:"more,omitempty"`
}

// ErrNotRunning reports that there is no background process.
var ErrNotRunning = errors.New("ctxfs is not running")

// ErrGone reports that the background process exited during a conversation.
var ErrGone = errors.New("the background process has exited")

// Client is the client's side of a conversation with the background process.
type Client struct {
	// Pid is the process ID of the background process, 0 if it cannot be seen
	// from here.
	Pid int
	// Version is that of the process.
	Version string
	// Older reports that this program is a newer build than the process, and may take
	// over from it: by its version or, of one version, since it has replaced the file
	// from which the process was started.
	Older bool
	// Limit is how long Ask waits for a process that is stopped, once it has
	// received a request; 0 means forever.
	Limit time.Duration

	home  Home
	conn  net.Conn
	lines *bufio.Reader
}

// Dial connects to the background process and waits for its greeting. It waits
// as long as the process is busy. Otherwise it fails with one of:
//
//  1. ErrNotRunning: there is no process.
//  2. ErrGone: the process was exiting.
//  3. a [Silent]: the process cannot answer.
//  4. a [Fault]: the socket cannot be reached, or the process serves another
//     home.
func (h Home) Dial(ctx context.Context) (*Client, error) {
	conn, pid, err := h.connectAny(ctx)
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

// Ask implements fs.Asker: it asks the process that runs, if there is one.
func (h Home) Ask(ctx context.Context, r fs.Request) error {
	c, err := h.Dial(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	return c.Ask(ctx, r)
}

// connectAny connects to the socket in the first folder that has one, and returns
// the ID of the process that listens, 0 if it cannot be seen. If the queue of the
// socket is full, it waits for room.
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
			case !nobodyListens(err):
				refused = errors.Join(refused, err)
			}
		}
		switch {
		case !full && refused != nil:
			return nil, 0, h.cannotReach(refused)
		case !full:
			return nil, 0, ErrNotRunning
		}
		if pid := h.Holder(); time.Since(begun) > noteAfter && (sampleOf(pid).isStill() || time.Since(begun) > blindAfter) {
			return nil, 0, newSilent(pid, sampleOf(pid).state(), "does not answer")
		}
		select {
		case <-ctx.Done():
			return nil, 0, context.Cause(ctx)
		case <-time.After(lookEvery):
		}
	}
}

// cannotReach explains what keeps this program from connecting.
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
	line, err := c.line(ctx, forGreeting)
	if err != nil {
		return err
	}
	var g greeting
	if err := json.Unmarshal(line, &g); err != nil {
		return fmt.Errorf("the background process sends a greeting of an unknown form: %w", err)
	}
	if g.Home != "" && c.home.Dir != "" && !Same(g.Home, c.home.Dir) {
		return &Fault{
			Message: fmt.Sprintf("the background process of the state folder %s (%d) serves the home folder %s, not %s", c.home.State, g.Pid, g.Home, c.home.Dir),
			Hint:    "unset XDG_STATE_HOME, or set it to a folder of this home: export XDG_STATE_HOME=" + c.home.Dir + "/.local/state",
		}
	}
	c.Version = g.Version
	switch c.home.ageOf(g) {
	case older:
		c.Older = true
		c.home.note("process %d runs an older build of ctxfs (version %s; this program: %s); replace it, which keeps what is mounted: ctxfs mount", g.Pid, g.Version, c.home.Version)
	case newer:
		c.home.note("process %d runs version %s of ctxfs, this program is the older version %s; use the newer one: %s", g.Pid, g.Version, c.home.Version, g.Program)
	}
	return nil
}

// line reads a line, and watches the process while it waits.
func (c *Client) line(ctx context.Context, w wait) ([]byte, error) {
	if w == stayEnd {
		line, err := c.lines.ReadBytes('\n')
		if err != nil {
			err = brokenOff(ctx, nil, err)
		}
		return line, err
	}
	v := c.home.watch(c.Pid, w, c.Limit, func() { c.conn.Close() })
	line, err := c.lines.ReadBytes('\n')
	if verdict := v.close(); err != nil {
		return nil, brokenOff(ctx, verdict, err)
	}
	return line, nil
}

// Close ends the conversation; the server then cancels the request.
func (c *Client) Close() error { return c.conn.Close() }

// Ask implements fs.Asker: it sends a request and decodes the last reply. A healthy
// process immediately answers what is not slow: one that does not, and is not busy,
// is a [Silent]. A *Fault is the server's own error; any other error is one of the
// connection. The end of the context ends the conversation. It may be called once.
func (c *Client) Ask(ctx context.Context, r fs.Request) error {
	w := promptReply
	if r.Slow {
		w = slowReply
	}
	if err := c.call(ctx, r.Name, r.Question, r.Answer, r.Progress, w); err != nil || r.Body == nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { c.conn.Close() })
	defer stop()
	size := fs.Follows(r.Answer)
	n, err := io.Copy(r.Body, io.LimitReader(c.lines, size))
	switch {
	case ctx.Err() != nil && n < size:
		return context.Cause(ctx)
	case err == nil && n < size:
		return io.ErrUnexpectedEOF
	}
	return err
}

// Stay is Ask for a request that lasts as long as the conversation. It calls
// held at the first reply; from then on the process need not answer.
func (c *Client) Stay(ctx context.Context, op string, args any, held func()) error {
	return c.call(ctx, op, args, nil, func(json.RawMessage) { held() }, stayBegin)
}

func (c *Client) call(ctx context.Context, op string, args, value any, each func(json.RawMessage), w wait) error {
	stop := context.AfterFunc(ctx, func() { c.conn.Close() })
	defer stop()
	body, err := json.Marshal(args)
	if err != nil {
		return err
	}
	if err := writeLine(c.conn, request{Op: op, Args: body, Confined: fs.ConfinedIn(ctx)}); err != nil {
		return brokenOff(ctx, nil, err)
	}
	for {
		line, err := c.line(ctx, w)
		if err != nil {
			return err
		}
		var r reply
		if err := json.Unmarshal(line, &r); err != nil {
			return brokenOff(ctx, nil, err)
		}
		switch {
		case r.Fault != nil:
			return r.Fault
		case r.More:
			if w == stayBegin {
				w = stayEnd
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
