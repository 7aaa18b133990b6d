package runner

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"ctxfs/providers/executor/job"
	"ctxfs/providers/executor/request"
	"ctxfs/providers/internal/filelock"
)

// stored creates a run that is part of another one, or of none.
func stored(t *testing.T, s job.Store, name, within string) string {
	t.Helper()
	j, lock, err := s.Create(name, request.Request{}, job.Status{State: job.Waiting, Agent: name, Within: within})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { lock.Close() })
	return j.ID
}

// inLine waits for a turn in the background, and returns when it waits.
func inLine(t *testing.T, ctx context.Context, s job.Store, id string, limit int) <-chan *filelock.Lock {
	t.Helper()
	waits, slot := make(chan bool), make(chan *filelock.Lock, 1)
	go func() {
		l, err := turn(ctx, s, id, limit, func() { close(waits) })
		if err != nil && ctx.Err() == nil {
			t.Error(err)
		}
		slot <- l
	}()
	<-waits
	return slot
}

// atOnce takes a slot that is free.
func atOnce(t *testing.T, s job.Store, id string, limit int) *filelock.Lock {
	t.Helper()
	l, err := turn(t.Context(), s, id, limit, func() { t.Errorf("%s has to wait", id) })
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestTurn: those that wait have their turns in the order in which they came, but for one
// that gives up and one that was killed.
func TestTurn(t *testing.T) {
	s := job.Store{Dir: t.TempDir()}
	first := atOnce(t, s, stored(t, s, "first", ""), 1)
	ctx, cancel := context.WithCancel(t.Context())
	given := inLine(t, ctx, s, stored(t, s, "given-up", ""), 1)
	second := inLine(t, t.Context(), s, stored(t, s, "second", ""), 1)
	third := inLine(t, t.Context(), s, stored(t, s, "third", ""), 1)
	// A run that was killed leaves a place that nobody holds.
	killed := filepath.Join(s.Dir, job.SlotsDir, queueDir, "00000000000000000001-killed")
	if err := os.WriteFile(killed, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	cancel()
	if l := <-given; l != nil {
		t.Error("one that has given up has a slot")
	}
	first.Release()
	l := <-second
	select {
	case <-third:
		t.Error("two have the same slot")
	default:
	}
	l.Release()
	(<-third).Release()
	if left, err := os.ReadDir(filepath.Dir(killed)); err != nil || len(left) > 0 {
		t.Errorf("in the queue there are %v, %v", left, err)
	}
}

// TestTurnInside: a run inside another one waits as long as one has a slot that can end.
func TestTurnInside(t *testing.T) {
	s := job.Store{Dir: t.TempDir()}
	a, b := stored(t, s, "a", ""), stored(t, s, "b", "")
	slots := []*filelock.Lock{atOnce(t, s, a, 2), atOnce(t, s, b, 2)}
	inA := inLine(t, t.Context(), s, stored(t, s, "in-a", a), 2)
	// Now only b can end: if it waited for one as well, none could.
	inB := stored(t, s, "in-b", b)
	if _, err := turn(t.Context(), s, inB, 2, func() {}); !errors.Is(err, errStuck) {
		t.Errorf("the last one that could end waits: %v", err)
	}
	slots[1].Release()
	(<-inA).Release()
	slots[0].Release()
}
