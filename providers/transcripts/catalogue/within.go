package catalogue

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"ctxfs/fs"
)

// setFolder adds a session to those of the folder in which it worked, or removes it.
func (x *index) setFolder(s *Session, add bool) {
	dir := s.info.CWD
	switch {
	case dir == "":
	case add && x.byFolder[dir] == nil:
		x.byFolder[dir] = map[*Session]bool{s: true}
	case add:
		x.byFolder[dir][s] = true
	default:
		if delete(x.byFolder[dir], s); len(x.byFolder[dir]) == 0 {
			delete(x.byFolder, dir)
		}
	}
}

// LastWithin returns the sessions that worked at and below a folder and in which something
// has happened since a time ([View.LastTime]), the last one first, and no more than most. Subagents are left out. It
// looks at the sessions of that folder only, however many there are in others.
func (c *Catalogue) LastWithin(dir string, since time.Time, most int) (last []*Session) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	type happened struct {
		s  *Session
		at time.Time
	}
	var all []happened
	for cwd, sessions := range c.known.byFolder {
		if !fs.Within(cwd, dir) {
			continue
		}
		for s := range sessions {
			if at := lastTime(s.info.Last, s.behind(), s.modTime()); s.parent == nil && at.After(since) {
				all = append(all, happened{s, at})
			}
		}
	}
	slices.SortFunc(all, func(a, b happened) int {
		return cmp.Or(b.at.Compare(a.at), strings.Compare(a.s.ID, b.s.ID), strings.Compare(a.s.Agent, b.s.Agent))
	})
	for _, one := range all[:min(len(all), most)] {
		last = append(last, one.s)
	}
	return last
}
