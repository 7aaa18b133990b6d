package mcp

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"ctxfs/fs"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/names"
	"ctxfs/providers/mcp/calls"
	"ctxfs/providers/mcp/catalogue"
	"ctxfs/providers/mcp/instance"
	"ctxfs/providers/mcp/wire"
)

// keptLimit is the size in bytes of the largest content that can be kept.
const keptLimit = 16 << 20

// newKept returns the first content of a resource.
func newKept(uri string, r *calls.Reading, now time.Time) (*catalogue.Kept, error) {
	if len(r.Contents) == 0 {
		return nil, errors.New("the resource has no content")
	}
	c := r.Contents[0]
	k := &catalogue.Kept{URI: uri, MIMEType: c.MIMEType, Time: now.UTC(), Binary: c.Blob != nil, Body: c.Blob}
	if !k.Binary {
		k.Body = []byte(c.Text)
	}
	if len(k.Body) > keptLimit {
		return nil, fmt.Errorf("the resource has %d bytes; up to %d are kept", len(k.Body), keptLimit)
	}
	return k, nil
}

// KeepResource reads a resource as ReadResource does, and shows its content as a
// file in the folder resources from then on. The file is updated while the server
// runs. A server with a kept resource is not stopped when it is unused.
func (p *Provider) KeepResource(ctx context.Context, name, uri string) (*calls.Reading, error) {
	return p.ask(ctx, name, catalogue.ResourceFolder, uri, func(s *server, session *instance.Session, uri string) (*calls.Reading, error) {
		r, err := readResource(ctx, session, uri)
		if err != nil {
			return nil, err
		}
		k, err := newKept(uri, r, p.env.Now())
		if err == nil {
			err = s.storeKept(k)
		}
		if err != nil {
			return nil, &calls.UseError{Server: s.folder(), What: clean.Line(err.Error()), Cause: err}
		}
		return r, nil
	})
}

// ForgetResource removes the file that KeepResource created. It does not start
// the server.
func (p *Provider) ForgetResource(server, uri string) error {
	s, err := p.chooseOne(server)
	switch {
	case err != nil:
		return err
	case p.opts.Offline:
		return errNotHere
	}
	file, known := s.namesByFile(catalogue.ResourceFolder)
	s.keeping.Lock()
	defer s.keeping.Unlock()
	s.mu.Lock()
	if s.kept[uri] == nil {
		uri = known[uri]
	}
	k, d := s.kept[uri], s.def
	s.mu.Unlock()
	if k == nil {
		return &calls.UseError{Server: file, What: "this resource is not kept", Mend: "see what is: ctxfs ls mcps/" + file + "/resources"}
	}
	if err := p.cache.Forget(catalogue.KeysOf(d), uri); err != nil {
		return err
	}
	s.update(func() { s.setKept(uri, nil) })
	s.main.Touch()
	return nil
}

// storeKept stores and shows the content of a kept resource.
func (s *server) storeKept(k *catalogue.Kept) error {
	s.keeping.Lock()
	defer s.keeping.Unlock()
	s.mu.Lock()
	old, d := s.kept[k.URI], s.def
	s.mu.Unlock()
	if old != nil && old.Same(k) {
		k.Time = old.Time
	}
	if err := s.p.cache.Keep(catalogue.KeyOf(d.Source), k); err != nil {
		return err
	}
	s.update(func() { s.setKept(k.URI, k) })
	return nil
}

// setKept replaces the kept content of a resource, or removes it if it is nil, and
// notifies keepCurrent. It must be called within update.
func (s *server) setKept(uri string, k *catalogue.Kept) {
	if k == nil {
		delete(s.kept, uri)
	} else {
		s.kept[uri] = k
	}
	delete(s.keptFaults, uri)
	s.keptChanged = true
	if s.followed != nil {
		s.followed.Watched.Post()
	}
}

// keepCurrent updates the kept resources when they change, until the connection
// ends.
func (s *server) keepCurrent(c *wire.Connection) {
	s.follow(c)
	defer s.follow(nil)
	ctx, settle := c.Context, s.p.timing.settle
	var done time.Time
	for {
		fresh, dropped := c.Watched.Set(s.keptURIs())
		s.subscribe(c, fresh, dropped)
		for _, uri := range c.Watched.TakeStale() {
			s.readAgain(c, uri)
		}
		done = s.p.env.Now()
		select {
		case <-ctx.Done():
			return
		case <-c.Lost:
			return
		case <-c.Watched.News:
		}
		if s.p.env.Now().Sub(done) > 2*settle {
			settle = s.p.timing.settle
		} else { // there is always news
			settle = min(2*settle, s.p.timing.calm)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(settle):
		}
	}
}

// follow sets the connection over which kept resources are followed; nil is none.
func (s *server) follow(c *wire.Connection) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.followed = c
}

