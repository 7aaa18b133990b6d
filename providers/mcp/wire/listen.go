package wire

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// changesTold are the lists of which the server tells when they change.
func (c *Connection) changesTold() mcp.SubscriptionFilter {
	caps := c.info.Capabilities
	return mcp.SubscriptionFilter{
		ToolsListChanged:     caps.Tools != nil && caps.Tools.ListChanged,
		ResourcesListChanged: caps.Resources != nil && caps.Resources.ListChanged,
		PromptsListChanged:   caps.Prompts != nil && caps.Prompts.ListChanged,
	}
}

// subscribes tells whether the server can tell when a resource changes.
func (c *Connection) subscribes() bool {
	r := c.info.Capabilities.Resources
	return r != nil && r.Subscribe
}

// NeedsSubscriptions reports whether the server tells of changed resources only
// where it is subscribed to each. One of the new era is asked by the stream of
// its notifications.
func (c *Connection) NeedsSubscriptions() bool { return c.legacy && c.subscribes() }

func (c *Connection) announcesChanges() bool { return !c.changesTold().IsEmpty() || c.subscribes() }

// notified runs on the transport's reader: it may only post.
func (c *Connection) notified(n mcp.JSONRPCNotification) {
	switch n.Method {
	case mcp.MethodNotificationToolsListChanged, mcp.MethodNotificationResourcesListChanged, mcp.MethodNotificationPromptsListChanged:
		c.news()
	case mcp.MethodNotificationResourceUpdated:
		if uri, ok := n.Params.AdditionalFields["uri"].(string); ok {
			c.Watched.outdate(uri)
		}
	case string(mcp.MethodNotificationProgress):
		c.flights.progress(n.Params.AdditionalFields)
	case mcp.MethodNotificationSubscriptionsAcknowledged:
		c.Watched.outdateAll() // what has happened until now was not told
	}
}

func (c *Connection) news() {
	select {
	case c.Changed <- struct{}{}:
	default:
	}
}

// listen keeps a stream of notifications open, which servers of the new era
// want to be asked for. A server that has none is left in peace; one that
// cannot be reached twice running is lost.
func (c *Connection) listen(now func() time.Time) {
	failed := false
	for {
		begun := now()
		filter := c.changesTold()
		ctx, stop, uris := c.Watched.filter(c.Context)
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
		case c.Context.Err() != nil:
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
		failed = err != nil && now().Sub(begun) < 2*c.timing.Relisten
		timer := time.NewTimer(c.timing.Relisten)
		select {
		case <-c.Context.Done():
			timer.Stop()
			return
		case <-c.Lost:
			timer.Stop()
			return
		case <-timer.C:
			c.news() // of what happened meanwhile
			c.Watched.outdateAll()
		}
	}
}

// Watched are the resources whose changes a connection is to tell of.
type Watched struct {
	// News gets a value when one has changed, or others are to be watched.
	News chan struct{}

	mu    sync.Mutex
	stale map[string]bool // by URI: whether it is to be read again
	turn  func()          // ends the stream of notifications, for one with another filter
}

func (w *Watched) Post() {
	select {
	case w.News <- struct{}{}:
	default:
	}
}

// Set says which are watched from now on, and returns those that were not and
// those that are no more. The fresh ones are stale.
func (w *Watched) Set(uris []string) (fresh, dropped []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	stale := make(map[string]bool, len(uris))
	for _, uri := range uris {
		was, had := w.stale[uri]
		stale[uri] = was || !had
		if !had {
			fresh = append(fresh, uri)
		}
	}
	for uri := range w.stale {
		if _, has := stale[uri]; !has {
			dropped = append(dropped, uri)
		}
	}
	w.stale = stale
	if len(fresh)+len(dropped) > 0 && w.turn != nil {
		w.turn()
	}
	return fresh, dropped
}

// outdate marks a resource that is watched.
func (w *Watched) outdate(uri string) {
	w.mu.Lock()
	_, has := w.stale[uri]
	if has {
		w.stale[uri] = true
	}
	w.mu.Unlock()
	if has {
		w.Post()
	}
}

// outdateAll marks all: changes may have been missed.
func (w *Watched) outdateAll() {
	w.mu.Lock()
	for uri := range w.stale {
		w.stale[uri] = true
	}
	some := len(w.stale) > 0
	w.mu.Unlock()
	if some {
		w.Post()
	}
}

// TakeStale gives those that are to be read again, once.
func (w *Watched) TakeStale() (uris []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for uri, is := range w.stale {
		if is {
			w.stale[uri] = false
			uris = append(uris, uri)
		}
	}
	slices.Sort(uris)
	return uris
}

// filter gives those that are watched now, and a context that ends when they
// are others.
func (w *Watched) filter(ctx context.Context) (context.Context, context.CancelFunc, []string) {
	ctx, turn := context.WithCancel(ctx)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.turn = turn
	var uris []string
	for uri := range w.stale {
		uris = append(uris, uri)
	}
	slices.Sort(uris)
	return ctx, turn, uris
}
