package holder

import (
	"errors"
	"os"
	"sync"
	"time"

	"ctxfs/providers/internal/pipes"
	"ctxfs/providers/terminals/record"
)

// Limits for reading from a program that has exited: until it has been quiet for
// quietTime, as processes that it left behind may have the other side open. If they
// print without pause, they are read for drainTime, and at least for as much as may
// have been on its way.
const (
	quietTime = 50 * time.Millisecond
	drainTime = time.Second
	drainSize = 1 << 20 // the largest pipe that needs no privileges
)

// relay passes on a program's output, to its end. A read deadline means that the
// program has exited.
func relay(from *os.File, show func(p []byte)) {
	buf := make([]byte, 64<<10)
	for {
		n, err := from.Read(buf)
		if n > 0 {
			show(buf[:n])
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			break
		}
		if err != nil { // closed, or hung up
			return
		}
	}
	began, drained := time.Now(), 0
	for drained < drainSize || time.Since(began) < drainTime {
		// After a deadline even available bytes cannot be read through the
		// file.
		n := pipes.ReadNow(from, buf)
		if n == 0 {
			if from.SetReadDeadline(time.Now().Add(quietTime)) != nil {
				return
			}
			if n, _ = from.Read(buf); n <= 0 {
				return
			}
		}
		show(buf[:n])
		drained += n
	}
}

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
