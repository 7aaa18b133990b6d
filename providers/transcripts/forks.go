package transcripts

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

// family is a set of sessions that may repeat each other: all that are linked by
// a first record, or by what they say they are forks of. Sessions that are no
// longer linked may stay in one.
type family struct {
	members []*session
	sorted  bool // kin of the members is what it should be
	noted   *noted
}

// kin is where a session stands in its family.
type kin struct {
	facts facts
	up    *session   // the session that it is a fork of; nil for a root
	roots *rootOrder // those that begin as a root does; nil for a fork
	sum   uint64     // names all sessions that it repeats, in their order; 0 for none
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
	list  []*session
	place map[*session]int
}

// forkKey is what the forks of a session are found by.
func forkKey(agent, id string) string { return agent + "\x00fork\x00" + id }

// older orders the sessions that begin with the same record.
func older(a, b *session) bool {
	if x, y := a.kin.facts.birth, b.kin.facts.birth; x != y {
		return x < y
	}
	return a.id < b.id
}

// relate notes what a session says of its relations, and returns the sessions
// that may repeat others since. The caller holds the lock.
func (c *catalogue) relate(s *session) []*session {
	now := facts{first: s.first, forkOf: s.info.ForkOf}
	if src := s.source(); src != nil && c.there(s) {
		now.there = true
		if !src.birth.IsZero() {
			now.birth = src.birth.UnixNano()
		}
	}
	if now == s.kin.facts {
		return nil
	}
	s.kin.facts = now
	if now.there {
		c.join(s)
	}
	f := s.family
	if f == nil {
		return []*session{s}
	}
	f.sorted = false
	if !now.there {
		f.members = slices.DeleteFunc(f.members, func(o *session) bool { return o == s })
		s.family, s.kin = nil, kin{facts: now}
	}
	return f.members
}

