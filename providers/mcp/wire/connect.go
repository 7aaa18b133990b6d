// Package wire speaks the Model Context Protocol to servers. It is the only
// importer of mcp-go's client, in both eras of the protocol: the one with
// initialize and sessions (until 2025-11-25) and the one with server/discover.
//
// A [Dialer] connects (connect.go) over one of three transports: a process's
// standard input and output (package lines), HTTP (http.go), or HTTP as it was
// until 2024-11-05 (sse.go); era.go makes the library's probe for the new era
// strict. A [Connection] fetches the server's lists (list.go), sends requests whose
// results stay raw (request.go, pending.go), and follows the server's notifications
// (listen.go, logging.go). Errors have types in errors.go, and are explained for
// STATUS.md in explain.go.
//
// While a server works on a request it may ask back (question.go): by a request of
// its own in the old era (incoming.go), in the result of ours in the new one, or by
// an error that names addresses to open first (rounds.go). It may also ask for
// folders (roots.go). A request may become a task (task.go), whose end is waited for
// (await.go).
//
// Source of the protocol: modelcontextprotocol.io/specification.
//
// The official Go SDK is not used: it fails on a line of standard output that is not
// JSON, and its HTTP sessions stay dead after the server restarts. mcp-go loses parts
// of a tool's definition, so lists are read raw.
package wire

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"ctxfs/fs/cell"
	"ctxfs/fs/rounds"
	"ctxfs/providers/internal/background"
	"ctxfs/providers/internal/oauth"
	"ctxfs/providers/mcp/catalogue"
	"ctxfs/providers/mcp/config"
	"ctxfs/providers/mcp/lines"
	"ctxfs/providers/mcp/supervise"
)

// Connection is a server that has answered the handshake. It is safe for
// concurrent use.
type Connection struct {
	client    *client.Client
	transport transport.Interface
	info      *mcp.InitializeResult
	legacy    bool

	// Changed receives a value when the server says that a list has changed.
	Changed chan struct{}
	// Watched are the resources whose changes are followed.
	Watched Watched
	// Lost is closed when the server has exited or cannot be reached.
	Lost     chan struct{}
	loseOnce sync.Once
	cause    error // why, if that is known; read after lost

	kind    string             // the transport
	Process *supervise.Process // of stdio, else nil
	input   *lines.Writer      // of stdio
	output  *lines.Reader      // of stdio
	http    *roundTripper      // of HTTP

	timing Timing
	// Context ends when the connection is closed.
	Context context.Context
	cancel  context.CancelCauseFunc
	running background.Work
	pending pendingRequests

	// What the server may ask, see incoming.go.
	capabilities mcp.ClientCapabilities
	roots        roots
	questions    questions
	completions  completions
	replies      chan []byte   // of stdio: answers to its requests
	unanswered   atomic.Bool   // of stdio: the probe was given up
	discovered   atomic.Bool   // of stdio: an answer to server/discover has come
	unwritten    atomic.Int32  // of those, how many are not written yet
	posting      chan struct{} // of HTTP: holds a value for each answer under way
	shaken       chan struct{} // closed after the handshake
	address      string        // of HTTP
	headers      map[string]string

	log      logGate
	logLevel atomic.Pointer[string]
	tasks    taskNews
}

// Era is one of the two eras of the protocol.
type Era int

// The eras.
const (
	Unknown Era = iota
	Legacy      // the one with initialize
	Modern      // the one with server/discover
)

// Dialer connects to one server.
type Dialer struct {
	Def   *config.Server
	Login *oauth.Session // nil if it has no login
	HTTP  http.RoundTripper
	Start *supervise.Start
	Home  string
	// Environ returns the environment of the user.
	Environ func() []string
	Timing  Timing
	Now     func() time.Time
	// Roots are the folders that a server may ask for, as absolute paths. If it is
	// nil, the server is told that it cannot ask.
	Roots []string
	// Samples reports that the server may ask for the answer of a language model.
	Samples bool
	// Log is called with each logging message of the server, from a transport's
	// reader: it only posts. It may be nil.
	Log func(LogMessage)
	// Era is the era that the server is known to speak.
	Era Era
	// LogLevel is the least level of logging messages that the server is asked
	// for, see [Connection.SetLogLevel]; "" is the server's own choice.
	LogLevel string
}

// Timing holds the timeouts and delays of connections.
type Timing struct {
	// Discover is the timeout of the probe for the new era for a server that may not
	// answer it at all; others have longer. If it is negative, there is no timeout.
	Discover time.Duration
	Deaf     time.Duration // how long a process may read nothing of a message
	Relisten time.Duration // delay before a stream of notifications that ended is reopened
	Grace    supervise.Grace
}

