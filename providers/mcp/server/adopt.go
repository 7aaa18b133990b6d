package server

import (
	"fmt"
	"time"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/mask"
	"ctxfs/providers/mcp/catalogue"
	"ctxfs/providers/mcp/config"
	"ctxfs/providers/mcp/wire"
)

// adopt stores the lists of the server and shows them: it passes publish what does
// so. A list that could not be fetched,
// or is empty although the previous one was not, does not replace that one.
func (s *Server) adopt(c *wire.Connection, all [catalogue.Kinds]wire.Listing, publish func(show func())) {
	now := s.o.Env.Now().UTC()
	s.pinning.Lock() // Accept must see what is shown
	defer s.pinning.Unlock()
	s.mu.Lock()
	def, before, was := s.def, s.unsaved, s.shown
	s.mu.Unlock()
	if before == nil {
		if before = s.o.Cache.Catalogue(catalogue.KeysOf(def)); before == nil {
			before = new(catalogue.Catalogue)
		}
	}
	cat := describe(def, c, now, before)
	for k, l := range all {
		old := before.Lists[k]
		switch kind := catalogue.Kind(k); {
		case l.Err != nil:
			cat.Notes = append(cat.Notes, s.Clean(def, kind.Method()+" failed, what was known before is shown: "+clean.Line(wire.WithoutAddress(l.Err).Error())))
			l.List = old
		case len(l.List.Items) == 0 && len(old.Items) > 0 && before.Command == cat.Command && (l.Asked || kind == catalogue.Tools):
			cat.Notes = append(cat.Notes, fmt.Sprintf("the server listed no %s, those known before (%d) are shown", kind, len(old.Items)))
			l.List = old
		default:
			l.List.Succeed(old, now)
		}
		if l.Note != "" {
			cat.Notes = append(cat.Notes, l.Note)
		}
		cat.Lists[k] = l.List
	}
	shown := catalogue.NewSnapshot(cat)
	shown.Share(was)
	var unsaved *catalogue.Catalogue
	if err := s.o.Cache.Save(cat, shown); err != nil {
		s.o.Env.Log.Warn("a catalogue cannot be saved", "server", def.Name, "err", err)
		unsaved = cat
	}
	shown = shown.Filtered(def.Tools.And(def.Limits))
	s.mu.Lock()
	known := s.pins
	s.mu.Unlock()
	state, err := s.o.Pins.Pin(known, catalogue.KeysOf(def), was, shown, now)
	if err != nil {
		s.o.Env.Log.Warn("pinned definitions cannot be saved", "server", def.Name, "err", err)
	}
	publish(func() {
		s.unsaved = unsaved
		s.shown = shown
		s.setPins(state)
	})
}

// describe returns a catalogue without its lists.
func describe(d *config.Server, c *wire.Connection, now time.Time, before *catalogue.Catalogue) *catalogue.Catalogue {
	cat := &catalogue.Catalogue{About: catalogue.NewAbout(d)}
	c.Describe(&cat.About)
	cat.Time, cat.Described = now, now
	if cat.Server == before.Server && cat.Protocol == before.Protocol && cat.Instructions == before.Instructions && cat.Transport == before.Transport {
		cat.Described = before.Described
	}
	return cat
}

// Clean removes secrets and control characters from a text from outside.
func (s *Server) Clean(d *config.Server, text string) string {
	s.mu.Lock()
	login := s.login
	s.mu.Unlock()
	hide := d.Redact
	if login != nil {
		hide = func(text string) string { return login.Redact(d.Redact(text)) }
	}
	return mask.Text(s.o.Questions.HideSecrets(s, hide(clean.Text(hide(text)))))
}
