package transcripts

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/facts"
	"ctxfs/providers/transcripts/cache"
	"ctxfs/providers/transcripts/catalogue"
)

// maxEditors is how many sessions are asked what they did, the last ones.
const maxEditors = 60

// lately are the sessions with the latest activity, until another session is active,
// and what they did.
type lately struct {
	mu    sync.Mutex
	known bool
	last  []*catalogue.Session
	edits map[*catalogue.Session]done // of some of the last
}

// done is what a session did when it was rendered up to a size.
type done struct {
	generation uint32
	size       int64
	edits      []facts.Edit
}

// outdate reports that something has happened in a session.
func (l *lately) outdate() {
	l.mu.Lock()
	l.known = false
	l.mu.Unlock()
}

var _ facts.EditSource = (*Provider)(nil)

// Edits implements facts.EditSource: the files that sessions have read and written in a folder,
// wherever they were started, and the commands that they ran there. Subagents count.
func (p *Provider) Edits(dir string, since time.Time) (all []facts.Edit) {
	for _, s := range p.editors() {
		v, there := p.catalogue.View(s)
		path := p.catalogue.Path(s)
		if !there || path == "" || !v.LastTime().After(since) {
			continue
		}
		for _, edit := range p.editsOf(s, &v) {
			edit.By, edit.Session = path, s.ID
			in := edit.File
			if in == "" {
				edit.Dir, in = v.Info.CWD, v.Info.CWD
				if edit.End.IsZero() && !v.Live {
					edit.End = v.LastTime().UTC() // the agent was ended, and what it ran
				}
			}
			if fs.Within(in, dir) && (edit.End.IsZero() || !edit.End.Before(since)) {
				all = append(all, edit)
			}
		}
	}
	return all
}

// editors returns the sessions that are asked, the last one first. It looks at all
// sessions only once for all folders.
func (p *Provider) editors() []*catalogue.Session {
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
	edits := make(map[*catalogue.Session]done, maxEditors)
	for _, one := range all[:min(len(all), maxEditors)] {
		l.last = append(l.last, one.s)
		if had, ok := l.edits[one.s]; ok {
			edits[one.s] = had
		}
	}
	l.edits = edits
	return l.last
}

// editsOf returns what a session did, as far as it is rendered.
func (p *Provider) editsOf(s *catalogue.Session, v *catalogue.View) []facts.Edit {
	if v.Published.Generation == 0 {
		return nil
	}
	l := &p.lately
	l.mu.Lock()
	had := l.edits[s]
	l.mu.Unlock()
	if had.generation == v.Published.Generation && had.size == v.Published.Size {
		return had.edits
	}
	had = done{generation: v.Published.Generation, size: v.Published.Size}
	if !p.cache.WithEntry(s, func(b *cache.Entry) { had.edits = b.Summary.Edits() }) {
		return had.edits
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.edits[s] = had
	return had.edits
}
