package scan

import (
	"ctxfs/fs/rounds"
	"ctxfs/providers/transcripts/agents/history"
	"time"

	"ctxfs/providers/transcripts/source"
)

// storeWork is a store that is being inspected in the background.
type storeWork struct {
	again   bool          // inspect it once more
	forced  bool          // even if it has not changed
	now     bool          // a late look is not to wait
	looking bool          // it is being inspected
	looked  chan struct{} // closed when it was inspected as requested; nil if no caller waits
	wake    chan struct{} // receives when there is news while it is waited for lateLooks
}

// lateLooks are the times after which a database is inspected again after it was
// written to. What SQLite appends to its log (-wal) becomes part of the database
// only after it is on disk, by a change of shared memory: that changes no file, and
// no event reports it.
var lateLooks = [...]time.Duration{30 * time.Millisecond, 100 * time.Millisecond, 400 * time.Millisecond, 2 * time.Second}

// inspectStoreSoon inspects a store that has changed in a goroutine of its own: a
// large database takes its time. Changes that come meanwhile cause one more
// inspection.
func (s *Scanner) inspectStoreSoon(agent, path string, format history.Format, forced bool) {
	if !s.Watch {
		s.Inspect(s.ctx, agent, path, format, forced)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	if w := s.stores[path]; w != nil {
		w.again, w.forced = true, w.forced || forced
		rounds.Tell(w.wake)
		return
	}
	w := &storeWork{again: true, forced: forced, wake: make(chan struct{}, 1)}
	s.stores[path] = w
	s.work.Go(func() { s.inspectWhileNew(agent, path, format, w) })
}

// inspectWhileNew inspects a store until there is no more news of it. A late look is waited
// for as others are, since it may be the one that finds a change.
func (s *Scanner) inspectWhileNew(agent, path string, format history.Format, w *storeWork) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for late := 0; !s.closed && s.ctx.Err() == nil; {
		if w.again {
			late = 0
		} else {
			if !w.now {
				if late == len(lateLooks) || !source.HasJournal(path) {
					break
				}
				s.mu.Unlock()
				due := false
				select {
				case <-s.ctx.Done():
				case <-w.wake:
				case <-time.After(lateLooks[late]):
					late++
					due = true
				}
				s.mu.Lock()
				if w.again || !due {
					continue
				}
			}
			s.mu.Unlock()
			s.inspecting.lock(path)
			s.Catalogue.Invalidate(path)
			s.inspecting.unlock(path)
			s.mu.Lock()
		}
		forced := w.forced
		w.again, w.now, w.forced, w.looking = false, false, false, true
		s.mu.Unlock()
		s.Inspect(s.ctx, agent, path, format, forced)
		s.mu.Lock()
		w.looking = false
		if w.looked != nil && !w.again && !w.now {
			close(w.looked)
			w.looked = nil
		}
	}
	delete(s.stores, path)
}
