package holder

import (
	"errors"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"ctxfs/providers/terminals/record"
)

// What is read of a program that has ended: until it has been quiet for quietTime,
// as others that it left behind may have the other side open. Who floods us then is
// heard for drainTime, and at least for as much as may have been on its way.
const (
	quietTime = 50 * time.Millisecond
	drainTime = time.Second
	drainSize = 1 << 20 // the largest pipe that there is without privileges
)

// relay hands on what comes from a program, to the end. A read deadline says that
// the program has ended.
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
		// A deadline that has passed keeps from reading even what is there.
		n := readNow(from, buf)
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

// readNow reads what is there, and waits for nothing; 0 says that nothing is, or
// never will be.
func readNow(f *os.File, p []byte) (n int) {
	_ = withFD(f, func(fd int) (err error) {
		for {
			if n, err = unix.Read(fd, p); err != unix.EINTR {
				n = max(n, 0)
				return err
			}
		}
	})
	return n
}

// settler calls Settle of a recorder when it wants to be called. It is apart
// from the relay, so that no byte waits for it.
type settler struct {
	rec *record.Recorder

	mu    sync.Mutex
	due   time.Time // when the timer rings; zero: it does not
	timer *time.Timer
	done  bool
}

func newSettler(rec *record.Recorder) *settler {
	s := &settler{rec: rec}
	s.timer = time.AfterFunc(time.Hour, s.ring)
	s.timer.Stop()
	return s
}

// at has the timer ring at a time, unless it rings earlier; zero does nothing.
func (s *settler) at(next time.Time) {
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
		s.at(s.rec.Settle(time.Now()))
	}
}

// stop ends it: what settles after this is for Close.
func (s *settler) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.done = true
	s.timer.Stop()
}
