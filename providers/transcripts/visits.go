package transcripts

import (
	"time"

	"ctxfs/providers/facts"
	"ctxfs/providers/transcripts/catalogue"
)

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