// isKept reports whether the server has kept resources.
func (s *server) isKept() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.kept) > 0
}

func (s *server) keptURIs() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.kept))
}

// subscribe subscribes to the changes of resources if the server requires that.
func (s *server) subscribe(c *wire.Connection, fresh, dropped []string) {
	if !c.NeedsSubscriptions() {
		return
	}
	for _, uri := range fresh {
		_, err := s.request(c, "resources/subscribe", uri)
		s.fault(c, uri, func(f *keptFault, why string) { f.telling = why }, err)
	}
	for _, uri := range dropped {
		_, _ = s.request(c, "resources/unsubscribe", uri) // further notifications are ignored
	}
}

func (s *server) request(c *wire.Connection, method, uri string) ([]byte, error) {
	ctx, stop := context.WithTimeout(c.Context, s.p.timing.call)
	defer stop()
	return c.Request(ctx, method, map[string]any{"uri": uri})
}

// readAgain reads a kept resource and shows its current content. After an error
// the previous content stays.
func (s *server) readAgain(c *wire.Connection, uri string) {
	raw, err := s.request(c, "resources/read", uri)
	var k *catalogue.Kept
	if err == nil {
		var r *calls.Reading
		if r, err = calls.ResourceReading(raw); err == nil {
			k, err = newKept(uri, r, s.p.env.Now())
		}
	}
	if err != nil {
		s.fault(c, uri, func(f *keptFault, why string) { f.reading = why }, err)
		return
	}
	s.keeping.Lock()
	defer s.keeping.Unlock()
	s.mu.Lock()
	old, d, fault := s.kept[uri], s.def, s.keptFaults[uri]
	s.mu.Unlock()
	switch {
	case old == nil: // it was removed meanwhile
		return
	case old.Same(k) && fault.reading == "":
		return
	case old.Same(k):
		k = old
	default:
		if err := s.p.cache.Keep(catalogue.KeyOf(d.Source), k); err != nil {
			s.p.env.Log.Warn("a kept resource cannot be saved", "server", d.Name, "err", err)
		}
	}
	s.update(func() {
		s.kept[uri] = k
		s.keptChanged = k != old
		fault.reading = ""
		s.keptFaults[uri] = fault
	})
}

// keptFault is why a kept resource may be out of date; both texts may be "".
type keptFault struct{ telling, reading string }

// fault records the error of a request for a kept resource, or that it succeeded.
// Errors of a lost connection are reported by the server, not here.
func (s *server) fault(c *wire.Connection, uri string, set func(f *keptFault, why string), err error) {
	if c.Context.Err() != nil || c.IsLost() {
		return
	}
	why := ""
	if err != nil {
		var use *calls.UseError
		if err = s.main.Unanswered(c, err, s.p.timing.call); errors.As(err, &use) {
			why = use.What
		}
	}
	s.mu.Lock()
	before := s.keptFaults[uri]
	after := before
	set(&after, why)
	stands := s.kept[uri] != nil
	s.mu.Unlock()
	if stands && after != before {
		s.update(func() { s.keptFaults[uri] = after })
	}
}

// keptNotes returns the remarks on kept resources. The caller holds mu.
func (s *server) keptNotes() (notes []string) {
	for _, uri := range slices.Sorted(maps.Keys(s.kept)) {
		f, name := s.keptFaults[uri], clean.Line(s.def.Redact(uri))
		if f.telling != "" {
			notes = append(notes, "the server does not report when the kept resource "+name+" changes, it is read when the server starts: "+f.telling)
		}
		if f.reading != "" {
			notes = append(notes, "the kept resource "+name+" could not be read again, what was known before is shown: "+f.reading)
		}
	}
	return notes
}

// addKept adds the kept contents to the nodes of the folder resources, named as
// their definitions, or by their URI where they have none. It returns the time of
// the newest. The caller holds mu.
func (s *server) addKept(nodes map[string]fs.Node) (newest time.Time) {
	if len(s.kept) == 0 {
		return newest
	}
	var foreign []string
	files := make(map[string]string)
	if s.shown != nil {
		for _, i := range s.shown.Sections[catalogue.ResourceFolder].Items {
			foreign = append(foreign, i.Name)
			if uri := i.URI(); uri != "" && files[uri] == "" {
				files[uri] = i.File
			}
		}
	}
	listed := len(foreign)
	for _, uri := range slices.Sorted(maps.Keys(s.kept)) {
		if files[uri] == "" {
			foreign = append(foreign, uri)
		}
	}
	for i, file := range names.Assign(foreign)[listed:] {
		files[foreign[listed+i]] = file
	}
	for uri, k := range s.kept {
		nodes[files[uri]+".content."+k.Extension()] = fs.NewText(k.Time, k.Body)
		if k.Time.After(newest) {
			newest = k.Time
		}
	}
	return newest
}
