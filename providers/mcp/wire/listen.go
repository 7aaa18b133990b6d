package wire

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"ctxfs/providers/mcp/lines"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"ctxfs/fs/rounds"
)

// announced returns the lists whose changes the server announces.
func (c *Connection) announced() mcp.SubscriptionFilter {
	caps := c.info.Capabilities
	return mcp.SubscriptionFilter{
		ToolsListChanged:     caps.Tools != nil && caps.Tools.ListChanged,
		ResourcesListChanged: caps.Resources != nil && caps.Resources.ListChanged,
		PromptsListChanged:   caps.Prompts != nil && caps.Prompts.ListChanged,
	}
}

// subscribes reports whether the server can announce changes of a resource.
func (c *Connection) subscribes() bool {
	r := c.info.Capabilities.Resources
	return r != nil && r.Subscribe
}

// NeedsSubscriptions reports whether each resource must be subscribed to for its
// changes to be announced. In the new era the stream of notifications asks for
// them.
func (c *Connection) NeedsSubscriptions() bool { return c.legacy && c.subscribes() }

// announcesChanges reports whether the server announces changes of anything.
func (c *Connection) announcesChanges() bool { return !c.announced().IsEmpty() || c.subscribes() }

// notified handles a notification. It runs on the transport's reader, so it must
// not block.
func (c *Connection) notified(n mcp.JSONRPCNotification) {
	switch n.Method {
	case mcp.MethodNotificationToolsListChanged, mcp.MethodNotificationResourcesListChanged, mcp.MethodNotificationPromptsListChanged:
		rounds.Tell(c.Changed)
	case mcp.MethodNotificationResourceUpdated:
		if uri, ok := n.Params.AdditionalFields["uri"].(string); ok {
			c.Watched.outdate(uri)
		}
	case string(mcp.MethodNotificationProgress):
		c.pending.progress(n.Params.AdditionalFields)
	case lines.LogMethod: // over HTTP
		if params, err := json.Marshal(n.Params.AdditionalFields); err == nil {
			c.log.message(params)
		}
	case string(mcp.MethodNotificationCancelled):
		c.questions.withdraw(n.Params.AdditionalFields["requestId"])
	case string(mcp.MethodNotificationElicitationComplete):
		if id, ok := n.Params.AdditionalFields["elicitationId"].(string); ok {
			c.completions.complete(id)
		}
	case mcp.MethodNotificationTasksStatus, notificationTasks:
		if id, ok := n.Params.AdditionalFields["taskId"].(string); ok {
			c.tasks.post(id)
		}
	case mcp.MethodNotificationSubscriptionsAcknowledged:
		c.Watched.outdateAll() // changes until now were not announced
	}
}

// listen keeps a stream of notifications open, which servers of the new era only
// open on request. A server that does not know the request is not asked again;
// one that cannot be reached twice in a row is lost.
func (c *Connection) listen(now func() time.Time) {
	failed := false
	for {
		begun := now()
		filter := c.announced()
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
		select {
		case <-c.Context.Done():
			return
		case <-c.Lost:
			return
		case <-time.After(c.timing.Relisten):
			rounds.Tell(c.Changed) // something may have changed meanwhile
			c.Watched.outdateAll()
		}
	}
}

// Watched is the set of resources whose changes a connection follows. It is safe
// for concurrent use.
type Watched struct {
	// News receives a value when one has changed, or when the set is to change.
	News chan struct{}

	mu    sync.Mutex
	stale map[string]bool // by URI: whether it is to be read again
	turn  func()          // ends the stream of notifications, which is reopened with another filter
}

// Post sends a value to News.
func (w *Watched) Post() { rounds.Tell(w.News) }

// Set replaces the set, and returns the resources that are new in it and those
// that were dropped. New ones are stale.
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

// outdate marks a watched resource as stale.
func (w *Watched) outdate(uri string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, has := w.stale[uri]; has {
		w.stale[uri] = true
		w.Post()
	}
}

// outdateAll marks all resources as stale: changes may have been missed.
func (w *Watched) outdateAll() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for uri := range w.stale {
		w.stale[uri] = true
		w.Post()
	}
}

// TakeStale returns the stale resources, sorted, and marks them as current.
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

// filter returns the watched resources, sorted, and a context that ends when the
// set changes.
func (w *Watched) filter(ctx context.Context) (context.Context, context.CancelFunc, []string) {
	ctx, turn := context.WithCancel(ctx)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.turn = turn
	return ctx, turn, slices.Sorted(maps.Keys(w.stale))
}