// Dial connects to the server in the era that it is known to speak. If that fails,
// it tries, once each:
//
//  1. HTTP+SSE, if a server over HTTP refuses the handshake as one with a stream
//     for its answers does;
//  2. the other era: a strict server of the old era exits at the probe for the new
//     one, and a server may have been replaced by a newer one.
//
// The connection is never nil. With an error it is closed, and holds what is
// known of the attempt, for [Connection.Explain].
func (d *Dialer) Dial(ctx context.Context) (*Connection, error) {
	kind, legacy := d.Def.Transport, d.Era == Legacy
	c, err := d.attempt(ctx, kind, legacy || kind == config.SSE)
	if err == nil || ctx.Err() != nil || kind == config.SSE {
		return c, err
	}
	if kind == config.Stdio && c.Process == nil || errors.Is(err, transport.ErrAuthorizationRequired) || c.http.needsLogin() != nil {
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
	if kind == config.Stdio && (c.output.TooLong() || !legacy && !hasEnded(err)) {
		return c, err // it is running and has refused
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

// connection returns a connection that has no transport yet.
func (d *Dialer) connection(ctx context.Context, kind string) *Connection {
	c := &Connection{
		kind: kind, timing: d.Timing, Changed: make(chan struct{}, 1), Watched: Watched{News: make(chan struct{}, 1)}, Lost: make(chan struct{}),
	}
	if kind != config.Stdio || d.Era == Modern {
		c.timing.Discover *= surePatience
	}
	c.Context, c.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	c.capabilities, c.roots.declared, c.roots.dirs = d.offer(), d.Roots != nil, slices.Clone(d.Roots)
	c.shaken, c.posting = make(chan struct{}), make(chan struct{}, maxQuestions)
	c.address, c.headers = d.Def.URL, d.Def.Headers
	c.log.to, c.log.now = d.Log, d.Now
	level := d.LogLevel
	c.logLevel.Store(&level)
	return c
}

// surePatience is how many times as long as others a server may take to answer the probe
// that is sure to answer it somehow: over HTTP, and where it has before.
const surePatience = 5

// attempt connects once, over one transport. A process that needs longer to start than
// is waited for its answer to the probe is asked in the old era, too; if the answer comes
// after all, it is started once more, and waited for.
func (d *Dialer) attempt(ctx context.Context, kind string, legacy bool) (*Connection, error) {
	c := d.connection(ctx, kind)
	if err := d.open(ctx, c, legacy); err != nil {
		c.cancel(nil)
		return c, err
	}
	err := c.handshake(ctx, legacy)
	if err == nil && kind == config.StreamableHTTP && c.legacy && !legacy {
		// What the server says and asks by itself comes on a separate stream, which
		// the library must be configured to open before the handshake.
		c.Close()
		return d.attempt(ctx, kind, true)
	}
	if err == nil && c.answeredLate() && d.Timing.Discover > 0 {
		c.Close()
		patient := *d
		patient.Timing.Discover = -1
		return patient.attempt(ctx, kind, false)
	}
	if err != nil {
		err = c.Ending(err)
		c.Close()
		return c, err
	}
	if !c.legacy && c.announcesChanges() {
		c.Go(func() { c.listen(d.Now) })
	}
	if d.LogLevel != "" && c.legacy {
		c.Go(func() {
			asking, stop := context.WithTimeout(c.Context, cancelling)
			defer stop()
			_ = c.SetLogLevel(asking, d.LogLevel) // then it logs what it chooses to
		})
	}
	return c, nil
}

// Command returns the command that starts the server; that of one over HTTP has no name.
func (d *Dialer) Command() supervise.Command {
	return supervise.Command{
		Name: d.Def.Command, Args: d.Def.Args, Env: config.Environ(d.Environ(), d.Home, d.Def.Env), Dir: cmp.Or(d.Def.Dir, d.Home),
	}
}

// open creates the transport, and starts the process if there is one. Starting
// bounds the time to connect.
func (d *Dialer) open(starting context.Context, c *Connection, legacy bool) error {
	if c.kind == config.Stdio {
		p, err := d.Start.Run(d.Command())
		if err != nil {
			return err
		}
		c.Process = p
		c.speak(p.Stdin, p.Stdout)
		c.output.Printed = d.Start.Print
		c.running.Go(func() {
			select {
			case <-p.Exited():
				c.lose(nil)
			case <-c.Context.Done():
			}
		})
		return nil
	}
	c.http = newRoundTripper(d.HTTP, c.lose, d.Timing.Grace.EOF, d.Login)
	wrong := &supervise.Fault{What: "the url of the entry is not valid", Hint: "correct the url"}
	if c.kind == config.SSE {
		c.http.answers, c.http.asked = true, c.asked
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
		transport.WithHTTPLogger(slog.New(slog.DiscardHandler)), // its lines hold addresses
	}
	if legacy {
		//lint:ignore SA1019 servers of the old era announce changes only there
		options = append(options, transport.WithContinuousListening())
	}
	t, err := transport.NewStreamableHTTP(d.Def.URL, options...)
	if err != nil {
		return wrong
	}
	c.transport = probedHTTP{t}
	return nil
}

// speak has the connection use the standard input and output of a server.
func (c *Connection) speak(in supervise.Input, out io.Reader) {
	c.output = lines.NewReader(out, func() { c.lose(errMute) })
	c.output.Asked, c.output.Logged = c.asked, c.log.message
	c.output.Unexpected = func(m lines.Message) {
		if isDiscovery(m.Result) {
			c.discovered.Store(true)
		}
	}
	if c.log.to != nil {
		c.output.Floods = c.log.drops
	}
	c.replies = make(chan []byte, maxQuestions)
	c.Go(c.writeReplies)
	c.input = lines.NewWriter(in, c.timing.Deaf, c.lose)
	c.transport = probedStdio{transport.NewIO(guarded{c}, c.input, nil), &c.unanswered}
}

// guarded is the output of a process as the library reads it: in a cell of its server.
type guarded struct{ c *Connection }

// Read implements io.Reader.
func (g guarded) Read(p []byte) (n int, err error) {
	err = io.ErrUnexpectedEOF // of a panic
	g.c.guard(func() { n, err = g.c.output.Read(p) })
	return n, err
}

// handshake finds out which era the server speaks, and what it offers.
func (c *Connection) handshake(ctx context.Context, legacy bool) error {
	options := []client.ClientOption{client.WithDiscoverTimeout(c.timing.Discover)}
	if legacy {
		//lint:ignore SA1019 strict servers of the old era exit at the probe for the new one
		options = append(options, client.WithLegacyProtocolOnly())
	}
	c.client = client.NewClient(c.transport, options...)
	c.client.OnNotification(func(n mcp.JSONRPCNotification) { c.guard(func() { c.notified(n) }) })
	if err := c.client.Start(c.Context); err != nil {
		return err
	}
	if b, ok := c.transport.(transport.BidirectionalInterface); ok {
		b.SetRequestHandler(func(ctx context.Context, r transport.JSONRPCRequest) (answer *transport.JSONRPCResponse, err error) {
			c.guard(func() { answer, err = c.handleRequest(ctx, r) })
			return answer, err
		})
	}
	request := mcp.InitializeRequest{}
	request.Params.ClientInfo, request.Params.Capabilities = clientInfo(), c.capabilities
	info, err := c.client.Initialize(ctx, request)
	var rpc *transport.Error
	if err != nil && !legacy && ctx.Err() == nil && !errors.As(err, &rpc) && c.Process != nil {
		// It has answered with an error. A server that speaks only the new era
		// does that when it was not up in time for the probe.
		info, err = c.client.Initialize(ctx, request)
	}
	if err != nil {
		return err
	}
	c.info = info
	c.legacy = !mcp.IsModernProtocol(info.ProtocolVersion)
	close(c.shaken)
	return nil
}

// answeredLate reports whether the server, with which the old era was agreed on, has
// answered the probe for the new one after it was given up.
func (c *Connection) answeredLate() bool {
	return c.legacy && c.unanswered.Load() && c.discovered.Load()
}

// clientInfo returns how ctxfs introduces itself.
func clientInfo() mcp.Implementation { return mcp.Implementation{Name: "ctxfs", Version: "1"} }

// offers reports whether the server has a list of that kind.
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

// lose marks the connection as lost. The cause may be nil.
func (c *Connection) lose(cause error) {
	c.loseOnce.Do(func() {
		c.cause = cause
		close(c.Lost)
	})
}

// IsLost reports whether the connection is lost.
func (c *Connection) IsLost() bool { return rounds.IsClosed(c.Lost) }

// Close ends the connection, its process and what [Connection.Go] started, and
// waits for all of them.
func (c *Connection) Close() { c.CloseFor(nil) }

// CloseFor is Close with a reason, which is the cause of the end of Context.
func (c *Connection) CloseFor(reason error) {
	c.cancel(reason)
	if c.output != nil {
		c.output.End() // nothing more will be read
	}
	if c.client != nil {
		_ = c.client.Close() // the end of our own process is not an error
	}
	if c.Process != nil {
		c.Process.Stop(c.timing.Grace)
	}
	if c.http != nil {
		(&http.Client{Transport: c.http.base}).CloseIdleConnections()
	}
	c.running.End()
}

// Describe stores in a catalogue how the server has introduced itself.
func (c *Connection) Describe(a *catalogue.About) {
	a.Transport, a.Protocol, a.Legacy, a.Instructions = c.kind, c.info.ProtocolVersion, c.legacy, c.info.Instructions
	a.Samples = c.capabilities.Sampling != nil
	a.Server = catalogue.ServerInfo{Name: c.info.ServerInfo.Name, Title: c.info.ServerInfo.Title, Version: c.info.ServerInfo.Version}
}

// WantsLogin reports whether the server has asked for a login.
func (c *Connection) WantsLogin() bool { return c.http.needsLogin() != nil }

// Go runs f in a goroutine that Close waits for; after it f is not run. F must return when
// Context ends.
func (c *Connection) Go(f func()) { c.running.Go(func() { c.guard(f) }) }

// guard runs f in a cell. With its panic the connection is lost.
func (c *Connection) guard(f func()) {
	if err := cell.Run(f); err != nil {
		c.lose(err)
	}
}
