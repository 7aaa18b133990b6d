package catalogue

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"ctxfs/fs"
)

// Find returns the sessions with an id, of any agent: first those whose own id it
// is, then those that have it as an alias.
func (c *Catalogue) Find(id string) []*Session {
	c.mu.RLock()
	defer c.mu.RUnlock()
	all := slices.Clone(c.known.byAlias[id])
	slices.SortFunc(all, func(a, b *Session) int {
		return cmp.Or(oneIf(b.ID == id)-oneIf(a.ID == id), strings.Compare(a.Agent, b.Agent))
	})
	return all
}

// ByKey returns the session of an agent with an id of its own, or nil.
func (c *Catalogue) ByKey(agent, id string) *Session {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.known.byID[sessionKey{agent, id}]
}

// Exactly returns the sessions that have an id, of one agent or, with "", of any;
// or else those that have it as an alias.
func (c *Catalogue) Exactly(agent, id string) []*Session {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.known.exact(agent, id)
}

// exact is exactly for a caller that holds the lock.
func (x *index) exact(agent, id string) []*Session {
	var ids, aliases []*Session
	for _, s := range x.byAlias[id] {
		switch {
		case agent != "" && s.Agent != agent:
		case s.ID == id:
			ids = append(ids, s)
		default:
			aliases = append(aliases, s)
		}
	}
	if len(ids) > 0 {
		return ids
	}
	return aliases
}

// WithPrefix returns the sessions whose id starts with a text, or whose short id is
// that text; only those that are not subagents', if there are any.
func (c *Catalogue) WithPrefix(text string) []*Session {
	c.mu.RLock()
	defer c.mu.RUnlock()
	var tops, subagents []*Session
	for _, s := range c.known.byID {
		switch {
		case !strings.HasPrefix(s.ID, text) && ShortID(s.ID) != text:
		case s.parent == nil:
			tops = append(tops, s)
		default:
			subagents = append(subagents, s)
		}
	}
	if len(tops) > 0 {
		return tops
	}
	return subagents
}

// InFile returns the sessions in the first of the given agents' files that has any.
func (c *Catalogue) InFile(paths ...string) []*Session {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, path := range paths {
		if f := c.files[path]; f != nil {
			return f.Sessions
		}
	}
	return nil
}

// StartedIn returns the sessions that began in a folder, given by all of its names,
// and are not subagents'; the newest first.
func (c *Catalogue) StartedIn(folder []string) (all []*Session) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, s := range c.known.byID {
		if s.parent == nil && slices.Contains(folder, s.info.CWD) {
			all = append(all, s)
		}
	}
	newestFirst(all)
	return all
}

// SortNewestFirst sorts sessions by when they were written to last.
func (c *Catalogue) SortNewestFirst(all []*Session) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	newestFirst(all)
}

// newestFirst is sortNewestFirst for a caller that holds the lock.
func newestFirst(all []*Session) {
	slices.SortFunc(all, func(a, b *Session) int {
		return -cmp.Or(a.modTime().Compare(b.modTime()), strings.Compare(a.Agent, b.Agent), strings.Compare(a.ID, b.ID))
	})
}

// InTree returns the sessions that a path in the provider's folder leads into: at
// most one, except for an id that several have.
func (c *Catalogue) InTree(path string) []*Session {
	c.mu.RLock()
	defer c.mu.RUnlock()
	parts := strings.Split(path, "/")
	if len(parts) >= 2 && parts[0] == ByID {
		found := c.known.exact("", parts[1])
		if len(found) != 1 {
			return found
		}
		return found[0].below(parts[2:])
	}
	if len(parts) < 3 {
		return nil
	}
	s := c.tree.sessionAt(parts[0], parts[1], parts[2])
	if s == nil {
		return nil
	}
	return s.below(parts[3:])
}

// below returns the session, s or one of its subagents, that a path in the folder
// of s leads into.
func (s *Session) below(rest []string) []*Session {
	for ; len(rest) >= 2 && rest[0] == Subagents; rest = rest[2:] {
		if s = s.child(rest[1]); s == nil {
			return nil
		}
	}
	return []*Session{s}
}

// child returns the session that s has started, by the name of its folder, or nil.
func (s *Session) child(name string) *Session {
	for _, child := range s.children {
		if child.name == name {
			return child
		}
	}
	return nil
}

// setFolder adds a session to those of the folder in which it worked, or removes it.
func (x *index) setFolder(s *Session, add bool) {
	dir := s.info.CWD
	switch {
	case dir == "":
	case add && x.byFolder[dir] == nil:
		x.byFolder[dir] = map[*Session]bool{s: true}
	case add:
		x.byFolder[dir][s] = true
	default:
		if delete(x.byFolder[dir], s); len(x.byFolder[dir]) == 0 {
			delete(x.byFolder, dir)
		}
	}
}

// LastWithin returns the sessions that worked at and below a folder and in which something
// has happened since a time ([View.LastTime]), the last one first, and no more than most. Subagents are left out. It
// looks at the sessions of that folder only, however many there are in others.
func (c *Catalogue) LastWithin(dir string, since time.Time, most int) (last []*Session) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	type happened struct {
		s  *Session
		at time.Time
	}
	var all []happened
	for cwd, sessions := range c.known.byFolder {
		if !fs.Within(cwd, dir) {
			continue
		}
		for s := range sessions {
			if at := lastTime(s.info.Last, s.behind(), s.modTime()); s.parent == nil && at.After(since) {
				all = append(all, happened{s, at})
			}
		}
	}
	slices.SortFunc(all, func(a, b happened) int {
		return cmp.Or(b.at.Compare(a.at), strings.Compare(a.s.ID, b.s.ID), strings.Compare(a.s.Agent, b.s.Agent))
	})
	for _, one := range all[:min(len(all), most)] {
		last = append(last, one.s)
	}
	return last
}
