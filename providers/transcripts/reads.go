package transcripts

import (
	"context"
	"path"
	"slices"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/facts"
	"ctxfs/providers/transcripts/cache"
	"ctxfs/providers/transcripts/catalogue"
)

// SeenQuery asks what a session last saw of files on disk.
type SeenQuery struct {
	Wanted
	// Paths are the paths of the files that are of interest, as the session has them, and
	// Names the last elements of such paths; neither stands for all.
	Paths []string `json:"paths,omitempty"`
	Names []string `json:"names,omitempty"`
	// Texts also asks for the text that was seen, for which the session's log is read.
	Texts bool `json:"texts,omitempty"`
}

// Seen is what a session last saw of files on disk.
type Seen struct {
	Session Known        `json:"session"`
	Files   []facts.Read `json:"files"`
}

var _ facts.ReadSource = (*Provider)(nil)

// Reads implements facts.ReadSource.
func (p *Provider) Reads(ctx context.Context, session, dir string) ([]facts.Read, error) {
	if err := p.scanner.WaitBriefly(ctx); err != nil {
		return nil, err
	}
	found := p.catalogue.Exactly("", session)
	if len(found) == 0 && session != "" {
		found = p.catalogue.WithPrefix(session)
	}
	if len(found) != 1 {
		return nil, fs.ErrNotExist
	}
	all, err := p.reads(ctx, found[0], true)
	return slices.DeleteFunc(all, func(s facts.Read) bool { return !fs.Within(s.File, dir) }), err
}

// seen answers what a session last saw. The error is an [*UnclearError], that of the
// session's log, or that of ctx.
func (p *Provider) seen(ctx context.Context, q SeenQuery) (Seen, error) {
	k, err := p.Session(ctx, q.Wanted)
	if err != nil || k.Fault != "" {
		return Seen{Session: k}, err
	}
	s := p.catalogue.ByKey(k.Agent, k.ID)
	if s == nil {
		return Seen{}, fs.ErrNotExist
	}
	all, err := p.reads(ctx, s, q.Texts)
	if len(q.Paths)+len(q.Names) > 0 {
		all = slices.DeleteFunc(all, func(s facts.Read) bool {
			return !slices.Contains(q.Paths, s.File) && !slices.Contains(q.Names, path.Base(s.File))
		})
	}
	by, others := k.By, k.Others
	k = describe(p.catalogue, s) // it may have been read just now
	k.By, k.Others = by, others
	return Seen{Session: k, Files: all}, err
}

// reads returns what a session has seen, in the order of the paths. A session that
// continues another one has also seen what that has.
func (p *Provider) reads(ctx context.Context, s *catalogue.Session, texts bool) (all []facts.Read, err error) {
	if err := p.cache.CurrentEntry(ctx, s, func(b *cache.Entry) { all = b.Summary.Reads() }); err != nil {
		return nil, err
	}
	v, there := p.catalogue.View(s)
	if !there || v.Source == nil {
		return all, nil
	}
	if texts || v.Info.ForkOf != "" || !v.Source.Unchanged() { // it may have been written just now
		more, err := p.reader.Read(ctx, v.Info, v.Source)
		if err != nil {
			return nil, err
		}
		all = union(all, more)
	}
	if !texts {
		for i := range all {
			all[i].Parts, all[i].Whole = nil, false
		}
	}
	return all, nil
}

// union returns the reads of two lists in the order of their paths, of a file that both
// have the second one.
func union(a, b []facts.Read) []facts.Read {
	for _, s := range b {
		i, found := slices.BinarySearchFunc(a, s.File, func(s facts.Read, path string) int { return strings.Compare(s.File, path) })
		if found {
			a[i] = s
		} else {
			a = slices.Insert(a, i, s)
		}
	}
	return a
}

var _ facts.VisitSource = (*Provider)(nil)

// Visits implements facts.VisitSource: the folders of the sessions that have been written to
// since then. A subagent works where its session does.
func (p *Provider) Visits(since time.Time) (all []facts.Visit) {
	last := make(map[string]time.Time)
	p.catalogue.Each(func(_ *catalogue.Session, v *catalogue.View) {
		at := v.LastTime() // a log that was copied here is no work
		if v.Parent == nil && v.Info.CWD != "" && !at.Before(since) && at.After(last[v.Info.CWD]) {
			last[v.Info.CWD] = at
		}
	})
	for dir, at := range last {
		all = append(all, facts.Visit{Dir: dir, Time: at, Certain: true})
	}
	return all
}