// join puts a session into the family of those that it is linked with.
func (c *catalogue) join(s *session) {
	var near []*session
	if o := c.byID[sessionKey{s.agent, s.info.ForkOf}]; o != nil && s.info.ForkOf != "" {
		near = append(near, o)
	}
	for _, key := range []string{s.first, forkKey(s.agent, s.id), forkKey(s.agent, s.info.ForkOf)} {
		if all := c.byFirst[key]; len(all) > 0 {
			near = append(near, all[0], all[len(all)-1]) // one of them may be s
		}
	}
	for _, o := range near {
		switch {
		case o == s || o.family != nil && o.family == s.family:
		case o.family == nil && s.family == nil:
			s.family = &family{members: []*session{o, s}}
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

func (f *family) add(all ...*session) {
	f.members = append(f.members, all...)
	f.sorted = false
	for _, s := range all {
		s.family = f
	}
}

// sort finds the order of the members. The caller holds the lock.
func (c *catalogue) sort(f *family) {
	f.sorted = true
	for _, s := range f.members {
		s.kin.up, s.kin.roots, s.kin.sum = c.saysForkOf(s), nil, 0
	}
	// Of those that name each other in a circle the oldest is the root. A session
	// is looked at once: met is the one from which it was come to.
	met := make(map[*session]*session, len(f.members))
	for _, s := range f.members {
		o := s
		for ; o != nil && met[o] == nil; o = o.kin.up {
			met[o] = s
		}
		if o != nil && met[o] == s {
			root := o
			for next := o.kin.up; next != o; next = next.kin.up {
				if older(next, root) {
					root = next
				}
			}
			root.kin.up = nil
		}
	}
	beginnings := make(map[string][]*session)
	for _, s := range f.members {
		if s.kin.up == nil {
			beginnings[s.kin.facts.first] = append(beginnings[s.kin.facts.first], s)
		}
	}
	for first, roots := range beginnings {
		if first == "" {
			for _, s := range roots {
				s.kin.roots = newRootOrder(s)
			}
			continue
		}
		slices.SortFunc(roots, func(a, b *session) int {
			if older(a, b) {
				return -1
			}
			return 1
		})
		order := newRootOrder(roots...)
		for i, s := range roots {
			s.kin.roots = order
			if i > 0 {
				s.kin.sum = sumWith(roots[i-1].kin.sum, roots[i-1].id)
			}
		}
	}
	for _, s := range f.members {
		var way []*session
		for s.kin.up != nil && s.kin.sum == 0 {
			way = append(way, s)
			s = s.kin.up
		}
		for _, s := range slices.Backward(way) {
			s.kin.sum = sumWith(s.kin.up.kin.sum, s.kin.up.id)
		}
	}
}

func newRootOrder(roots ...*session) *rootOrder {
	o := &rootOrder{list: roots, place: make(map[*session]int, len(roots))}
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
func (c *catalogue) saysForkOf(s *session) *session {
	if s.kin.facts.forkOf == "" {
		return nil
	}
	o := c.byID[sessionKey{s.agent, s.kin.facts.forkOf}]
	if o == nil || o == s || !o.kin.facts.there {
		return nil
	}
	return o
}

// kinSum is the name of all sessions that one repeats. The caller holds the
// lock.
func (c *catalogue) kinSum(s *session) uint64 {
	if f := s.family; f != nil && !f.sorted {
		c.sort(f)
	}
	return s.kin.sum
}

// earlier are the sessions whose records one session repeats.
type earlier struct {
	way   []*session // to its root, the nearest first
	roots *rootOrder // of its root
	older int        // how many of them are older than that
	sum   uint64     // names them all; 0 if there are none
	noted *noted     // what all of them have noted
	place map[*session]int
}

// earlier tells what a session repeats.
func (c *catalogue) earlier(s *session) *earlier {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := &earlier{sum: c.kinSum(s)}
	if e.sum == 0 {
		return e
	}
	e.place = make(map[*session]int)
	root := s
	for o := s.kin.up; o != nil; o = o.kin.up {
		e.place[o] = len(e.way)
		e.way = append(e.way, o)
		root = o
	}
	e.roots = root.kin.roots
	e.older = e.roots.place[root]
	if n := s.family.noted; n == nil || n.stale.Load() > staleNoted && n.stale.Load() > n.live.Load() {
		s.family.noted = newNoted()
	}
	e.noted = s.family.noted
	e.noted.used.Store(true)
	return e
}

// each goes through the sessions in the order in which they are to be rendered:
// each comes after those that it repeats itself.
func (e *earlier) each(visit func(o *session)) {
	for i := range e.older {
		visit(e.roots.list[i])
	}
	for _, o := range slices.Backward(e.way) {
		visit(o)
	}
}

// distance tells how near a session is that is repeated.
func (e *earlier) distance(o *session) (n int, ok bool) {
	if n, ok = e.place[o]; ok {
		return n, true
	}
	n, ok = e.roots.place[o]
	return len(e.way) + n, ok && n < e.older
}

// nearest is the session that tells what is left out where nothing else says
// which one does.
func (e *earlier) nearest() *session {
	if len(e.way) > 0 {
		return e.way[0]
	}
	return e.roots.list[0]
}

// has reports whether a session of that id is repeated.
func (e *earlier) has(id string) (found bool) {
	e.each(func(o *session) { found = found || o.id == id })
	return found
}

// behind are those of the sessions that are repeated which have more to show than
// is shown, in the order in which they are to be rendered.
func (c *catalogue) behind(e *earlier) (all []*session) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	e.each(func(o *session) {
		if o.behind() {
			all = append(all, o)
		}
	})
	return all
}

// regroup has those of some sessions rendered anew that leave out, or do not
// leave out, what they should since a session has come, has gone, or has said
// what it is a fork of. The caller holds the lock.
func (c *catalogue) regroup(all []*session) (touched []*session) {
	for _, o := range all {
		if o.shown.Generation == 0 || o.shown.Path == "" || !c.there(o) || o.shown.Repeats == c.kinSum(o) {
			continue
		}
		o.shown.Path = "" // as if it had another source now
		c.count(o)
		touched = append(touched, o)
	}
	return touched
}
