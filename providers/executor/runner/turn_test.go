package runner

import (
	"context"
	"errors"
	"testing"
	"time"

	"ctxfs/fs/fstest"
	"ctxfs/providers/executor/job"
	"ctxfs/providers/executor/request"
)

// stored is a run whose process lives.
type stored struct {
	*testing.T
	*job.Job
	store job.Store
	end   func()
}

// runs are those of a test: each is asked for a second later than the one before.
type runs struct {
	job.Store
	created int
}

// add creates a run that is part of another one, or of none.
func (r *runs) add(t *testing.T, name, within string) stored {
	t.Helper()
	r.created++
	status := job.Status{State: job.Waiting, Agent: name, Within: within, Created: time.Unix(int64(r.created), 0)}
	j, lock, err := r.Create(name, request.Request{}, status)
	fstest.Must(t, err)
	t.Cleanup(func() { lock.Close() })
	return stored{t, j, r.Store, func() { lock.Close() }}
}

// waits waits for a turn in the background, and returns when it waits.
func (s stored) waits(ctx context.Context, limit int) <-chan bool {
	s.Helper()
	waits, has := make(chan bool), make(chan bool, 1)
	go func() {
		err := turn(ctx, s.store, s.Job, limit, func() { close(waits) })
		if err != nil && ctx.Err() == nil {
			s.Error(err)
		}
		has <- err == nil
	}()
	<-waits
	return has
}

// atOnce takes a turn without waiting.
func (s stored) atOnce(limit int) {
	s.Helper()
	fstest.Must(s, turn(s.Context(), s.store, s.Job, limit, func() { s.Errorf("%s has to wait", s.ID) }))
}

// TestTurn: those that wait have their turns in the order in which they came, but for one
// that gives up and one that was killed.
func TestTurn(t *testing.T) {
	s := &runs{Store: job.Store{Dir: t.TempDir()}}
	first := s.add(t, "first", "")
	first.atOnce(1)
	ctx, cancel := context.WithCancel(t.Context())
	givesUp := s.add(t, "gives-up", "")
	given := givesUp.waits(ctx, 1)
	killed := s.add(t, "killed", "")
	second, third := s.add(t, "second", ""), s.add(t, "third", "")
	hasThird := third.waits(t.Context(), 1)
	hasSecond := second.waits(t.Context(), 1)
	killed.end()
	cancel()
	if <-given {
		t.Error("one that has given up has a turn")
	}
	givesUp.end()
	first.end()
	if !<-hasSecond {
		t.Error("the second has no turn")
	}
	select {
	case <-hasThird:
		t.Error("two have the same turn")
	default:
	}
	second.end()
	if !<-hasThird {
		t.Error("the third has no turn")
	}
}

// TestTurnInside: a run inside another one waits as long as one has its turn that can end.
func TestTurnInside(t *testing.T) {
	s := &runs{Store: job.Store{Dir: t.TempDir()}}
	a, b := s.add(t, "a", ""), s.add(t, "b", "")
	a.atOnce(2)
	b.atOnce(2)
	inA := s.add(t, "in-a", a.ID).waits(t.Context(), 2)
	// Now only b can end: if it waited for one as well, none could.
	inB := s.add(t, "in-b", b.ID)
	if err := turn(t.Context(), s.Store, inB.Job, 2, func() {}); !errors.Is(err, errStuck) {
		t.Errorf("the last one that could end waits: %v", err)
	}
	b.end()
	if !<-inA {
		t.Error("the one inside has no turn")
	}
}
