// Package kept keeps resources of a server as files, and keeps them current while the
// server runs.
package kept

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/names"
	"ctxfs/providers/mcp/calls"
	"ctxfs/providers/mcp/catalogue"
	"ctxfs/providers/mcp/config"
	"ctxfs/providers/mcp/instance"
	"ctxfs/providers/mcp/wire"
)

// limit is the size in bytes of the largest content that can be kept.
const limit = 16 << 20

// Options are what the kept resources of a server need.
type Options struct {
	Env   fs.Env
	Cache catalogue.Cache
	// Timing.Settle is the delay from the news of a change to reading what has changed;
	// it doubles while there is always news, up to Calm.
	Timing     instance.Timing
	Definition func() *config.Server
	// Unanswered returns why a request over a connection failed, in words.
	Unanswered func(c *wire.Connection, err error, limit time.Duration) error
	// Changed is called without locks when there is something else to show.
	Changed func()
}

// Resources are the kept resources of a server. They are safe for concurrent use.
type Resources struct {
	o Options

	changing sync.Mutex // serializes changes of contents; locked before mu

	mu       sync.Mutex
	contents map[string]*catalogue.Kept // by URI
	faults   map[string]fault           // of those
	changed  bool                       // since they were last shown
	followed *wire.Connection           // over which they are followed, or nil
}

// fault is why a kept resource may be out of date; both texts may be "".
type fault struct{ telling, reading string }

// New returns the resources with these contents, by their URIs, to which it adds others.
func New(o Options, contents map[string]*catalogue.Kept) *Resources {
	return &Resources{o: o, contents: contents, faults: make(map[string]fault)}
}

// content returns the content of a resource that was read.
func content(uri string, r *calls.Reading, now time.Time) (*catalogue.Kept, error) {
	if len(r.Contents) == 0 {
		return nil, errors.New("the resource has no content")
	}
	c := r.Contents[0]
	k := &catalogue.Kept{URI: uri, MIMEType: c.MIMEType, Time: now.UTC(), Binary: c.Blob != nil, Body: c.Blob}
	if !k.Binary {
		k.Body = []byte(c.Text)
	}
	if len(k.Body) > limit {
		return nil, fmt.Errorf("the resource has %d bytes; up to %d are kept", len(k.Body), limit)
	}
	return k, nil
}

// Keep stores and shows a resource that was read.
func (r *Resources) Keep(uri string, read *calls.Reading) error {
	k, err := content(uri, read, r.o.Env.Now())
	if err != nil {
		return err
	}
	r.changing.Lock()
	defer r.changing.Unlock()
	if old := r.get(uri); old != nil && old.Same(k) {
		k.Time = old.Time
	}
	if err := r.o.Cache.Keep(catalogue.KeyOf(r.o.Definition().Source), k); err != nil {
		return err
	}
	r.set(uri, k)
	return nil
}

// Forget removes a kept resource, and reports whether it was kept.
func (r *Resources) Forget(uri string) (was bool, err error) {
	r.changing.Lock()
	defer r.changing.Unlock()
	if r.get(uri) == nil {
		return false, nil
	}
	if err := r.o.Cache.Forget(catalogue.KeysOf(r.o.Definition()), uri); err != nil {
		return true, err
	}
	r.set(uri, nil)
	return true, nil
}

func (r *Resources) get(uri string) *catalogue.Kept {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.contents[uri]
}

// set replaces and shows the content of a resource, or removes it if it is nil, and
// notifies Follow.
func (r *Resources) set(uri string, k *catalogue.Kept) {
	r.mu.Lock()
	if k == nil {
		delete(r.contents, uri)
	} else {
		r.contents[uri] = k
	}
	delete(r.faults, uri)
	r.changed = true
	if r.followed != nil {
		r.followed.Watched.Post()
	}
	r.mu.Unlock()
	r.o.Changed()
}

// Any reports whether there are kept resources.
func (r *Resources) Any() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.contents) > 0
}

// TakeChanged reports whether a content has changed since TakeChanged was last called.
func (r *Resources) TakeChanged() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	was := r.changed
	r.changed = false
	return was
}

// Notes returns the remarks on the kept resources, whose URIs redact makes fit to be shown.
func (r *Resources) Notes(redact func(string) string) (notes []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, uri := range slices.Sorted(maps.Keys(r.contents)) {
		f, name := r.faults[uri], clean.Line(redact(uri))
		if f.telling != "" {
			notes = append(notes, "the server does not report when the kept resource "+name+" changes, it is read when the server starts: "+f.telling)
		}
		if f.reading != "" {
			notes = append(notes, "the kept resource "+name+" could not be read again, what was known before is shown: "+f.reading)
		}
	}
	return notes
}

// AddFiles adds the kept contents to the nodes of the folder resources, named as
// their definitions, or else by their URI. It returns the time of the newest.
func (r *Resources) AddFiles(nodes map[string]fs.Node, listed []catalogue.Item) (newest time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.contents) == 0 {
		return newest
	}
	var foreign []string
	files := make(map[string]string)
	for _, i := range listed {
		foreign = append(foreign, i.Name)
		if uri := i.URI(); uri != "" && files[uri] == "" {
			files[uri] = i.File
		}
	}
	for _, uri := range slices.Sorted(maps.Keys(r.contents)) {
		if files[uri] == "" {
			foreign = append(foreign, uri)
		}
	}
	for i, file := range names.Assign(foreign)[len(listed):] {
		files[foreign[len(listed)+i]] = file
	}
	for uri, k := range r.contents {
		nodes[files[uri]+".content."+k.Extension()] = fs.NewText(k.Time, k.Body)
		newest = wording.Later(newest, k.Time)
	}
	return newest
}

// Follow updates the resources when they change, until the connection ends.
func (r *Resources) Follow(c *wire.Connection) {
	r.follow(c)
	defer r.follow(nil)
	ctx, settle := c.Context, r.o.Timing.Settle
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
			settle = r.o.Timing.Settle
		} else { // there is always news
			settle = min(2*settle, r.o.Timing.Calm)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(settle):
		}
	}
}

// follow sets the connection over which the resources are followed, or nil.
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
	ctx, stop := context.WithTimeout(c.Context, r.o.Timing.Call)
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
		if err = r.o.Unanswered(c, err, r.o.Timing.Call); errors.As(err, &use) {
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
