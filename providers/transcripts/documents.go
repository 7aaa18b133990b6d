package transcripts

import (
	"fmt"
	"iter"

	"ctxfs/fs"
)

// Documents implements fs.Documented: one for each session that is no subagent's,
// found by its title and where it was. What was said in it is found in another
// way: there is too much of it to be held in memory.
func (p *Provider) Documents(string) iter.Seq[fs.Document] {
	return func(yield func(fs.Document) bool) {
		if !p.opts.Watch {
			p.scanNow()
		}
		for _, s := range p.list.all() {
			p.list.mu.RLock()
			d := fs.Document{
				Path: s.path() + "/" + transcriptName, Title: s.info.Title,
				Fields: map[string]string{
					"title": s.info.Title, "agent": s.agent,
					"description": fmt.Sprintf("%s, %s, %s", s.date(), s.agent, s.info.CWD),
				},
			}
			skip := s.parent != nil || s.path() == ""
			p.list.mu.RUnlock()
			if !skip && !yield(d) {
				return
			}
		}
	}
}
