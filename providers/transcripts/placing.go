package transcripts

import (
	"slices"
	"strings"
	"time"
)

// place puts a session where it belongs: below its parent if that is known, else
// into the folder of its project. It returns the paths that have changed.
func (c *catalogue) place(s *session, now time.Time) (paths []string) {
	old := s.path()
	var parent *session
	if s.info.Parent != "" {
		parent = c.byID[sessionKey{s.agent, s.info.Parent}]
	}
	wanted := ""
	if parent == nil {
		wanted = s.info.Parent
	}
	c.adopt(s, wanted)
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
			s.name = parent.nameBelow(name)
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
	c.count(s)
	paths = append(paths, c.news...)
	c.news = nil
	// Subagents that had to stand alone.
	for _, child := range slices.Clone(c.orphans[sessionKey{s.agent, s.id}]) {
		paths = append(paths, c.place(child, now)...)
	}
	return paths
}

// adopt notes the id of the parent that a session waits for; "" ends the waiting.
func (c *catalogue) adopt(s *session, parent string) {
	if s.orphanOf == parent {
		return
	}
	if key := (sessionKey{s.agent, s.orphanOf}); s.orphanOf != "" {
		c.orphans[key] = slices.DeleteFunc(c.orphans[key], func(o *session) bool { return o == s })
		if len(c.orphans[key]) == 0 {
			delete(c.orphans, key)
		}
	}
	if s.orphanOf = parent; parent != "" {
		key := sessionKey{s.agent, parent}
		c.orphans[key] = append(c.orphans[key], s)
	}
}

// nameBelow is a name that no other subagent has.
func (s *session) nameBelow(name string) string {
	unique := name
	for n := 2; slices.ContainsFunc(s.children, func(o *session) bool { return strings.EqualFold(o.name, unique) }); n++ {
		unique = numbered(name, n)
	}
	return unique
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
			c.news = append(c.news, p.agent.name+"/"+p.name)
			if len(p.agent.projects) == 0 {
				delete(c.agents, p.agent.name)
				c.entries = nil
				c.news = append(c.news, p.agent.name)
			}
		}
	}
}

func (c *catalogue) project(agent, name string, now time.Time) *project {
	a := c.agents[agent]
	if a == nil {
		a = &agentFolder{name: agent, projects: make(map[string]*project), changed: now}
		c.agents[agent] = a
		c.entries = nil
		c.news = append(c.news, agent)
	}
	p := a.projects[name]
	if p == nil {
		p = &project{name: name, agent: a, sessions: make(map[string]*session), changed: now}
		a.projects[name] = p
		a.touch(now)
		c.news = append(c.news, agent+"/"+name)
	}
	return p
}

func (a *agentFolder) touch(now time.Time) {
	a.entries = nil
	a.version++
	a.changed = later(a.changed, now)
}

func (p *project) touch(now time.Time) {
	p.entries = nil
	p.version++
	p.changed = later(p.changed, now)
}

// add gives a session its name in the folder: of those that are equal the later
// one gets a number.
func (p *project) add(s *session, name string, now time.Time) string {
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
