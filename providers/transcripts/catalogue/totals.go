package catalogue

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// totals are what [Catalogue.Summarize] returns. They are updated session by
// session, so that Summarize costs nothing however many there are.
type totals struct {
	perAgent   map[string]int // sessions that are not subagents'
	sessions   int            // of all agents
	size, done int64          // bytes of logs, and how many of them are rendered
	left       int            // sessions that have to be rendered
	faulty     map[*Session]struct{}
	unlisted   map[*File]struct{} // files that cannot be read and have no known session
	partial    map[*File]struct{} // files of a version that is not known
}

func newTotals() totals {
	return totals{perAgent: make(map[string]int), faulty: make(map[*Session]struct{}), unlisted: make(map[*File]struct{}), partial: make(map[*File]struct{})}
}

// contribution is what one session adds to the totals.
type contribution struct {
	top, left  bool
	size, done int64
}

// count updates the totals after a session has changed. The caller holds the lock.
func (c *Catalogue) count(s *Session) {
	t, was := &c.totals, s.counted
	var now contribution
	if c.known.there(s) {
		now.top = s.parent == nil
		if src := s.Source(); src != nil && src.Key == "" {
			now.size = src.Stat.Size
			if s.Published.Generation > 0 || s.Published.Fault != "" {
				now.done = min(max(s.Published.Offset, 0), now.size)
			}
		}
		now.left = s.behind() && !s.Published.Evicted && (!s.live || s.Published.Generation == 0)
	}
	set(t.faulty, s, c.known.there(s) && (s.Published.Fault != "" || s.Published.Strange))
	s.counted = now
	t.size += now.size - was.size
	t.done += now.done - was.done
	t.left += oneIf(now.left) - oneIf(was.left)
	if change := oneIf(now.top) - oneIf(was.top); change != 0 {
		t.sessions += change
		if t.perAgent[s.Agent] += change; t.perAgent[s.Agent] == 0 {
			delete(t.perAgent, s.Agent)
		}
	}
}

// countFile updates the totals after a file has changed. The caller holds the lock.
func (c *Catalogue) countFile(f *File) {
	there := c.files[f.Path] == f
	set(c.totals.unlisted, f, there && f.Fault != "" && len(f.Sessions) == 0)
	set(c.totals.partial, f, there && f.Note != "")
}

// set adds a member to a set, or removes it.
func set[T comparable](of map[T]struct{}, member T, is bool) {
	if is {
		of[member] = struct{}{}
	} else {
		delete(of, member)
	}
}

func oneIf(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// Summary describes all sessions for the state of the provider.
type Summary struct {
	Agents   map[string]int // how many sessions of each that are not subagents'
	Sessions int
	// Size is the length of all logs in bytes, Done the rendered part; Left is the
	// number of sessions that are not rendered yet.
	Size, Done int64
	Left       int
	Changed    time.Time // zero where nothing was found yet
	// Unreadable are some files that cannot be read, Partial some that are
	// understood in part, Faulty the paths of some sessions that cannot be read.
	Unreadable, Partial []FileFault
	Faulty              []string
}

// FileFault says what is wrong with a file of an agent's.
type FileFault struct{ Path, Agent, Fault string }

// Summarize returns the totals, with at most limit faults of each kind, in the
// order of their paths.
func (c *Catalogue) Summarize(limit int) Summary {
	c.mu.RLock()
	defer c.mu.RUnlock()
	t := &c.totals
	return Summary{
		Agents: maps.Clone(t.perAgent), Sessions: t.sessions, Size: t.size, Done: t.done, Left: t.left, Changed: c.tree.changed,
		Unreadable: leastOf(t.unlisted, limit, FileFault.compare, func(f *File) FileFault { return FileFault{f.Path, f.Agent, f.Fault} }),
		Partial:    leastOf(t.partial, limit, FileFault.compare, func(f *File) FileFault { return FileFault{f.Path, f.Agent, f.Note} }),
		Faulty:     leastOf(t.faulty, limit, strings.Compare, (*Session).path),
	}
}

func (f FileFault) compare(other FileFault) int { return strings.Compare(f.Path, other.Path) }

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
