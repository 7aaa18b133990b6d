package mcp

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"syscall"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"ctxfs/providers/internal/oauth"
	"ctxfs/providers/mcp/catalogue"
	"ctxfs/providers/mcp/config"
	"ctxfs/providers/mcp/supervise"
)

// connection is a server that has answered the handshake.
type connection struct {
	client    *client.Client
	transport transport.Interface
	info      *mcp.InitializeResult
	legacy    bool

	// slow says that the process has a low priority for ever.
	slow bool
	// changed gets a value when the server says that a list has changed.
	changed chan struct{}
	watched watched
	// lost is closed when the server has ended or cannot be reached.
	lost     chan struct{}
	loseOnce sync.Once
	cause    error // why, if that is known; read after lost

	kind    string             // the transport
	process *supervise.Process // of stdio
	input   *stdin             // of stdio
	output  *messages          // of stdio
	http    *roundTripper      // of HTTP

	background context.Context // of everything that runs as long as the connection
	cancel     context.CancelFunc
	running    sync.WaitGroup
	flights    flights
}

// dialer is what connections of one server have in common.
type dialer struct {
	def    *config.Server
	login  *oauth.Session // nil where there can be none
	start  *supervise.Start
	home   string
	lookup func(string) (string, bool)
	timing timing
	now    func() time.Time
}

