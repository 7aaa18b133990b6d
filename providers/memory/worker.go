package memory

import (
	"context"
	"slices"
	"time"

	"ctxfs/fs"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/shelf"
	"ctxfs/providers/memory/read"
)

const (
	// pollPause is the time between two looks if nothing is known to have changed, and
	// unwatched the same where not everything can be watched.
	pollPause = time.Minute
	unwatched = 10 * time.Second
)

// look reads what has changed. Before memories are wanted it returns the empty pages.
func (p *Provider) look(context.Context) shelf.View {
	if !p.whole.Load() {
		s := p.maker.snapshot(nil, read.Found{}, nil)
		return shelf.View{Pages: s.pages, Status: s.status, Partial: true}
	}
	var again time.Duration
	ours := p.ours()
	_, err := fs.Probe(p.prober, ours.Dir(), func() (struct{}, error) { ours.Load(); return struct{}{}, nil })
	own, problems := ours.All()
	if err != nil {
		again = patience
		problems = []fs.Problem{{What: "the folder of memories " + clean.Line(ours.Dir()) + " does not answer"}}
	}
	found, err := fs.Probe(p.prober, p.opts.Home, func() (read.Found, error) { return p.reader.Read(), nil })
	if err != nil {
		again = patience
		found = p.foreign
		found.Notes = []string{"what is new of agents: their folders do not answer"}
	}
	p.foreign = found
	next := p.maker.snapshot(own, found, problems)
	p.current.Store(next)
	watch := slices.DeleteFunc(append(slices.Clone(found.Watch), ours.Dir()+"/"), p.opts.Hides)
	return shelf.View{Pages: next.pages, Watch: watch, Status: next.status, Again: again}
}
