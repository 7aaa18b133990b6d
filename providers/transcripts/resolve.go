package transcripts

import (
	"cmp"
	"slices"
	"strings"
)

// find returns the sessions that are known by an id, of any agent: first those
// that have it as their own, then those that have it as an alias.
func (c *catalogue) find(id string) []*session {
	c.mu.RLock()
	defer c.mu.RUnlock()
	all := slices.Clone(c.byAlias[id])
	slices.SortFunc(all, func(a, b *session) int {
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

// byKey returns the session of an agent with an id of its own; nil if there is
// none.
func (c *catalogue) byKey(agent, id string) *session {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.byID[sessionKey{agent, id}]
}

// exactly returns the sessions that have an id, of one agent or, with "", of
// any; where there are none, those that have it as an alias.
func (c *catalogue) exactly(agent, id string) []*session {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.exact(agent, id)
}

// exact is exactly for a caller that holds the lock.
func (c *catalogue) exact(agent, id string) []*session {
	var ids, aliases []*session
	for _, s := range c.byAlias[id] {
		switch {
		case agent != "" && s.agent != agent:
		case s.id == id:
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

// withPrefix returns the sessions whose id starts with a text, or whose short id
// is that text; only those that are no subagents', where there are such.
func (c *catalogue) withPrefix(text string) []*session {
	c.mu.RLock()
	defer c.mu.RUnlock()
	var tops, subagents []*session
	for _, s := range c.byID {
		switch {
		case !strings.HasPrefix(s.id, text) && shortID(s.id) != text:
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

// inFile returns the sessions that lie in the first of some files of agents'
// that has any.
func (c *catalogue) inFile(paths ...string) []*session {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, path := range paths {
		if f := c.files[path]; f != nil {
			return f.sessions
		}
	}
	return nil
}

// startedIn returns the sessions that began in a folder, given by all of its
// names, and are no subagents'; the newest first.
func (c *catalogue) startedIn(folder []string) (all []*session) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, s := range c.byID {
		if s.parent == nil && slices.Contains(folder, s.info.CWD) {
			all = append(all, s)
		}
	}
	newestFirst(all)
	return all
}

// sortNewestFirst sorts sessions by when they were written to last.
func (c *catalogue) sortNewestFirst(all []*session) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	newestFirst(all)
}

// newestFirst is sortNewestFirst for a caller that holds the lock.
func newestFirst(all []*session) {
	slices.SortFunc(all, func(a, b *session) int {
		return -cmp.Or(a.modTime().Compare(b.modTime()), strings.Compare(a.agent, b.agent), strings.Compare(a.id, b.id))
	})
}

// inTree returns the sessions that a path in the provider's folder leads into: at
// most one, but for an id that several have.
func (c *catalogue) inTree(path string) []*session {
	c.mu.RLock()
	defer c.mu.RUnlock()
	parts := strings.Split(path, "/")
	if len(parts) >= 2 && parts[0] == byIDName {
		found := c.exact("", parts[1])
		if len(found) != 1 {
			return found
		}
		return found[0].below(parts[2:])
	}
	if len(parts) < 3 {
		return nil
	}
	s := c.sessionAt(parts[0], parts[1], parts[2])
	if s == nil {
		return nil
	}
	return s.below(parts[3:])
}

// below returns the session, s or one of its subagents, that a path in the folder
// of s leads into.
func (s *session) below(rest []string) []*session {
	for ; len(rest) >= 2 && rest[0] == subagentsName; rest = rest[2:] {
		i := slices.IndexFunc(s.children, func(child *session) bool { return child.name == rest[1] })
		if i < 0 {
			return nil
		}
		s = s.children[i]
	}
	return []*session{s}
}
