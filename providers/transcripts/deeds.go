package transcripts

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/providers/transcripts/catalogue"
)

// maxWitnessed is how many sessions are asked what they did, the last ones.
const maxWitnessed = 60

var _ fs.Witness = (*Provider)(nil)

// Deeds implements fs.Witness: the files that sessions have read and written in a folder,
// wherever they were started, and the commands that they ran there. Subagents count.
func (p *Provider) Deeds(dir string, since time.Time) (all []fs.Deed) {
	type witness struct {
		s *catalogue.Session
		v catalogue.View
	}
	var last []witness
	p.catalogue.Each(func(s *catalogue.Session, v *catalogue.View) {
		if v.LastTime().After(since) {
			last = append(last, witness{s, *v})
		}
	})
	slices.SortFunc(last, func(a, b witness) int {
		return cmp.Or(b.v.LastTime().Compare(a.v.LastTime()), strings.Compare(a.s.ID, b.s.ID))
	})
	for _, w := range last[:min(len(last), maxWitnessed)] {
		path := p.catalogue.Path(w.s)
		if path == "" {
			continue
		}
		for _, d := range p.briefOf(w.s, &w.v).Deeds {
			deed := fs.Deed{By: path, Session: w.s.ID, File: d.File, Read: d.Read, Command: d.Command, Start: d.Start, End: d.End}
			in := d.File
			if d.File == "" {
				deed.Dir, in = w.v.Info.CWD, w.v.Info.CWD
				if deed.End.IsZero() && !w.v.Live {
					deed.End = w.v.LastTime().UTC() // the agent was ended, and what it ran
				}
			}
			if fs.Within(in, dir) && (deed.End.IsZero() || !deed.End.Before(since)) {
				all = append(all, deed)
			}
		}
	}
	return all
}
