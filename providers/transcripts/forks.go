package transcripts

import (
	"slices"
)

// Sessions repeat each other: a fork begins with all records of the session that
// it was made from. Each record is told once, in the session that is earlier.
// What is earlier is a strict order, whatever the files say of each other: the
// way from a fork to what it was made from ends at a root, roots are ordered by
// the age of their files, and a session repeats those on its way to its root and
// the older roots that begin as its own does.

// forkKey is what the forks of a session are found by.
func forkKey(agent, id string) string { return agent + "\x00fork\x00" + id }

// older orders the sessions that begin with the same record.
func older(a, b *session) bool {
	x, y := a.source(), b.source()
	if x != nil && y != nil && !x.birth.Equal(y.birth) {
		return x.birth.Before(y.birth)
	}
	return a.id < b.id
}

// earlier are the sessions whose records a session repeats, the nearest first.
func (c *catalogue) earlier(s *session) []*session {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.repeated(s)
}

// repeated is earlier for who holds the lock.
func (c *catalogue) repeated(s *session) []*session {
	way := c.wayToRoot(s)
	root := way[len(way)-1]
	all := way[1:]
	if root.first == "" {
		return all
	}
	before := len(all)
	for _, o := range c.byFirst[root.first] {
		if o != root && o.source() != nil && c.isRoot(o) && older(o, root) {
			all = append(all, o)
		}
	}
	slices.SortFunc(all[before:], func(a, b *session) int {
		if older(a, b) {
			return -1
		}
		return 1
	})
	return all
}

// isRoot tells whether a session is a fork of none that is there.
func (c *catalogue) isRoot(s *session) bool {
	way := c.wayToRoot(s)
	return len(way) == 1
}

// wayToRoot is a session, the one that it says it is a fork of, and so on. Of
// those that name each other in a circle the oldest is the root.
func (c *catalogue) wayToRoot(s *session) []*session {
	way := []*session{s}
	for {
		last := way[len(way)-1]
		next := c.byID[sessionKey{s.agent, last.info.ForkOf}]
		if last.info.ForkOf == "" || next == nil || next.source() == nil || next == last {
			return way
		}
		if i := slices.Index(way, next); i >= 0 {
			root := i
			for j := i; j < len(way); j++ {
				if older(way[j], way[root]) {
					root = j
				}
			}
			return way[:root+1]
		}
		way = append(way, next)
	}
}

// regroup has those sessions rendered anew that leave out, or do not leave out,
// what they should since a session has come, has gone, or has said what it is a
// fork of. The caller holds the lock.
func (c *catalogue) regroup(s *session) (touched []*session) {
	seen := map[*session]bool{s: true}
	related := []*session{s}
	for i := 0; i < len(related); i++ {
		o := related[i]
		for _, key := range []string{o.first, forkKey(o.agent, o.id)} {
			for _, other := range c.byFirst[key] {
				if !seen[other] {
					seen[other] = true
					related = append(related, other)
				}
			}
		}
	}
	if len(related) == 1 && s.info.ForkOf == "" && len(s.shown.Inherits) == 0 {
		return nil
	}
	for _, o := range related {
		if !c.there(o) || o.shown.Generation == 0 || o.shown.Path == "" || sameIDs(o.shown.Inherits, c.repeated(o)) {
			continue
		}
		o.shown.Path = "" // as if it had another source now
		c.count(o)
		touched = append(touched, o)
	}
	return touched
}
