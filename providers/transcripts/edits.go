package transcripts

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/facts"
	"ctxfs/providers/transcripts/catalogue"
	"ctxfs/providers/transcripts/render"
)

// maxEditors is how many sessions are asked what they did, the last ones.
const maxEditors = 60

// lately are the sessions with the latest activity, until another session is active.
type lately struct {
	mu    sync.Mutex
	known bool
	last  []*catalogue.Session
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
		for _, edit := range p.edits.get(p.cache, s, &v, (*render.Summary).Edits) {
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
	for _, one := range all[:min(len(all), maxEditors)] {
		l.last = append(l.last, one.s)
	}
	return l.last
}
