// Package wire speaks the Model Context Protocol to servers. It is the only
// importer of mcp-go's client, in both eras of the protocol: the one with
// initialize and sessions (until 2025-11-25) and the one with server/discover.
//
// A [Dialer] connects (connect.go) over one of three transports: a process's
// standard input and output (stdin.go, lines.go), HTTP (http.go), or HTTP as it
// was until 2024-11-05 (sse.go); era.go makes the library's probe for the new era
// strict. A [Connection] fetches the server's lists (list.go), sends requests
// whose results stay raw (request.go, pending.go), and follows the server's
// notifications (listen.go). What goes wrong has a type in errors.go, and is put
// into words for STATUS.md in explain.go.
//
// Source of the protocol: modelcontextprotocol.io/specification.
package wire

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"ctxfs/providers/internal/oauth"
	"ctxfs/providers/mcp/catalogue"
	"ctxfs/providers/mcp/config"
	"ctxfs/providers/mcp/supervise"
)

// Connection is a server that has answered the handshake.
type Connection struct {
	client    *client.Client
	transport transport.Interface
	info      *mcp.InitializeResult
	legacy    bool

	// Slow says that the process has a low priority for ever.
	Slow bool
	// Changed gets a value when the server says that a list has changed.
	Changed chan struct{}
	Watched Watched
	// Lost is closed when the server has ended or cannot be reached.
	Lost     chan struct{}
	loseOnce sync.Once
	cause    error // why, if that is known; read after lost

	kind    string             // the transport
	Process *supervise.Process // of stdio
	input   *stdin             // of stdio
	output  *messages          // of stdio
	http    *roundTripper      // of HTTP

	timing  Timing
	Context context.Context // of everything that runs as long as the connection
	cancel  context.CancelFunc
	running sync.WaitGroup
	flights flights
}

// Dialer is what connections of one server have in common.
type Dialer struct {
	Def    *config.Server
	Login  *oauth.Session // nil where there can be none
	Start  *supervise.Start
	Home   string
	Lookup func(string) (string, bool)
	Timing Timing
	Now    func() time.Time
}

// Timing are the waits of connections.
type Timing struct {
	Discover time.Duration // for an answer to the probe for the new era
	Deaf     time.Duration // for which a process may take nothing of a message
	Relisten time.Duration // before a stream of notifications that ended is opened again
	Grace    supervise.Grace
}

// Dial connects to the server, in the era it is known to speak. Where that
// fails it tries the other way once: a strict server of the old era ends at
// the probe for the new one, and a server may have been replaced by a newer
// one. A server over HTTP that refuses the handshake may be one with a stream
// for its answers (sse). The connection that is returned with an error tells what is known of
// the attempt, and is closed.
func (d *Dialer) Dial(ctx context.Context, legacy bool) (*Connection, error) {
	kind := d.Def.Transport
	c, err := d.attempt(ctx, kind, legacy || kind == config.SSE)
	if err == nil || ctx.Err() != nil || kind == config.SSE {
		return c, err
	}
	var start *supervise.Fault
	if errors.As(err, &start) || errors.Is(err, transport.ErrAuthorizationRequired) || c.http.needsLogin() != nil {
		return c, err
	}
	if errors.Is(err, transport.ErrLegacySSEServer) && c.http.lastStatus() != http.StatusForbidden {
		if other, errOther := d.attempt(ctx, config.SSE, true); errOther == nil || other.http.needsLogin() != nil {
			return other, errOther
		}
		if !legacy {
			return c, err
		}
	}
	if kind == config.Stdio && (c.output.tooLong() || !legacy && !hasEnded(err)) {
		return c, err // it lives and has refused
	}
	if kind != config.Stdio && !legacy {
		return c, err // the library has tried both
	}
	again, errAgain := d.attempt(ctx, kind, !legacy)
	if errAgain != nil && legacy {
		return c, err
	}
	return again, errAgain
}

// attempt connects once, by a transport.
func (d *Dialer) attempt(ctx context.Context, kind string, legacy bool) (*Connection, error) {
	c := &Connection{
		kind: kind, timing: d.Timing, Changed: make(chan struct{}, 1), Watched: Watched{News: make(chan struct{}, 1)}, Lost: make(chan struct{}),
	}
	c.Context, c.cancel = context.WithCancel(context.WithoutCancel(ctx))
	if err := d.open(ctx, c, legacy); err != nil {
		c.cancel()
		return c, err
	}
	err := c.handshake(ctx, legacy)
	if err == nil && kind == config.StreamableHTTP && c.legacy && !legacy && c.announcesChanges() {
		// Changes are told on a stream of its own then, which the library
		// must be told to open before the handshake.
		c.Close()
		return d.attempt(ctx, kind, true)
	}
	if err != nil {
		err = c.Ending(err)
		c.Close()
		return c, err
	}
	if !c.legacy && c.announcesChanges() {
		c.running.Go(func() { c.listen(d.Now) })
	}
	return c, nil
}

