package catalogue

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"

	"ctxfs/fs"
)

// Sessions repeat each other: a fork begins with all records of the session that it
// was made from. Each record is shown once, in the earliest session that has it.
// "Earlier" is a strict order, whatever the files say about each other: the path
// from a fork to its origin, and on to that one's origin, ends at a root; roots are
// ordered by the age of their files; and a session repeats those on the path to its
// root, and the older roots that begin as its own does.
//
// This order is transitive: sessions that are rendered in it are each rendered once,
// however many there are.

// Family is a set of sessions that may repeat each other: all that share a first
// record, or name each other as what they were forked from. Sessions that no longer
// do may stay in one.
type Family struct {
	members []*Session
	sorted  bool // the lineage of each member is up to date
}

// lineage is where a session stands in its family.
type lineage struct {
	relations relations
	forkOf    *Session   // the session that it is a fork of; nil for a root
	roots     *rootOrder // those that begin as a root does; nil for a fork
	sum       uint64     // identifies all sessions that it repeats, in their order; 0 for none
}

// relations are the facts that determine the order of a family.
type relations struct {
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

// forkKey returns the key for finding the forks of a session.
func forkKey(agent, id string) string { return agent + "\x00fork\x00" + id }

// byAge compares two of the sessions that begin with the same record: the older is the
// lesser.
func byAge(a, b *Session) int {
	return cmp.Or(cmp.Compare(a.lineage.relations.birth, b.lineage.relations.birth), strings.Compare(a.ID, b.ID))
}

// updateRelations records what a session says about its relations, and returns the
// sessions whose records may now be shown in others. The caller holds the lock.
func (x *index) updateRelations(s *Session) []*Session {
	now := relations{first: s.firstRecord, forkOf: s.info.ForkOf}
	if src := s.Source(); src != nil && x.there(s) {
		now.there = true
		if !src.Birth.IsZero() {
			now.birth = src.Birth.UnixNano()
		}
	}
	if now == s.lineage.relations {
		return nil
	}
	s.lineage.relations = now
	if now.there {
		x.joinFamily(s)
	}
	f := s.family
	if f == nil {
		return []*Session{s}
	}
	f.sorted = false
	if !now.there {
		f.members = slices.DeleteFunc(f.members, func(o *Session) bool { return o == s })
		s.family, s.lineage = nil, lineage{relations: now}
	}
	return f.members
}

// joinFamily adds a session to the family of those that it is related to.
func (x *index) joinFamily(s *Session) {
	var related []*Session
	if o := x.byID[sessionKey{s.Agent, s.info.ForkOf}]; o != nil && s.info.ForkOf != "" {
		related = append(related, o)
	}
	for _, key := range []string{s.firstRecord, forkKey(s.Agent, s.ID), forkKey(s.Agent, s.info.ForkOf)} {
		if all := x.byFirst[key]; len(all) > 0 {
			related = append(related, all[0], all[len(all)-1]) // one of them may be s
		}
	}
	for _, o := range related {
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

// sortFamily determines the order of the members. The caller holds the lock.
func (x *index) sortFamily(f *Family) {
	f.sorted = true
	for _, s := range f.members {
		s.lineage.forkOf, s.lineage.roots, s.lineage.sum = x.declaredOrigin(s), nil, 0
	}
	// If sessions name each other in a circle, the oldest is the root. Each session
	// is visited once: met maps it to the one from which it was reached.
	met := make(map[*Session]*Session, len(f.members))
	for _, s := range f.members {
		o := s
		for ; o != nil && met[o] == nil; o = o.lineage.forkOf {
			met[o] = s
		}
		if o != nil && met[o] == s {
			root := o
			for next := o.lineage.forkOf; next != o; next = next.lineage.forkOf {
				if byAge(next, root) < 0 {
					root = next
				}
			}
			root.lineage.forkOf = nil
		}
	}
	beginnings := make(map[string][]*Session)
	for _, s := range f.members {
		if s.lineage.forkOf == nil {
			beginnings[s.lineage.relations.first] = append(beginnings[s.lineage.relations.first], s)
		}
	}
	for first, roots := range beginnings {
		if first == "" {
			for _, s := range roots {
				s.lineage.roots = newRootOrder(s)
			}
			continue
		}
		slices.SortFunc(roots, byAge)
		order := newRootOrder(roots...)
		for i, s := range roots {
			s.lineage.roots = order
			if i > 0 {
				s.lineage.sum = hashWith(roots[i-1].lineage.sum, roots[i-1].ID)
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
			s.lineage.sum = hashWith(s.lineage.forkOf.lineage.sum, s.lineage.forkOf.ID)
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

// hashWith returns the sum of a list of sessions that is extended by one. It is never
// 0.
func hashWith(sum uint64, id string) uint64 {
	return max(fs.BytesVersion(binary.LittleEndian.AppendUint64(nil, sum), []byte(id)), 1)
}

// declaredOrigin returns the session that one says it is a fork of; nil if that is
// not there.
func (x *index) declaredOrigin(s *Session) *Session {
	if s.lineage.relations.forkOf == "" {
		return nil
	}
	o := x.byID[sessionKey{s.Agent, s.lineage.relations.forkOf}]
	if o == nil || o == s || !o.lineage.relations.there {
		return nil
	}
	return o
}

// repeatedSum returns the sum of all sessions that one repeats. The caller holds the
// lock.
func (x *index) repeatedSum(s *Session) uint64 {
	if f := s.family; f != nil && !f.sorted {
		x.sortFamily(f)
	}
	return s.lineage.sum
}

// Earlier are the sessions whose records one session repeats.
type Earlier struct {
	Family    *Family
	ancestors []*Session // from what it was forked from to its root
	roots     *rootOrder // of its root
	older     int        // how many of them are older than that
	Sum       uint64     // identifies them all, or 0
	place     map[*Session]int
}

// Earlier returns the sessions whose records a session repeats.
func (c *Catalogue) Earlier(s *Session) *Earlier {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := &Earlier{Sum: c.known.repeatedSum(s)}
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

// each visits the sessions in rendering order: each comes after those that it
// repeats.
func (e *Earlier) each(visit func(o *Session)) {
	for i := range e.older {
		visit(e.roots.list[i])
	}
	for _, o := range slices.Backward(e.ancestors) {
		visit(o)
	}
}

// Distance returns how far a repeated session is from the one that repeats it; ok is
// false for any other session.
func (e *Earlier) Distance(o *Session) (n int, ok bool) {
	if n, ok = e.place[o]; ok {
		return n, true
	}
	n, ok = e.roots.place[o]
	return len(e.ancestors) + n, ok && n < e.older
}

// Nearest returns the nearest of the sessions.
func (e *Earlier) Nearest() *Session {
	if len(e.ancestors) > 0 {
		return e.ancestors[0]
	}
	return e.roots.list[0]
}

// Has reports whether a session of that id is repeated.
func (e *Earlier) Has(id string) (found bool) {
	e.each(func(o *Session) { found = found || o.ID == id })
	return found
}

// Count returns how many sessions are repeated.
func (e *Earlier) Count() int { return len(e.ancestors) + e.older }

// BehindAmong returns the repeated sessions that have more to show than was
// published, in rendering order.
func (c *Catalogue) BehindAmong(e *Earlier) (all []*Session) {
	c.EachEarlier(e, func(o *Session, _ *Published, behind bool) {
		if behind {
			all = append(all, o)
		}
	})
	return all
}

// EachEarlier visits the repeated sessions, with what is published of them, in
// rendering order. The catalogue is locked meanwhile.
func (c *Catalogue) EachEarlier(e *Earlier, visit func(o *Session, p *Published, behind bool)) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	e.each(func(o *Session) { visit(o, &o.Published, o.behind()) })
}

// markRegrouped unpublishes those of some sessions that leave out other records
// than they should, because a session has appeared, disappeared, or turned out to
// be a fork of another. It returns them. The caller holds the lock.
func (c *Catalogue) markRegrouped(all []*Session) (touched []*Session) {
	for _, o := range all {
		if o.Published.Generation == 0 || o.Published.Path == "" || !c.known.there(o) || o.Published.Repeats == c.known.repeatedSum(o) {
			continue
		}
		o.Published.Path = "" // as if it had another source now
		c.count(o)
		touched = append(touched, o)
	}
	return touched
}
