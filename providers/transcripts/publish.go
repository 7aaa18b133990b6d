package transcripts

import (
	"slices"
	"time"

	"ctxfs/providers/transcripts/event"
)

// idleTime is how long a session must be quiet to be no longer live.
const idleTime = 10 * time.Minute

// publication is what has changed in the catalogue with a publication.
type publication struct {
	before    published
	moved     []string   // the paths of folders that have come or gone
	regrouped []*session // those that must be rendered again
}

// publish records what was rendered of a session, and info, which a whole reading
// has told of it. It returns false if the session is no longer there.
func (c *catalogue) publish(s *session, now time.Time, what published, info event.Session) (p publication, there bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.there(s) {
		return p, false
	}
	p.before = s.published
	s.published = what
	for _, alias := range s.info.Aliases {
		if !slices.Contains(info.Aliases, alias) {
			info.Aliases = append(slices.Clip(info.Aliases), alias)
		}
	}
	c.index(s, false)
	info = compact(info)
	info.Agent, info.ID = s.agent, s.id
	s.info = info
	c.index(s, true)
	p.moved = c.place(s, now)
	related := c.relate(s)
	if related == nil {
		related = []*session{s} // others may have come or gone while it was rendered
	}
	p.regrouped = c.regroup(related)
	c.touch(now)
	return p, true
}

// publishFault records why a source of a session cannot be read. It reports
// whether the session has another source by now, and false for there if it is
// gone.
func (c *catalogue) publishFault(s *session, src *source, fault string, denied bool) (again, there bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.there(s) {
		return false, false
	}
	s.published.Fault, s.published.Denied = fault, denied
	s.published.Stat, s.published.Stamp, s.published.Path = src.stat, src.stamp, src.path
	c.count(s)
	return s.behind(), true
}

// unpublish records that the cache of a session was deleted: it has to be
// rendered before it can be read. It reports whether messages.jsonl was there.
func (c *catalogue) unpublish(s *session) (messages bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	messages = s.published.Messages >= 0
	s.published.Path, s.published.Messages = "", -1
	c.count(s)
	return messages
}

// evict records that the cache had no room for a session.
func (c *catalogue) evict(s *session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s.published.Path, s.published.Kept, s.published.Messages, s.published.Evicted = "", 0, -1, true
	c.count(s)
}

// dropMessages records that messages.jsonl of a session was deleted.
func (c *catalogue) dropMessages(s *session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s.published.Messages = -1
}

// enliven makes a session live that was written to a moment ago. It returns
// whether it is live, and whether it has more to show.
func (c *catalogue) enliven(s *session, now time.Time) (live, behind bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	src := s.source()
	behind = s.behind()
	if src != nil && src.format != nil && behind && now.Sub(time.Unix(0, src.stat.ModTime)) < idleTime {
		s.live, s.grown = true, now
		c.count(s)
	}
	return s.live, behind
}

// endQuiet ends the life of the sessions that are quiet, and returns them.
func (c *catalogue) endQuiet(now time.Time) (quiet []*session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.byID {
		if s.live && now.Sub(s.grown) > idleTime {
			s.live = false
			c.count(s)
			quiet = append(quiet, s)
		}
	}
	return quiet
}

// behind returns the sessions that have more to show than was published, the
// newest first. Those that the cache had no room for are left out.
func (c *catalogue) behind() (all []*session) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, s := range c.byID {
		if s.behind() && !s.published.Evicted {
			all = append(all, s)
		}
	}
	newestFirst(all)
	return all
}

// denied reports whether sessions in a file cannot be read for want of
// permission.
func (c *catalogue) denied(f *file) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return slices.ContainsFunc(f.sessions, func(s *session) bool { return s.published.Denied })
}

// permit removes that fault from the sessions in a file, and returns their
// paths.
func (c *catalogue) permit(f *file) (paths []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range f.sessions {
		if s.published.Denied {
			s.published.Fault, s.published.Denied, s.published.Path = "", false, ""
			c.count(s)
			paths = append(paths, s.path())
		}
	}
	return paths
}

// takeLost returns the sessions that have been gone since a time or longer, and
// forgets them.
func (c *catalogue) takeLost(since time.Time) (lost []*session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, s := range c.lost {
		if !s.lostAt.After(since) {
			lost = append(lost, s)
			delete(c.lost, key)
		}
	}
	return lost
}

// has reports whether there is a session of that agent and id, which need not be
// s itself: one that came back is another.
func (c *catalogue) has(s *session) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.byID[sessionKey{s.agent, s.id}] != nil
}

// remembered returns all sessions, together with those that have been lost a
// moment ago.
func (c *catalogue) remembered() []*session {
	c.mu.RLock()
	defer c.mu.RUnlock()
	all := make([]*session, 0, len(c.byID)+len(c.lost))
	for _, s := range c.byID {
		all = append(all, s)
	}
	for _, s := range c.lost {
		all = append(all, s)
	}
	return all
}
