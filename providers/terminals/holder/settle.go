package holder

import (
	"sync"
	"time"

	"ctxfs/providers/terminals/record"
)

// settler calls Settle of a recorder when the recorder asks for it. It runs
// separately from the relay, so that no byte waits for it.
type settler struct {
	rec *record.Recorder

	mu    sync.Mutex
	due   time.Time // when the timer fires; zero if it does not
	timer *time.Timer
	done  bool
}

func newSettler(rec *record.Recorder) *settler {
	s := &settler{rec: rec}
	s.timer = time.AfterFunc(time.Hour, s.ring)
	s.timer.Stop()
	return s
}

// scheduleAt makes the timer fire at a time, unless it fires earlier; zero does
// nothing.
func (s *settler) scheduleAt(next time.Time) {
	if next.IsZero() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.done || !s.due.IsZero() && !next.Before(s.due) {
		return
	}
	s.due = next
	s.timer.Reset(time.Until(next))
}

func (s *settler) ring() {
	s.mu.Lock()
	s.due = time.Time{}
	done := s.done
	s.mu.Unlock()
	if !done {
		s.scheduleAt(s.rec.Settle(time.Now()))
	}
}

// stop ends it: Close settles what is left.
func (s *settler) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done = true
	s.timer.Stop()
}
