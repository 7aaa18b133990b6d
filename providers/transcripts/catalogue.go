package transcripts

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"ctxfs/fs"
	"ctxfs/providers/transcripts/agents"
	"ctxfs/providers/transcripts/event"
)

// catalogue is the list of all sessions, and the folders that they are in.
type catalogue struct {
	home string

	mu          sync.RWMutex
	byID        map[sessionKey]*session
	byAlias     map[string][]*session // by id alone, of any agent; aliases too
	byFirst     map[string][]*session // by agent and first native id: forks of one another
	files       map[string]*file      // by path: what was found in it
	names       uint64                // moves with every change of a name or title
	lost        []*session            // whose books are to be thrown away
	orphans     map[sessionKey][]*session
	agents      map[string]*agentFolder
	entries     []fs.Entry // of the agents; nil when they have changed
	version     uint64     // moves with every change
	keptVersion uint64     // the one that is on disk
	changed     time.Time
}

type sessionKey struct{ agent, id string }

// file is a file on disk with the sessions that were found in it.
type file struct {
	path     string
	agent    string
	stat     stat
	sessions []*session
	fault    string // why it cannot be read
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

func newCatalogue(home string, born time.Time) *catalogue {
	return &catalogue{
		home: home, changed: born,
		byID: make(map[sessionKey]*session), byAlias: make(map[string][]*session), byFirst: make(map[string][]*session),
		files: make(map[string]*file), orphans: make(map[sessionKey][]*session), agents: make(map[string]*agentFolder),
	}
}

// found is a session that was found in a file.
type found struct {
	source *source
	info   event.Session
	first  string
	seen   time.Time // as it is kept; zero where it is new
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
		key := sessionKey{f.agent, one.info.ID}
		s := c.byID[key]
		if s == nil {
			s = &session{agent: f.agent, id: one.info.ID, seen: one.seen}
			if s.seen.IsZero() {
				s.seen = time.Unix(0, one.source.stat.ModTime)
			}
			s.shown.Messages = -1
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
	}
	if before != nil {
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
func (c *catalogue) reopen(f *file, format agents.Format) (touched []*session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range f.sessions {
		for _, src := range s.sources {
			if src.path == f.path && src.format == nil {
				src.format = format
				s.rank()
				touched = append(touched, s)
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
		m[key] = slices.DeleteFunc(m[key], func(o *session) bool { return o == s })
		if add {
			m[key] = append(m[key], s)
		}
		if len(m[key]) == 0 {
			delete(m, key)
		}
	}
	change(c.byAlias, s.id)
	for _, alias := range s.info.Aliases {
		change(c.byAlias, alias)
	}
	if s.first != "" {
		change(c.byFirst, s.first)
	}
}

// place puts a session where it belongs: below its parent if that is known, else
// into the folder of its project. It returns the paths that have changed.
func (c *catalogue) place(s *session, now time.Time) (paths []string) {
	old := s.path()
	var parent *session
	if s.info.Parent != "" {
		parent = c.byID[sessionKey{s.agent, s.info.Parent}]
		if parent == nil {
			key := sessionKey{s.agent, s.info.Parent}
			if !slices.Contains(c.orphans[key], s) {
				c.orphans[key] = append(c.orphans[key], s)
			}
		}
	}
	if parent != nil && slices.Contains(ancestors(parent), s) {
		parent = nil // a circle
	}
	name, project := s.folderName(), projectName(&s.info, c.home)
	if parent != nil {
		name, project = fileName(s.id), ""
	}
	placed := parent == s.parent && (parent != nil || s.folder != nil && s.folder.name == project)
	if !placed || s.name != name && !strings.HasPrefix(s.name, name+"~") {
		c.unplace(s, now)
		c.names++
		if s.parent = parent; parent != nil {
			s.name = name
			parent.children = append(parent.children, s)
		} else {
			s.folder = c.project(s.agent, project, now)
			s.name = s.folder.add(s, name, now)
		}
		c.touch(now)
	}
	if path := s.path(); path != old {
		if old != "" {
			paths = append(paths, old)
		}
		paths = append(paths, path)
	}
	// Subagents that had to stand alone.
	key := sessionKey{s.agent, s.id}
	waiting := c.orphans[key]
	delete(c.orphans, key)
	for _, child := range waiting {
		paths = append(paths, c.place(child, now)...)
	}
	return paths
}

func ancestors(s *session) (all []*session) {
	for ; s != nil; s = s.parent {
		all = append(all, s)
	}
	return all
}

// unplace takes a session out of the folder it is in.
func (c *catalogue) unplace(s *session, now time.Time) {
	if s.parent != nil {
		s.parent.children = slices.DeleteFunc(s.parent.children, func(o *session) bool { return o == s })
		s.parent = nil
	}
	if p := s.folder; p != nil {
		delete(p.sessions, s.name)
		p.touch(now)
		s.folder = nil
		if len(p.sessions) == 0 {
			delete(p.agent.projects, p.name)
			p.agent.touch(now)
			if len(p.agent.projects) == 0 {
				delete(c.agents, p.agent.name)
				c.entries = nil
			}
		}
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
		return nil, []*session{s}
	}
	if c.byID[sessionKey{s.agent, s.id}] != s {
		return nil, nil
	}
	if old := s.path(); old != "" {
		paths = append(paths, old)
	}
	delete(c.byID, sessionKey{s.agent, s.id})
	c.lost = append(c.lost, s)
	c.names++
	c.index(s, false)
	c.unplace(s, now)
	for _, child := range slices.Clone(s.children) {
		paths = append(paths, c.place(child, now)...)
	}
	// Those that left out what was told here have to tell it themselves.
	for _, o := range c.byFirst[s.first] {
		if slices.Contains(o.shown.Inherits, s.id) {
			o.shown.Path = "" // as if it had another source now
			touched = append(touched, o)
		}
	}
	c.touch(now)
	return paths, touched
}

func (c *catalogue) touch(now time.Time) {
	c.version++
	c.changed = now
}

func (c *catalogue) project(agent, name string, now time.Time) *project {
	a := c.agents[agent]
	if a == nil {
		a = &agentFolder{name: agent, projects: make(map[string]*project), changed: now}
		c.agents[agent] = a
		c.entries = nil
	}
	p := a.projects[name]
	if p == nil {
		p = &project{name: name, agent: a, sessions: make(map[string]*session), changed: now}
		a.projects[name] = p
		a.touch(now)
	}
	return p
}

func (a *agentFolder) touch(now time.Time) {
	a.entries = nil
	a.version++
	a.changed = now
}

func (p *project) touch(now time.Time) {
	p.entries = nil
	p.version++
	p.changed = now
}

// add gives a session its name in the folder: of those that are equal the later
// one gets a number.
func (p *project) add(s *session, name string, now time.Time) string {
	unique := name
	for n := 2; p.sessions[unique] != nil; n++ {
		unique = numbered(name, n)
	}
	p.sessions[unique] = s
	p.touch(now)
	return unique
}

// earlier are the sessions whose records a session repeats: of those that begin
// with the same record, the ones that are older, oldest first; and the one that
// it says it is a fork of.
func (c *catalogue) earlier(s *session) (all []*session) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	older := func(a, b *session) bool {
		x, y := a.source(), b.source()
		switch {
		case x == nil || y == nil:
			return false
		case !x.birth.Equal(y.birth):
			return x.birth.Before(y.birth)
		}
		return a.id < b.id
	}
	add := func(o *session) {
		if o != nil && o != s && o.source() != nil && !slices.Contains(all, o) {
			all = append(all, o)
		}
	}
	if s.info.ForkOf != "" {
		seen := map[string]bool{s.id: true}
		for id := s.info.ForkOf; id != "" && !seen[id]; {
			seen[id] = true
			o := c.byID[sessionKey{s.agent, id}]
			add(o)
			if o == nil {
				break
			}
			id = o.info.ForkOf
		}
	}
	if s.first == "" || len(all) > 0 {
		return all
	}
	for _, o := range c.byFirst[s.first] {
		if o != s && o.info.ForkOf != s.id && older(o, s) {
			add(o)
		}
	}
	slices.SortFunc(all, func(a, b *session) int {
		if older(a, b) {
			return -1
		}
		return 1
	})
	return all
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
