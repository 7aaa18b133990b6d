package transcripts

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"ctxfs/fs"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/event"
)

// catalogue is the list of all sessions, and the folders that they are in.
type catalogue struct {
	home   string
	totals totals

	mu          sync.RWMutex
	byID        map[sessionKey]*session
	byAlias     map[string][]*session     // by id alone, of any agent; aliases too
	byFirst     map[string][]*session     // by agent and first native id, and by what they are forks of
	files       map[string]*file          // by path: what was found in it
	names       uint64                    // moves with every change of a name or title
	lost        map[sessionKey]*session   // whose books are to be thrown away
	orphans     map[sessionKey][]*session // by the parent that is not there
	news        []string                  // folders of agents and projects that have come or gone, until they are told
	agents      map[string]*agentFolder
	entries     []fs.Entry // of the agents; nil when they have changed
	version     uint64     // moves with every change
	keptVersion uint64     // the one that is on disk
	changed     time.Time  // zero where nothing was found yet
}

type sessionKey struct{ agent, id string }

// file is a file on disk with the sessions that were found in it.
type file struct {
	path     string
	agent    string
	stat     stat
	sessions []*session
	fault    string // why it cannot be read
	note     string // what of it is not understood
	denied   bool   // that permission is missing
	kept     bool   // it was read from the cache, and not yet looked at
}

// agentFolder is the folder of an agent: projects by name.
type agentFolder struct {
	name     string
	projects map[string]*project
	entries  []fs.Entry // nil when they have changed
	version  uint64
	changed  time.Time
}

// project is the folder of a project of one agent.
type project struct {
	name     string
	agent    *agentFolder
	sessions map[string]*session // by the name of their folder
	entries  []fs.Entry          // nil when they have changed
	version  uint64
	changed  time.Time
}

func newCatalogue(home string) *catalogue {
	return &catalogue{
		home: home, totals: newTotals(),
		byID: make(map[sessionKey]*session), byAlias: make(map[string][]*session), byFirst: make(map[string][]*session),
		files: make(map[string]*file), lost: make(map[sessionKey]*session), orphans: make(map[sessionKey][]*session), agents: make(map[string]*agentFolder),
	}
}

// found is a session that was found in a file.
type found struct {
	source *source
	info   event.Session
	first  string
	seen   time.Time // as it is kept; zero where it is new
	name   string    // of its folder, as it is kept
}

// put notes what was found in a file, in place of what was known of it, and
// returns the paths that have changed and the sessions that may have more to
// show.
func (c *catalogue) put(f *file, all []found, now time.Time) (paths []string, touched []*session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := c.files[f.path]
	c.files[f.path] = f
	kept := make(map[*session]bool)
	for _, one := range all {
		// What is kept is JSON, and must be the same when it is read again.
		one.info.ID = strings.ToValidUTF8(one.info.ID, "\uFFFD")
		one.info.Parent = strings.ToValidUTF8(one.info.Parent, "\uFFFD")
		one.info = lean(one.info)
		key := sessionKey{f.agent, one.info.ID}
		s := c.byID[key]
		if s == nil {
			if s = c.lost[key]; s == nil {
				s = &session{agent: f.agent, id: one.info.ID, seen: one.seen, name: one.name}
				s.shown.Messages = -1
				if s.seen.IsZero() {
					s.seen = time.Unix(0, one.source.stat.ModTime)
				}
			}
			delete(c.lost, key)
			c.byID[key] = s
		}
		kept[s] = true
		s.sources = slices.DeleteFunc(s.sources, func(old *source) bool { return old.path == f.path })
		s.sources = append(s.sources, one.source)
		s.rank()
		if s.source() == one.source {
			c.describe(s, one.info, one.first)
		}
		f.sessions = append(f.sessions, s)
		touched = append(touched, s)
		paths = append(paths, c.place(s, now)...)
		if related := c.relate(s); !f.kept {
			touched = append(touched, c.regroup(related)...)
		}
	}
	c.countFile(f)
	if before != nil {
		c.countFile(before)
		for _, s := range before.sessions {
			if !kept[s] {
				more, others := c.lose(s, f.path, now)
				paths, touched = append(paths, more...), append(touched, others...)
			}
		}
	}
	return paths, touched
}

// reopen gives the sources of an unchanged file their format, which is not kept
// between two processes. It returns the sessions that could not be read before.
func (c *catalogue) reopen(f *file, format history.Format) (touched []*session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range f.sessions {
		for _, src := range s.sources {
			if src.path == f.path && src.format == nil {
				src.format = format
				s.rank()
				c.count(s)
				touched = append(append(touched, s), c.regroup(c.relate(s))...)
			}
		}
	}
	return touched
}

