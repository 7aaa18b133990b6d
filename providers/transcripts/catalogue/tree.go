package catalogue

import (
	iofs "io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/names"
)

// folder is what the three kinds of folders have in common.
type folder struct {
	entries []fs.Entry // nil when they have changed
	version uint64
	changed time.Time
}

func (f *folder) touch(now time.Time) {
	f.entries = nil
	f.version++
	f.changed = wording.Later(f.changed, now)
}

// agentFolder is the folder of an agent: projects by name.
type agentFolder struct {
	folder
	name     string
	projects map[string]*project
}

// project is the folder of a project of one agent.
type project struct {
	folder
	name     string
	agent    *agentFolder
	sessions map[string]*Session // by the name of their folder
}

// tree is the tree of folders that the sessions are in. It is guarded by the lock of
// the catalogue.
type tree struct {
	agents      map[string]*agentFolder
	entries     []fs.Entry                // of the root; nil when the agents have changed
	unannounced []string                  // folders of agents and projects that have appeared or disappeared and are not reported yet
	orphans     map[sessionKey][]*Session // by the parent that is not there
	version     uint64                    // incremented with every change
	changed     time.Time                 // zero where nothing was found yet
}

// Attr returns the version of the list of an agent's projects, or of the
// sessions of one, and when it changed; "" for the project, and for the agent
// too, stands for the folder above.
func (c *Catalogue) Attr(agent, project string) (version uint64, changed time.Time, there bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if agent == "" {
		return c.tree.version, c.tree.changed, true
	}
	if f := c.tree.folderAt(agent, project); f != nil {
		return f.version, f.changed, true
	}
	return 0, time.Time{}, false
}

// folderAt returns the folder of an agent, or of one of its projects, or nil. The
// caller holds the lock.
func (t *tree) folderAt(agent, project string) *folder {
	a := t.agents[agent]
	switch {
	case a == nil:
		return nil
	case project == "":
		return &a.folder
	case a.projects[project] == nil:
		return nil
	}
	return &a.projects[project].folder
}

// List returns the agents, the projects of an agent, or the sessions of a project,
// sorted, together with more, the other names in that folder, which must be the
// same in every call. The slice is shared.
func (c *Catalogue) List(agent, project string, more ...fs.Entry) (entries []fs.Entry, there bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	to := &c.tree.entries
	if agent != "" {
		f := c.tree.folderAt(agent, project)
		if f == nil {
			return nil, false
		}
		to = &f.entries
	}
	if *to != nil {
		return *to, true
	}
	entries = append([]fs.Entry{}, more...)
	add := func(name string) { entries = append(entries, fs.Entry{Name: name, Type: iofs.ModeDir}) }
	switch {
	case agent == "":
		for name := range c.tree.agents {
			add(name)
		}
	case project == "":
		for name := range c.tree.agents[agent].projects {
			add(name)
		}
	default:
		for name := range c.tree.agents[agent].projects[project].sessions {
			add(name)
		}
	}
	slices.SortFunc(entries, func(a, b fs.Entry) int { return strings.Compare(a.Name, b.Name) })
	*to = entries
	return entries, true
}

// Session returns the session in the folder of a project by the name of its own
// folder, which may be a name from before it got a better title: a path that was
// written down stays valid. It returns nil if the folder is unknown.
func (c *Catalogue) Session(agent, project, name string) *Session {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.tree.sessionAt(agent, project, name)
}

// sessionAt is Session for a caller that holds the lock.
func (t *tree) sessionAt(agent, project, name string) *Session {
	a := t.agents[agent]
	if a == nil || a.projects[project] == nil {
		return nil
	}
	p := a.projects[project]
	if s := p.sessions[name]; s != nil {
		return s
	}
	return p.byFormerName(name)
}

// byFormerName returns the session that had a name before: the only one with the
// short id that the name ends in.
func (p *project) byFormerName(name string) (found *Session) {
	i := strings.LastIndexByte(name, '_')
	if i < len(time.DateOnly) {
		return nil
	}
	date, id := name[:len(time.DateOnly)], name[i+1:]
	if _, err := time.Parse(time.DateOnly, date); err != nil {
		return nil
	}
	for _, s := range p.sessions {
		if ShortID(s.ID) == id {
			if found != nil {
				return nil
			}
			found = s
		}
	}
	return found
}

// All returns every session, in the order of the tree.
func (c *Catalogue) All() []*Session {
	c.mu.RLock()
	defer c.mu.RUnlock()
	list := make([]*Session, 0, len(c.known.byID))
	var add func(s *Session)
	add = func(s *Session) {
		list = append(list, s)
		for _, child := range slices.SortedFunc(slices.Values(s.children), func(a, b *Session) int { return strings.Compare(a.name, b.name) }) {
			add(child)
		}
	}
	for _, agent := range slices.Sorted(maps.Keys(c.tree.agents)) {
		a := c.tree.agents[agent]
		for _, name := range slices.Sorted(maps.Keys(a.projects)) {
			p := a.projects[name]
			for _, s := range slices.Sorted(maps.Keys(p.sessions)) {
				add(p.sessions[s])
			}
		}
	}
	return list
}

