package catalogue

import (
	"hash/fnv"
	"io"
	"slices"
)

// Sessions repeat each other: a fork begins with all records of the session that
// it was made from. Each record is told once, in the session that is earlier.
// What is earlier is a strict order, whatever the files say of each other: the
// way from a fork to what it was made from ends at a root, roots are ordered by
// the age of their files, and a session repeats those on its way to its root and
// the older roots that begin as its own does.
//
// So a session repeats all that those repeat which it repeats: rendered in that
// order, each session is rendered once, however many there are.

// Family is a set of sessions that may repeat each other: all that are linked by
// a first record, or by what they say they are forks of. Sessions that are no
// longer linked may stay in one.
type Family struct {
	members []*Session
	sorted  bool // the lineage of each member is up to date
}

// lineage is where a session stands in its family.
type lineage struct {
	facts  facts
	forkOf *Session   // the session that it is a fork of; nil for a root
	roots  *rootOrder // those that begin as a root does; nil for a fork
	sum    uint64     // names all sessions that it repeats, in their order; 0 for none
}

// facts are what the order of a family is made of.
type facts struct {
	first, forkOf string
	birth         int64 // of its file, in nanoseconds
	there         bool
}

// rootOrder are roots that begin with the same record, the oldest first. It does
// not change.
type rootOrder struct {
	list  []*Session
	place map[*Session]int
}

// forkKey is what the forks of a session are found by.
func forkKey(agent, id string) string { return agent + "\x00fork\x00" + id }

// older orders the sessions that begin with the same record.
func older(a, b *Session) bool {
	if x, y := a.lineage.facts.birth, b.lineage.facts.birth; x != y {
		return x < y
	}
	return a.Id < b.Id
}

// relate notes what a session says of its relations, and returns the sessions
// that may repeat others since. The caller holds the lock.
func (c *Catalogue) relate(s *Session) []*Session {
	now := facts{first: s.firstRecord, forkOf: s.info.ForkOf}
	if src := s.Source(); src != nil && c.there(s) {
		now.there = true
		if !src.Birth.IsZero() {
			now.birth = src.Birth.UnixNano()
		}
	}
	if now == s.lineage.facts {
		return nil
	}
	s.lineage.facts = now
	if now.there {
		c.join(s)
	}
	f := s.family
	if f == nil {
		return []*Session{s}
	}
	f.sorted = false
	if !now.there {
		f.members = slices.DeleteFunc(f.members, func(o *Session) bool { return o == s })
		s.family, s.lineage = nil, lineage{facts: now}
	}
	return f.members
}

// join puts a session into the family of those that it is linked with.
func (c *Catalogue) join(s *Session) {
	var near []*Session
	if o := c.byID[sessionKey{s.Agent, s.info.ForkOf}]; o != nil && s.info.ForkOf != "" {
		near = append(near, o)
	}
	for _, key := range []string{s.firstRecord, forkKey(s.Agent, s.Id), forkKey(s.Agent, s.info.ForkOf)} {
		if all := c.byFirst[key]; len(all) > 0 {
			near = append(near, all[0], all[len(all)-1]) // one of them may be s
		}
	}
	for _, o := range near {
		switch {
		case o == s || o.family != nil && o.family == s.family:
		case o.family == nil && s.family == nil:
			s.family = &Family{members: []*Session{o, s}}
			o.family = s.family
		case o.family == nil:
			s.family.add(o)
		case s.family == nil:
			o.family.add(s)
		case len(s.family.members) < len(o.family.members):
			o.family.add(s.family.members...)
		default:
			s.family.add(o.family.members...)
		}
	}
}

func (f *Family) add(all ...*Session) {
	f.members = append(f.members, all...)
	f.sorted = false
	for _, s := range all {
		s.family = f
	}
}

// sort finds the order of the members. The caller holds the lock.
func (c *Catalogue) sort(f *Family) {
	f.sorted = true
	for _, s := range f.members {
		s.lineage.forkOf, s.lineage.roots, s.lineage.sum = c.saysForkOf(s), nil, 0
	}
	// Of those that name each other in a circle the oldest is the root. A session
	// is looked at once: met is the one from which it was come to.
	met := make(map[*Session]*Session, len(f.members))
	for _, s := range f.members {
		o := s
		for ; o != nil && met[o] == nil; o = o.lineage.forkOf {
			met[o] = s
		}
		if o != nil && met[o] == s {
			root := o
			for next := o.lineage.forkOf; next != o; next = next.lineage.forkOf {
				if older(next, root) {
					root = next
				}
			}
			root.lineage.forkOf = nil
		}
	}
	beginnings := make(map[string][]*Session)
	for _, s := range f.members {
		if s.lineage.forkOf == nil {
			beginnings[s.lineage.facts.first] = append(beginnings[s.lineage.facts.first], s)
		}
	}
	for first, roots := range beginnings {
		if first == "" {
			for _, s := range roots {
				s.lineage.roots = newRootOrder(s)
			}
			continue
		}
		slices.SortFunc(roots, func(a, b *Session) int {
			if older(a, b) {
				return -1
			}
			return 1
		})
		order := newRootOrder(roots...)
		for i, s := range roots {
			s.lineage.roots = order
			if i > 0 {
				s.lineage.sum = sumWith(roots[i-1].lineage.sum, roots[i-1].Id)
			}
		}
	}
	for _, s := range f.members {
		var way []*Session
		for s.lineage.forkOf != nil && s.lineage.sum == 0 {
			way = append(way, s)
			s = s.lineage.forkOf
		}
		for _, s := range slices.Backward(way) {
			s.lineage.sum = sumWith(s.lineage.forkOf.lineage.sum, s.lineage.forkOf.Id)
		}
	}
}

