package kept

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"ctxfs/providers/mcp/calls"
	"ctxfs/providers/mcp/catalogue"
	"ctxfs/providers/mcp/wire"
)

// Follow updates the resources when they change, until the connection ends.
func (r *Resources) Follow(c *wire.Connection) {
	r.follow(c)
	defer r.follow(nil)
	ctx, settle := c.Context, r.o.Settle
	var done time.Time
	for {
		r.mu.Lock()
		uris := slices.Sorted(maps.Keys(r.contents))
		r.mu.Unlock()
		fresh, dropped := c.Watched.Set(uris)
		r.subscribe(c, fresh, dropped)
		for _, uri := range c.Watched.TakeStale() {
			r.readAgain(c, uri)
		}
		done = r.o.Env.Now()
		select {
		case <-ctx.Done():
			return
		case <-c.Lost:
			return
		case <-c.Watched.News:
		}
		if r.o.Env.Now().Sub(done) > 2*settle {
			settle = r.o.Settle
		} else { // there is always news
			settle = min(2*settle, r.o.Calm)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(settle):
		}
	}
}

// follow sets the connection over which the resources are followed; nil is none.
func (r *Resources) follow(c *wire.Connection) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.followed = c
}

// subscribe subscribes to the changes of resources if the server requires that.
func (r *Resources) subscribe(c *wire.Connection, fresh, dropped []string) {
	if !c.NeedsSubscriptions() {
		return
	}
	for _, uri := range fresh {
		_, err := r.request(c, "resources/subscribe", uri)
		r.record(c, uri, func(f *fault, why string) { f.telling = why }, err)
	}
	for _, uri := range dropped {
		_, _ = r.request(c, "resources/unsubscribe", uri) // further notifications are ignored
	}
}

func (r *Resources) request(c *wire.Connection, method, uri string) ([]byte, error) {
	ctx, stop := context.WithTimeout(c.Context, r.o.Call)
	defer stop()
	return c.Request(ctx, method, map[string]any{"uri": uri})
}

// readAgain reads a resource and shows its current content. After an error the
// previous content stays.
func (r *Resources) readAgain(c *wire.Connection, uri string) {
	raw, err := r.request(c, "resources/read", uri)
	var k *catalogue.Kept
	if err == nil {
		var read *calls.Reading
		if read, err = calls.ResourceReading(raw); err == nil {
			k, err = content(uri, read, r.o.Env.Now())
		}
	}
	if err != nil {
		r.record(c, uri, func(f *fault, why string) { f.reading = why }, err)
		return
	}
	r.changing.Lock()
	defer r.changing.Unlock()
	r.mu.Lock()
	old, was := r.contents[uri], r.faults[uri]
	r.mu.Unlock()
	switch {
	case old == nil: // it was removed meanwhile
		return
	case old.Same(k) && was.reading == "":
		return
	case old.Same(k):
		k = old
	default:
		d := r.o.Definition()
		if err := r.o.Cache.Keep(catalogue.KeyOf(d.Source), k); err != nil {
			r.o.Env.Log.Warn("a kept resource cannot be saved", "server", d.Name, "err", err)
		}
	}
	r.mu.Lock()
	r.contents[uri] = k
	r.changed = r.changed || k != old
	was.reading = ""
	r.faults[uri] = was
	r.mu.Unlock()
	r.o.Changed()
}

// record records the error of a request for a resource, or that it succeeded. Errors
// of a lost connection are reported by the server, not here.
func (r *Resources) record(c *wire.Connection, uri string, set func(f *fault, why string), err error) {
	if c.Context.Err() != nil || c.IsLost() {
		return
	}
	why := ""
	if err != nil {
		var use *calls.UseError
		if err = r.o.Unanswered(c, err, r.o.Call); errors.As(err, &use) {
			why = use.What
		}
	}
	r.mu.Lock()
	before := r.faults[uri]
	after := before
	set(&after, why)
	changed := r.contents[uri] != nil && after != before
	if changed {
		r.faults[uri] = after
	}
	r.mu.Unlock()
	if changed {
		r.o.Changed()
	}
}
