package transcripts

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// totals are what Status tells of all sessions. They are kept up to date session
// by session, so that asking costs nothing however many there are.
type totals struct {
	perAgent   map[string]int // sessions that are no subagents'
	sessions   int            // of all agents
	size, done int64          // bytes of logs, and how many of them are rendered
	left       int            // sessions that are to be rendered
	faulty     map[*session]struct{}
	unlisted   map[*file]struct{} // files that cannot be read and of which no session is known
	partial    map[*file]struct{} // files of a version that is not known
}

func newTotals() totals {
	return totals{perAgent: make(map[string]int), faulty: make(map[*session]struct{}), unlisted: make(map[*file]struct{}), partial: make(map[*file]struct{})}
}

// share is what a session adds to the totals.
type share struct {
	top, left  bool
	size, done int64
}

// count brings the totals up to date with a session. It is called whenever one
// has changed. The caller holds the lock.
func (c *catalogue) count(s *session) {
	t, was := &c.totals, s.counted
	var now share
	if c.there(s) {
		now.top = s.parent == nil
		if src := s.source(); src != nil && src.key == "" {
			now.size = src.stat.Size
			if s.published.Generation > 0 || s.published.Fault != "" {
				now.done = min(max(s.published.Offset, 0), now.size)
			}
		}
		now.left = s.behind() && !s.published.Evicted && (!s.live || s.published.Generation == 0)
	}
	if c.there(s) && (s.published.Fault != "" || s.published.Strange) {
		t.faulty[s] = struct{}{}
	} else {
		delete(t.faulty, s)
	}
	s.counted = now
	t.size += now.size - was.size
	t.done += now.done - was.done
	t.left += oneIf(now.left) - oneIf(was.left)
	if change := oneIf(now.top) - oneIf(was.top); change != 0 {
		t.sessions += change
		if t.perAgent[s.agent] += change; t.perAgent[s.agent] == 0 {
			delete(t.perAgent, s.agent)
		}
	}
}

// countFile brings the totals up to date with a file. The caller holds the lock.
func (c *catalogue) countFile(f *file) {
	if c.files[f.path] == f && f.fault != "" && len(f.sessions) == 0 {
		c.totals.unlisted[f] = struct{}{}
	} else {
		delete(c.totals.unlisted, f)
	}
	if c.files[f.path] == f && f.note != "" {
		c.totals.partial[f] = struct{}{}
	} else {
		delete(c.totals.partial, f)
	}
}

func oneIf(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// summary is what the state of the provider tells of all sessions.
type summary struct {
	agents   map[string]int // how many sessions of each that are no subagents'
	sessions int
	// size is the length of all logs in bytes, done the part that is rendered;
	// left is the number of sessions that have to be.
	size, done int64
	left       int
	changed    time.Time // zero where nothing was found yet
	// unreadable are some files that cannot be read, partial some that are
	// understood in part, faulty the paths of some sessions that cannot be read.
	unreadable, partial []fileFault
	faulty              []string
}

// fileFault says what is wrong with a file of an agent's.
type fileFault struct{ path, agent, fault string }

// summarize returns the totals, with at most limit faults of each kind, in the
// order of their paths.
func (c *catalogue) summarize(limit int) summary {
	c.mu.RLock()
	defer c.mu.RUnlock()
	t := &c.totals
	return summary{
		agents: maps.Clone(t.perAgent), sessions: t.sessions, size: t.size, done: t.done, left: t.left, changed: c.changed,
		unreadable: leastOf(t.unlisted, limit, fileFault.compare, func(f *file) fileFault { return fileFault{f.path, f.agent, f.fault} }),
		partial:    leastOf(t.partial, limit, fileFault.compare, func(f *file) fileFault { return fileFault{f.path, f.agent, f.note} }),
		faulty:     leastOf(t.faulty, limit, strings.Compare, (*session).path),
	}
}

func (f fileFault) compare(other fileFault) int { return strings.Compare(f.path, other.path) }

// leastOf returns the least values of a set's members.
func leastOf[T comparable, V any](set map[T]struct{}, limit int, compare func(a, b V) int, value func(T) V) (all []V) {
	for member := range set {
		all = append(all, value(member))
		if slices.SortFunc(all, compare); len(all) > limit {
			all = all[:limit]
		}
	}
	return all
}