// attach puts a session into the tree: below its parent if that is known, else into
// the folder of its project. It returns the paths that have changed.
func (c *Catalogue) attach(s *Session, now time.Time) (paths []string) {
	old := s.path()
	var parent *Session
	if s.info.Parent != "" {
		parent = c.known.byID[sessionKey{s.Agent, s.info.Parent}]
	}
	wanted := ""
	if parent == nil {
		wanted = s.info.Parent
	}
	c.tree.awaitParent(s, wanted)
	if parent != nil && slices.Contains(ancestors(parent), s) {
		parent = nil // a circle
	}
	name, project := s.folderName(), projectName(&s.info, c.home)
	if parent != nil {
		name, project = names.File(s.ID), ""
	}
	placed := parent == s.parent && (parent != nil || s.folder != nil && s.folder.name == project)
	if !placed || s.name != name && !strings.HasPrefix(s.name, name+"~") {
		c.tree.detach(s, now)
		c.names++
		if s.parent = parent; parent != nil {
			s.name = parent.uniqueBelow(name)
			parent.children = append(parent.children, s)
		} else {
			s.folder = c.tree.project(s.Agent, project, now)
			s.name = s.folder.add(s, name, now)
		}
		c.tree.touch(now)
	}
	if path := s.path(); path != old {
		if old != "" {
			paths = append(paths, old)
		}
		paths = append(paths, path)
	}
	c.count(s)
	paths = append(paths, c.tree.unannounced...)
	c.tree.unannounced = nil
	// Subagents that were listed beside it while it was not there.
	for _, child := range slices.Clone(c.tree.orphans[sessionKey{s.Agent, s.ID}]) {
		paths = append(paths, c.attach(child, now)...)
	}
	return paths
}

// awaitParent records the id of the parent that a session waits for; "" ends the
// waiting.
func (t *tree) awaitParent(s *Session, parent string) {
	if s.orphanOf == parent {
		return
	}
	if key := (sessionKey{s.Agent, s.orphanOf}); s.orphanOf != "" {
		t.orphans[key] = slices.DeleteFunc(t.orphans[key], func(o *Session) bool { return o == s })
		if len(t.orphans[key]) == 0 {
			delete(t.orphans, key)
		}
	}
	if s.orphanOf = parent; parent != "" {
		key := sessionKey{s.Agent, parent}
		t.orphans[key] = append(t.orphans[key], s)
	}
}

// uniqueBelow returns a name that no other subagent of the session has.
func (s *Session) uniqueBelow(name string) string {
	unique := name
	for n := 2; slices.ContainsFunc(s.children, func(o *Session) bool { return strings.EqualFold(o.name, unique) }); n++ {
		unique = numbered(name, n)
	}
	return unique
}

func ancestors(s *Session) (all []*Session) {
	for ; s != nil; s = s.parent {
		all = append(all, s)
	}
	return all
}

// detach removes a session from the folder it is in.
func (t *tree) detach(s *Session, now time.Time) {
	if s.parent != nil {
		s.parent.children = slices.DeleteFunc(s.parent.children, func(o *Session) bool { return o == s })
		s.parent = nil
	}
	if p := s.folder; p != nil {
		delete(p.sessions, s.name)
		p.touch(now)
		s.folder = nil
		if len(p.sessions) == 0 {
			delete(p.agent.projects, p.name)
			p.agent.touch(now)
			t.unannounced = append(t.unannounced, p.agent.name+"/"+p.name)
			if len(p.agent.projects) == 0 {
				delete(t.agents, p.agent.name)
				t.entries = nil
				t.unannounced = append(t.unannounced, p.agent.name)
			}
		}
	}
}

func (t *tree) project(agent, name string, now time.Time) *project {
	a := t.agents[agent]
	if a == nil {
		a = &agentFolder{folder: folder{changed: now}, name: agent, projects: make(map[string]*project)}
		t.agents[agent] = a
		t.entries = nil
		t.unannounced = append(t.unannounced, agent)
	}
	p := a.projects[name]
	if p == nil {
		p = &project{folder: folder{changed: now}, name: name, agent: a, sessions: make(map[string]*Session)}
		a.projects[name] = p
		a.touch(now)
		t.unannounced = append(t.unannounced, agent+"/"+name)
	}
	return p
}

// add adds a session to the folder under a name, which gets a number if another has
// it, and returns the name.
func (p *project) add(s *Session, name string, now time.Time) string {
	unique := name
	if strings.HasPrefix(s.name, name+"~") && p.sessions[s.name] == nil {
		unique = s.name // as it was
	}
	for n := 2; p.sessions[unique] != nil; n++ {
		unique = numbered(name, n)
	}
	p.sessions[unique] = s
	p.touch(now)
	return unique
}
