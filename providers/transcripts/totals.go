package transcripts

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
			if s.shown.Generation > 0 || s.shown.Fault != "" {
				now.done = min(max(s.shown.Offset, 0), now.size)
			}
		}
		now.left = s.behind() && !s.shown.Evicted && (!s.shown.live || s.shown.Generation == 0)
	}
	if c.there(s) && (s.shown.Fault != "" || s.shown.Strange) {
		t.faulty[s] = struct{}{}
	} else {
		delete(t.faulty, s)
	}
	s.counted = now
	t.size += now.size - was.size
	t.done += now.done - was.done
	t.left += number(now.left) - number(was.left)
	if change := number(now.top) - number(was.top); change != 0 {
		t.sessions += change
		if t.perAgent[s.agent] += change; t.perAgent[s.agent] == 0 {
			delete(t.perAgent, s.agent)
		}
	}
}

func number(yes bool) int {
	if yes {
		return 1
	}
	return 0
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