func newRootOrder(roots ...*Session) *rootOrder {
	o := &rootOrder{list: roots, place: make(map[*Session]int, len(roots))}
	for i, s := range roots {
		o.place[s] = i
	}
	return o
}

// sumWith is the name of a list of sessions with one more. It is never 0.
func sumWith(sum uint64, id string) uint64 {
	h := fnv.New64a()
	var before [8]byte
	for i := range before {
		before[i] = byte(sum >> (8 * i))
	}
	h.Write(before[:])
	io.WriteString(h, id)
	return max(h.Sum64(), 1)
}

// saysForkOf is the session that one says it is a fork of, if that is there.
func (c *Catalogue) saysForkOf(s *Session) *Session {
	if s.lineage.facts.forkOf == "" {
		return nil
	}
	o := c.byID[sessionKey{s.Agent, s.lineage.facts.forkOf}]
	if o == nil || o == s || !o.lineage.facts.there {
		return nil
	}
	return o
}

// repeats is the name of all sessions that one repeats. The caller holds the
// lock.
func (c *Catalogue) repeats(s *Session) uint64 {
	if f := s.family; f != nil && !f.sorted {
		c.sort(f)
	}
	return s.lineage.sum
}

// Earlier are the sessions whose records one session repeats.
type Earlier struct {
	Family    *Family
	ancestors []*Session // from what it was forked from to its root
	roots     *rootOrder // of its root
	older     int        // how many of them are older than that
	Sum       uint64     // identifies them all; 0 if there are none
	place     map[*Session]int
}

// Earlier tells what a session repeats.
func (c *Catalogue) Earlier(s *Session) *Earlier {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := &Earlier{Sum: c.repeats(s)}
	if e.Sum == 0 {
		return e
	}
	e.Family, e.place = s.family, make(map[*Session]int)
	root := s
	for o := s.lineage.forkOf; o != nil; o = o.lineage.forkOf {
		e.place[o] = len(e.ancestors)
		e.ancestors = append(e.ancestors, o)
		root = o
	}
	e.roots = root.lineage.roots
	e.older = e.roots.place[root]
	return e
}

// each goes through the sessions in the order in which they are to be rendered:
// each comes after those that it repeats itself.
func (e *Earlier) each(visit func(o *Session)) {
	for i := range e.older {
		visit(e.roots.list[i])
	}
	for _, o := range slices.Backward(e.ancestors) {
		visit(o)
	}
}

// Distance tells how near a session is that is repeated.
func (e *Earlier) Distance(o *Session) (n int, ok bool) {
	if n, ok = e.place[o]; ok {
		return n, true
	}
	n, ok = e.roots.place[o]
	return len(e.ancestors) + n, ok && n < e.older
}

// Nearest is the session that tells what is left out where nothing else says
// which one does.
func (e *Earlier) Nearest() *Session {
	if len(e.ancestors) > 0 {
		return e.ancestors[0]
	}
	return e.roots.list[0]
}

// Has reports whether a session of that id is repeated.
func (e *Earlier) Has(id string) (found bool) {
	e.each(func(o *Session) { found = found || o.Id == id })
	return found
}

// Count returns how many sessions are repeated.
func (e *Earlier) Count() int { return len(e.ancestors) + e.older }

// BehindAmong returns those of the sessions that are repeated which have more to
// show than was published, in the order in which they are to be rendered.
func (c *Catalogue) BehindAmong(e *Earlier) (all []*Session) {
	c.EachEarlier(e, func(o *Session, _ *Published, behind bool) {
		if behind {
			all = append(all, o)
		}
	})
	return all
}

// EachEarlier visits the sessions that are repeated, with what is published of
// them, in the order in which they are to be rendered. The catalogue is locked
// meanwhile.
func (c *Catalogue) EachEarlier(e *Earlier, visit func(o *Session, p *Published, behind bool)) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	e.each(func(o *Session) { visit(o, &o.Published, o.behind()) })
}

// regroup has those of some sessions rendered anew that leave out, or do not
// leave out, what they should since a session has come, has gone, or has said
// what it is a fork of. The caller holds the lock.
func (c *Catalogue) regroup(all []*Session) (touched []*Session) {
	for _, o := range all {
		if o.Published.Generation == 0 || o.Published.Path == "" || !c.there(o) || o.Published.Repeats == c.repeats(o) {
			continue
		}
		o.Published.Path = "" // as if it had another source now
		c.count(o)
		touched = append(touched, o)
	}
	return touched
}