// dial connects to the server, in the era it is known to speak. Where that
// fails it tries the other way once: a strict server of the old era ends at
// the probe for the new one, and a server may have been replaced by a newer
// one. A server over HTTP that refuses the handshake may be one with a stream
// for its answers (sse). The connection that is returned with an error tells what is known of
// the attempt, and is closed.
func (d *dialer) dial(ctx context.Context, legacy bool) (*connection, error) {
	kind := d.def.Transport
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

// errMute says that a server's standard output has ended. Mostly that is
// because the server has.
var errMute = errors.New("the server has closed its standard output and runs on")

// hasEnded tells whether an error is that of a process that has ended.
func hasEnded(err error) bool {
	return errors.Is(err, transport.ErrTransportClosed) || errors.Is(err, syscall.EPIPE)
}

// attempt connects once, by a transport.
func (d *dialer) attempt(ctx context.Context, kind string, legacy bool) (*connection, error) {
	c := &connection{
		kind: kind, changed: make(chan struct{}, 1), watched: watched{news: make(chan struct{}, 1)}, lost: make(chan struct{}),
	}
	c.background, c.cancel = context.WithCancel(context.WithoutCancel(ctx))
	if err := d.open(ctx, c, legacy); err != nil {
		c.cancel()
		return c, err
	}
	err := c.handshake(ctx, d.timing, legacy)
	if err == nil && kind == config.StreamableHTTP && c.legacy && !legacy && c.announcesChanges() {
		// Changes are told on a stream of its own then, which the library
		// must be told to open before the handshake.
		c.close(d.timing)
		return d.attempt(ctx, kind, true)
	}
	if err != nil {
		err = c.ending(err, d.timing)
		c.close(d.timing)
		return c, err
	}
	if !c.legacy && c.announcesChanges() {
		c.running.Go(func() { c.listen(d.timing, d.now) })
	}
	return c, nil
}

// open makes the transport of a connection that is being made until starting
// ends, and starts the process if there is one.
func (d *dialer) open(starting context.Context, c *connection, legacy bool) error {
	if c.kind == config.Stdio {
		p, err := d.start.Run(supervise.Command{
			Name: d.def.Command, Args: d.def.Args, Env: config.Environ(d.lookup, d.home, d.def.Env), Dir: cmp.Or(d.def.Dir, d.home),
		})
		if err != nil {
			return err
		}
		c.process = p
		c.output = newMessages(p.Stdout, func() { c.lose(errMute) })
		c.output.printed = d.start.Print
		c.input = newStdin(p.Stdin, d.timing.deaf, c.lose)
		c.transport = probedStdio{transport.NewIO(c.output, c.input, nil)}
		c.running.Go(func() {
			select {
			case <-p.Exited():
				c.lose(nil)
			case <-c.background.Done():
			}
		})
		return nil
	}
	c.http = newRoundTripper(c.lose, d.timing.eof, d.login)
	wrong := &supervise.Fault{What: "the url of the entry is not valid", Hint: "correct the url"}
	if c.kind == config.SSE {
		c.http.answers = true
		t, err := newSSE(starting, c, d.def)
		if err != nil {
			return wrong
		}
		c.transport = t
		return nil
	}
	options := []transport.StreamableHTTPCOption{
		transport.WithHTTPBasicClient(c.http.client()),
		transport.WithHTTPHeaders(d.def.Headers),
		transport.WithHTTPLogger(slog.New(slog.DiscardHandler)), // it tells addresses
	}
	if legacy {
		//lint:ignore SA1019 servers of the old era tell of changes only there
		options = append(options, transport.WithContinuousListening())
	}
	t, err := transport.NewStreamableHTTP(d.def.URL, options...)
	if err != nil {
		return wrong
	}
	c.transport = probedHTTP{t}
	return nil
}

// handshake finds out which era the server speaks, and what it offers.
func (c *connection) handshake(ctx context.Context, t timing, legacy bool) error {
	options := []client.ClientOption{client.WithDiscoverTimeout(t.discover)}
	if legacy {
		//lint:ignore SA1019 strict servers of the old era end at the probe for the new one
		options = append(options, client.WithLegacyProtocolOnly())
	}
	c.client = client.NewClient(c.transport, options...)
	c.client.OnNotification(c.notified)
	if err := c.client.Start(c.background); err != nil {
		return err
	}
	if b, ok := c.transport.(transport.BidirectionalInterface); ok {
		b.SetRequestHandler(c.asked)
	}
	request := mcp.InitializeRequest{}
	request.Params.ClientInfo = clientInfo()
	info, err := c.client.Initialize(ctx, request)
	var rpc *transport.Error
	if err != nil && !legacy && ctx.Err() == nil && !errors.As(err, &rpc) && c.process != nil {
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
func (c *connection) offers(k catalogue.Kind) bool {
	switch caps := c.info.Capabilities; k {
	case catalogue.Tools:
		return caps.Tools != nil
	case catalogue.Prompts:
		return caps.Prompts != nil
	default:
		return caps.Resources != nil
	}
}

// changesTold are the lists of which the server tells when they change.
func (c *connection) changesTold() mcp.SubscriptionFilter {
	caps := c.info.Capabilities
	return mcp.SubscriptionFilter{
		ToolsListChanged:     caps.Tools != nil && caps.Tools.ListChanged,
		ResourcesListChanged: caps.Resources != nil && caps.Resources.ListChanged,
		PromptsListChanged:   caps.Prompts != nil && caps.Prompts.ListChanged,
	}
}

// subscribes tells whether the server can tell when a resource changes.
func (c *connection) subscribes() bool {
	r := c.info.Capabilities.Resources
	return r != nil && r.Subscribe
}

func (c *connection) announcesChanges() bool { return !c.changesTold().IsEmpty() || c.subscribes() }

// notified runs on the transport's reader: it may only post.
func (c *connection) notified(n mcp.JSONRPCNotification) {
	switch n.Method {
	case mcp.MethodNotificationToolsListChanged, mcp.MethodNotificationResourcesListChanged, mcp.MethodNotificationPromptsListChanged:
		c.news()
	case mcp.MethodNotificationResourceUpdated:
		if uri, ok := n.Params.AdditionalFields["uri"].(string); ok {
			c.watched.outdate(uri)
		}
	case string(mcp.MethodNotificationProgress):
		c.flights.progress(n.Params.AdditionalFields)
	case mcp.MethodNotificationSubscriptionsAcknowledged:
		c.watched.outdateAll() // what has happened until now was not told
	}
}

func (c *connection) news() {
	select {
	case c.changed <- struct{}{}:
	default:
	}
}

// listen keeps a stream of notifications open, which servers of the new era
// want to be asked for. A server that has none is left in peace; one that
// cannot be reached twice running is lost.
func (c *connection) listen(t timing, now func() time.Time) {
	failed := false
	for {
		begun := now()
		filter := c.changesTold()
		ctx, stop, uris := c.watched.filter(c.background)
		if c.subscribes() {
			filter.ResourceSubscriptions = uris
		}
		var err error
		if filter.IsEmpty() {
			<-ctx.Done()
		} else {
			err = c.client.Listen(ctx, filter)
		}
		turned := ctx.Err() != nil
		stop()
		var broken *transport.Error
		switch {
		case c.background.Err() != nil:
			return
		case turned: // other resources are watched
			failed = false
			continue
		case err != nil && !errors.As(err, &broken):
			return // it does not know the request
		case err != nil && failed:
			c.lose(broken.Err)
			return
		}
		failed = err != nil && now().Sub(begun) < 2*t.relisten
		timer := time.NewTimer(t.relisten)
		select {
		case <-c.background.Done():
			timer.Stop()
			return
		case <-c.lost:
			timer.Stop()
			return
		case <-timer.C:
			c.news() // of what happened meanwhile
			c.watched.outdateAll()
		}
	}
}

func (c *connection) lose(cause error) {
	c.loseOnce.Do(func() {
		c.cause = cause
		close(c.lost)
	})
}

func (c *connection) isLost() bool {
	select {
	case <-c.lost:
		return true
	default:
		return false
	}
}

// close ends the connection and its process, and waits for both.
func (c *connection) close(t timing) {
	c.cancel()
	if c.output != nil {
		c.output.end() // nobody reads any more
	}
	if c.client != nil {
		_ = c.client.Close() // what it says of the end of a process of ours is no news
	}
	if c.process != nil {
		c.process.Stop(t.grace())
	}
	if c.http != nil {
		c.http.base.CloseIdleConnections()
	}
	c.running.Wait()
}