// open makes the transport of a connection that is being made until starting
// ends, and starts the process if there is one.
func (d *Dialer) open(starting context.Context, c *Connection, legacy bool) error {
	if c.kind == config.Stdio {
		p, err := d.Start.Run(supervise.Command{
			Name: d.Def.Command, Args: d.Def.Args, Env: config.Environ(d.Lookup, d.Home, d.Def.Env), Dir: cmp.Or(d.Def.Dir, d.Home),
		})
		if err != nil {
			return err
		}
		c.Process = p
		c.output = newMessages(p.Stdout, func() { c.lose(errMute) })
		c.output.printed = d.Start.Print
		c.input = newStdin(p.Stdin, d.Timing.Deaf, c.lose)
		c.transport = probedStdio{transport.NewIO(c.output, c.input, nil)}
		c.running.Go(func() {
			select {
			case <-p.Exited():
				c.lose(nil)
			case <-c.Context.Done():
			}
		})
		return nil
	}
	c.http = newRoundTripper(c.lose, d.Timing.Grace.EOF, d.Login)
	wrong := &supervise.Fault{What: "the url of the entry is not valid", Hint: "correct the url"}
	if c.kind == config.SSE {
		c.http.answers = true
		t, err := newSSE(starting, c, d.Def)
		if err != nil {
			return wrong
		}
		c.transport = t
		return nil
	}
	options := []transport.StreamableHTTPCOption{
		transport.WithHTTPBasicClient(c.http.client()),
		transport.WithHTTPHeaders(d.Def.Headers),
		transport.WithHTTPLogger(slog.New(slog.DiscardHandler)), // it tells addresses
	}
	if legacy {
		//lint:ignore SA1019 servers of the old era tell of changes only there
		options = append(options, transport.WithContinuousListening())
	}
	t, err := transport.NewStreamableHTTP(d.Def.URL, options...)
	if err != nil {
		return wrong
	}
	c.transport = probedHTTP{t}
	return nil
}

// handshake finds out which era the server speaks, and what it offers.
func (c *Connection) handshake(ctx context.Context, legacy bool) error {
	options := []client.ClientOption{client.WithDiscoverTimeout(c.timing.Discover)}
	if legacy {
		//lint:ignore SA1019 strict servers of the old era end at the probe for the new one
		options = append(options, client.WithLegacyProtocolOnly())
	}
	c.client = client.NewClient(c.transport, options...)
	c.client.OnNotification(c.notified)
	if err := c.client.Start(c.Context); err != nil {
		return err
	}
	if b, ok := c.transport.(transport.BidirectionalInterface); ok {
		b.SetRequestHandler(c.asked)
	}
	request := mcp.InitializeRequest{}
	request.Params.ClientInfo = clientInfo()
	info, err := c.client.Initialize(ctx, request)
	var rpc *transport.Error
	if err != nil && !legacy && ctx.Err() == nil && !errors.As(err, &rpc) && c.Process != nil {
		// It has answered with an error. A server of the new era alone does
		// that when it was not up in time for the probe.
		info, err = c.client.Initialize(ctx, request)
	}
	if err != nil {
		return err
	}
	c.info = info
	c.legacy = !mcp.IsModernProtocol(info.ProtocolVersion)
	return nil
}

// clientInfo is what servers are told of us.
func clientInfo() mcp.Implementation { return mcp.Implementation{Name: "ctxfs", Version: "1"} }

// offers tells whether the server has such a list.
func (c *Connection) offers(k catalogue.Kind) bool {
	switch caps := c.info.Capabilities; k {
	case catalogue.Tools:
		return caps.Tools != nil
	case catalogue.Prompts:
		return caps.Prompts != nil
	default:
		return caps.Resources != nil
	}
}

func (c *Connection) lose(cause error) {
	c.loseOnce.Do(func() {
		c.cause = cause
		close(c.Lost)
	})
}

func (c *Connection) IsLost() bool {
	select {
	case <-c.Lost:
		return true
	default:
		return false
	}
}

// Close ends the connection and its process, and waits for both.
func (c *Connection) Close() {
	c.cancel()
	if c.output != nil {
		c.output.end() // nobody reads any more
	}
	if c.client != nil {
		_ = c.client.Close() // what it says of the end of a process of ours is no news
	}
	if c.Process != nil {
		c.Process.Stop(c.timing.Grace)
	}
	if c.http != nil {
		c.http.base.CloseIdleConnections()
	}
	c.running.Wait()
}

// Describe says in a catalogue how the server has introduced itself.
func (c *Connection) Describe(a *catalogue.About) {
	a.Transport, a.Protocol, a.Legacy, a.Instructions = c.kind, c.info.ProtocolVersion, c.legacy, c.info.Instructions
	a.Server = catalogue.ServerInfo{Name: c.info.ServerInfo.Name, Title: c.info.ServerInfo.Title, Version: c.info.ServerInfo.Version}
}

// WantsLogin reports whether the server has asked for a login.
func (c *Connection) WantsLogin() bool { return c.http.needsLogin() != nil }

// Go runs f, for which close waits. F ends with the connection.
func (c *Connection) Go(f func()) { c.running.Go(f) }
