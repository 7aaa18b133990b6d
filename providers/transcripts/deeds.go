package transcripts

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"time"

	"ctxfs/fs"
	"ctxfs/providers/transcripts/cache"
	"ctxfs/providers/transcripts/catalogue"
	"ctxfs/providers/transcripts/render"
)

// maxWitnessed is how many sessions are asked what they did, the last ones.
const maxWitnessed = 60

// lately are the sessions in which something happened last, until something else does,
// and what they did.
type lately struct {
	mu    sync.Mutex
	known bool
	last  []*catalogue.Session
	deeds map[*catalogue.Session]done // of some of the last
}

// done is what a session did when it was rendered up to a size.
type done struct {
	generation uint32
	size       int64
	deeds      []render.Deed
}

// outdate reports that something has happened in a session.
func (l *lately) outdate() {
	l.mu.Lock()
	l.known = false
	l.mu.Unlock()
}

var _ fs.Witness = (*Provider)(nil)

// Deeds implements fs.Witness: the files that sessions have read and written in a folder,
// wherever they were started, and the commands that they ran there. Subagents count.
func (p *Provider) Deeds(dir string, since time.Time) (all []fs.Deed) {
	for _, s := range p.witnesses() {
		v, there := p.catalogue.View(s)
		path := p.catalogue.Path(s)
		if !there || path == "" || !v.LastTime().After(since) {
			continue
		}
		for _, d := range p.deedsOf(s, &v) {
			deed := fs.Deed{By: path, Session: s.ID, File: d.File, Read: d.Read, Command: d.Command, Start: d.Start, End: d.End}
			in := d.File
			if d.File == "" {
				deed.Dir, in = v.Info.CWD, v.Info.CWD
				if deed.End.IsZero() && !v.Live {
					deed.End = v.LastTime().UTC() // the agent was ended, and what it ran
				}
			}
			if fs.Within(in, dir) && (deed.End.IsZero() || !deed.End.Before(since)) {
				all = append(all, deed)
			}
		}
	}
	return all
}

// witnesses returns the sessions that are asked, the last one first. It looks at all
// sessions only once for all folders.
func (p *Provider) witnesses() []*catalogue.Session {
	l := &p.lately
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.known {
		return l.last
	}
	type happened struct {
		s  *catalogue.Session
		at time.Time
	}
	var all []happened
	p.catalogue.Each(func(s *catalogue.Session, v *catalogue.View) { all = append(all, happened{s, v.LastTime()}) })
	slices.SortFunc(all, func(a, b happened) int {
		return cmp.Or(b.at.Compare(a.at), strings.Compare(a.s.ID, b.s.ID), strings.Compare(a.s.Agent, b.s.Agent))
	})
	l.known, l.last = true, nil
	deeds := make(map[*catalogue.Session]done, maxWitnessed)
	for _, one := range all[:min(len(all), maxWitnessed)] {
		l.last = append(l.last, one.s)
		if had, ok := l.deeds[one.s]; ok {
			deeds[one.s] = had
		}
	}
	l.deeds = deeds
	return l.last
}

// deedsOf returns what a session did, as far as it is rendered.
func (p *Provider) deedsOf(s *catalogue.Session, v *catalogue.View) []render.Deed {
	if v.Published.Generation == 0 {
		return nil
	}
	l := &p.lately
	l.mu.Lock()
	had := l.deeds[s]
	l.mu.Unlock()
	if had.generation == v.Published.Generation && had.size == v.Published.Size {
		return had.deeds
	}
	had = done{generation: v.Published.Generation, size: v.Published.Size}
	if !p.cache.WithEntry(s, func(b *cache.Entry) { had.deeds = b.Summary.Deeds() }) {
		return had.deeds
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.deeds[s] = had
	return had.deeds
}
