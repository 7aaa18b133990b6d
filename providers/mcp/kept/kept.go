// Package kept keeps resources of a server as files, and keeps them current while the
// server runs.
package kept

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"ctxfs/fs"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/names"
	"ctxfs/providers/mcp/calls"
	"ctxfs/providers/mcp/catalogue"
	"ctxfs/providers/mcp/config"
	"ctxfs/providers/mcp/wire"
)

// limit is the size in bytes of the largest content that can be kept.
const limit = 16 << 20

// Options are what the kept resources of a server need.
type Options struct {
	Env   fs.Env
	Cache catalogue.Cache
	// Settle is the delay from the news of a change to reading what has changed; it
	// doubles while there is always news, up to Calm.
	Settle, Calm time.Duration
	Call         time.Duration // timeout of a request
	Definition   func() *config.Server
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

// New returns the resources with these contents, by their URIs.
func New(o Options, contents map[string]*catalogue.Kept) *Resources {
	if contents == nil {
		contents = make(map[string]*catalogue.Kept)
	}
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
// their definitions, or by their URI where they have none. It returns the time of
// the newest.
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
		if k.Time.After(newest) {
			newest = k.Time
		}
	}
	return newest
}
