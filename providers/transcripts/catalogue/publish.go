package catalogue

import (
	"maps"
	"slices"
	"time"

	"ctxfs/providers/transcripts/event"
	"ctxfs/providers/transcripts/source"
)

// idleTime is how long a session must be quiet to be no longer live.
const idleTime = 10 * time.Minute

// Publication is what has changed in the catalogue with a publication.
type Publication struct {
	Before    Published
	Moved     []string   // the paths of folders that have come or gone
	Regrouped []*Session // those that must be rendered again
}

// Publish records what was rendered of a session, and info, what a complete reading
// has found out about it. It returns false if the session is gone.
func (c *Catalogue) Publish(s *Session, now time.Time, what Published, info event.Session) (p Publication, there bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.known.there(s) {
		return p, false
	}
	p.Before = s.Published
	s.Published = what
	for _, alias := range s.info.Aliases {
		if !slices.Contains(info.Aliases, alias) {
			info.Aliases = append(slices.Clip(info.Aliases), alias)
		}
	}
	c.known.set(s, false)
	info = compact(info)
	info.Agent, info.ID = s.Agent, s.ID
	s.info = info
	c.known.set(s, true)
	p.Moved = c.attach(s, now)
	related := c.known.updateRelations(s)
	if related == nil {
		related = []*Session{s} // others may have come or gone while it was rendered
	}
	p.Regrouped = c.markRegrouped(related)
	c.tree.touch(now)
	return p, true
}

// PublishFault records why a source of a session cannot be read. It reports whether
// the session has another source by now; there is false if the session is gone.
func (c *Catalogue) PublishFault(s *Session, src *source.Source, fault string, denied bool) (again, there bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.known.there(s) {
		return false, false
	}
	s.Published.Fault, s.Published.Denied = fault, denied
	s.Published.Stat, s.Published.Stamp, s.Published.Path = src.Stat, src.Stamp, src.Path
	c.count(s)
	return s.behind(), true
}

// Unpublish records that the cache of a session was deleted: it has to be
// rendered before it can be read. It reports whether messages.jsonl was there.
func (c *Catalogue) Unpublish(s *Session) (messages bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	messages = s.Published.Messages >= 0
	s.Published.Path, s.Published.Messages = "", -1
	c.count(s)
	return messages
}

// Evict records that the cache had no room for a session.
func (c *Catalogue) Evict(s *Session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s.Published.Path, s.Published.Kept, s.Published.Messages, s.Published.Evicted = "", 0, -1, true
	c.count(s)
}

// DropMessages records that messages.jsonl of a session was deleted.
func (c *Catalogue) DropMessages(s *Session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s.Published.Messages = -1
}

// MarkLive makes a session live that was just written to, be it before this process
// started. It returns whether it is live, and whether it has more to show.
func (c *Catalogue) MarkLive(s *Session, now time.Time) (live, behind bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	src := s.Source()
	behind = s.behind()
	if src == nil || src.Format == nil {
		return s.live, behind
	}
	switch written := time.Unix(0, src.Stat.ModTime); {
	case now.Sub(written) >= idleTime:
	case behind:
		s.live, s.grown = true, now
		c.count(s)
	case !s.live:
		s.live, s.grown = true, written
		c.count(s)
	}
	return s.live, behind
}

// EndQuiet marks the sessions that are quiet as no longer live, and returns them.
func (c *Catalogue) EndQuiet(now time.Time) (quiet []*Session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.known.byID {
		if s.live && now.Sub(s.grown) > idleTime {
			s.live = false
			c.count(s)
			quiet = append(quiet, s)
		}
	}
	return quiet
}

// Behind returns the sessions that have more to show than was published, the
// newest first. Those that the cache had no room for are left out.
func (c *Catalogue) Behind() (all []*Session) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	for _, s := range c.known.byID {
		if s.behind() && !s.Published.Evicted {
			all = append(all, s)
		}
	}
	newestFirst(all)
	return all
}

// Denied reports whether sessions in a file cannot be read for lack of permission.
func (c *Catalogue) Denied(f *File) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return slices.ContainsFunc(f.Sessions, func(s *Session) bool { return s.Published.Denied })
}

// Permit removes that fault from the sessions in a file, and returns their
// paths.
func (c *Catalogue) Permit(f *File) (paths []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range f.Sessions {
		if s.Published.Denied {
			s.Published.Fault, s.Published.Denied, s.Published.Path = "", false, ""
			c.count(s)
			paths = append(paths, s.path())
		}
	}
	return paths
}

// TakeLost returns the sessions that have been gone since a time or longer, and
// forgets them.
func (c *Catalogue) TakeLost(since time.Time) (lost []*Session) {
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

// HasSame reports whether there is a session of that agent and id, which need not
// be s itself: a session that reappears is a new one.
func (c *Catalogue) HasSame(s *Session) bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.known.byID[sessionKey{s.Agent, s.ID}] != nil
}

// Remembered returns all sessions, including those that disappeared recently.
func (c *Catalogue) Remembered() []*Session {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return slices.AppendSeq(slices.Collect(maps.Values(c.known.byID)), maps.Values(c.lost))
}