// describe takes over what is known of a session as a whole. What rendering has
// told stays, where the beginning alone does not tell as much.
func (c *catalogue) describe(s *session, info event.Session, first string) {
	info.Agent, info.ID = s.agent, s.id
	if s.shown.Generation > 0 && s.info.TitleRank > info.TitleRank {
		info.Title, info.TitleRank = s.info.Title, s.info.TitleRank
	}
	if info.Last.Before(s.info.Last) {
		info.Last = s.info.Last
	}
	c.index(s, false)
	s.info = info
	if first != "" {
		s.first = s.agent + "\x00" + first
	}
	c.index(s, true)
}

// index notes or forgets what a session is found by.
func (c *catalogue) index(s *session, add bool) {
	change := func(m map[string][]*session, key string) {
		rest := slices.DeleteFunc(m[key], func(o *session) bool { return o == s })
		if add {
			rest = append(rest, s)
		}
		if m[key] = rest; len(rest) == 0 {
			delete(m, key)
		}
	}
	change(c.byAlias, s.id)
	change(c.byAlias, fileName(s.id))
	for _, alias := range s.info.Aliases {
		change(c.byAlias, alias)
	}
	if s.first != "" {
		change(c.byFirst, s.first)
	}
	if s.info.ForkOf != "" {
		change(c.byFirst, forkKey(s.agent, s.info.ForkOf))
	}
}

// drop forgets what was found at a path and below it.
func (c *catalogue) drop(path string, now time.Time) (paths []string, touched []*session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var gone []*file
	if f := c.files[path]; f != nil {
		gone = append(gone, f)
	} else {
		for p, f := range c.files {
			if strings.HasPrefix(p, path+"/") {
				gone = append(gone, f)
			}
		}
	}
	for _, f := range gone {
		delete(c.files, f.path)
		c.countFile(f)
		for _, s := range f.sessions {
			more, others := c.lose(s, f.path, now)
			paths, touched = append(paths, more...), append(touched, others...)
		}
	}
	return paths, touched
}

// lose takes a source from a session, and the session away if that was the last.
func (c *catalogue) lose(s *session, path string, now time.Time) (paths []string, touched []*session) {
	s.sources = slices.DeleteFunc(s.sources, func(old *source) bool { return old.path == path })
	if len(s.sources) > 0 {
		c.count(s)
		return nil, append(c.regroup(c.relate(s)), s)
	}
	if c.byID[sessionKey{s.agent, s.id}] != s {
		return nil, nil
	}
	if old := s.path(); old != "" {
		paths = append(paths, old)
	}
	delete(c.byID, sessionKey{s.agent, s.id})
	c.adopt(s, "")
	c.lost[sessionKey{s.agent, s.id}], s.lostAt = s, now
	c.names++
	c.index(s, false)
	c.unplace(s, now)
	c.count(s)
	paths = append(paths, c.news...)
	c.news = nil
	for _, child := range slices.Clone(s.children) {
		paths = append(paths, c.place(child, now)...)
	}
	// Those that left out what was told here have to tell it themselves.
	touched = append(touched, c.regroup(c.relate(s))...)
	c.touch(now)
	return paths, touched
}

func (c *catalogue) touch(now time.Time) {
	c.version++
	c.changed = later(c.changed, now)
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func earliest(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// all returns every session, in the order of the tree.
func (c *catalogue) all() []*session {
	c.mu.RLock()
	defer c.mu.RUnlock()
	list := make([]*session, 0, len(c.byID))
	var add func(s *session)
	add = func(s *session) {
		list = append(list, s)
		for _, child := range sortedBy(s.children, func(s *session) string { return s.name }) {
			add(child)
		}
	}
	for _, agent := range slices.Sorted(maps.Keys(c.agents)) {
		a := c.agents[agent]
		for _, name := range slices.Sorted(maps.Keys(a.projects)) {
			p := a.projects[name]
			for _, s := range slices.Sorted(maps.Keys(p.sessions)) {
				add(p.sessions[s])
			}
		}
	}
	return list
}

// empty reports whether no session is known.
func (c *catalogue) empty() bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return len(c.byID) == 0
}

// find returns the sessions that are known by an id: of any agent, or of one.
func (c *catalogue) find(agent, id string) (all []*session) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, s := range c.byAlias[id] {
		if agent == "" || s.agent == agent {
			all = append(all, s)
		}
	}
	slices.SortFunc(all, func(a, b *session) int { // an id before an alias
		switch {
		case (a.id == id) != (b.id == id) && a.id == id:
			return -1
		case (a.id == id) != (b.id == id):
			return 1
		}
		return strings.Compare(a.agent, b.agent)
	})
	return all
}
