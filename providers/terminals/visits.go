package terminals

import (
	"time"

	"ctxfs/providers/facts"
)

var _ facts.VisitSource = (*Provider)(nil)

// Visits implements facts.VisitSource: the folders in which commands have run since then, as
// far as the records in memory go, and those in which terminals are now.
func (p *Provider) Visits(since time.Time) (all []facts.Visit) {
	last := make(map[string]time.Time)
	visit := func(dir string, at time.Time) {
		if dir != "" && !at.Before(since) && at.After(last[dir]) {
			last[dir] = at
		}
	}
	p.mu.Lock()
	for _, t := range p.terminals {
		state := t.state.Load()
		for i := range state.Records {
			visit(state.Records[i].Cwd, state.Records[i].End)
		}
		if state.CommandStarted != nil {
			visit(state.Cwd, *state.CommandStarted)
		}
	}
	p.mu.Unlock()
	for dir, at := range last {
		all = append(all, facts.Visit{Dir: dir, Time: at})
	}
	return all
}
