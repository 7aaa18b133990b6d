package supervise

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"
)

// queue schedules starts that no caller waits for: few at a time, and delayed
// while the machine is busy, but not forever. Starts that a caller waits for go
// before all of them.
type queue struct {
	slots  chan struct{}
	hold   time.Duration
	slot   time.Duration
	busy   func() bool  // reports whether the machine is busy
	urgent atomic.Int32 // starts under way that a caller waits for
}

// loadLook is the interval between checks of the machine's load.
const loadLook = 250 * time.Millisecond

func newQueue(hold, slot time.Duration) *queue {
	return &queue{slots: make(chan struct{}, max(2, runtime.NumCPU()/4)), hold: hold, slot: slot, busy: busy}
}

// Turn is the right to start.
type Turn struct{ leave func() }

// Leave gives the turn back. Further calls do nothing.
func (t *Turn) Leave() { t.leave() }

// Now returns the turn of a start that a caller waits for. It must be given back.
func (s *Supervisor) Now() *Turn { return s.queue.now() }

func (q *queue) now() *Turn {
	q.urgent.Add(1)
	return &Turn{leave: once(func() { q.urgent.Add(-1) })}
}

// Wait waits for the turn of a start that no caller waits for. A value from hurry
// means that a caller waits now, and ends the waiting. The turn must be given back.
// The error is that of ctx.
func (s *Supervisor) Wait(ctx context.Context, hurry <-chan struct{}) (*Turn, error) {
	return s.queue.wait(ctx, hurry)
}

func (q *queue) wait(ctx context.Context, hurry <-chan struct{}) (*Turn, error) {
	select {
	case <-hurry: // takes precedence over a free slot
		return q.now(), nil
	default:
	}
	select {
	case q.slots <- struct{}{}:
	case <-hurry:
		return q.now(), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	free := once(func() { <-q.slots })
	over := time.NewTimer(q.hold)
	defer over.Stop()
	tick := time.NewTicker(max(time.Millisecond, min(loadLook, q.hold/4)))
	defer tick.Stop()
	for waiting := true; waiting && (q.urgent.Load() > 0 || q.busy()); {
		select {
		case <-tick.C:
		case <-over.C:
			waiting = false
		case <-hurry:
			free()
			return q.now(), nil
		case <-ctx.Done():
			free()
			return nil, ctx.Err()
		}
	}
	timer := time.AfterFunc(q.slot, free) // a server that does not answer must not delay others
	return &Turn{leave: func() { timer.Stop(); free() }}, nil
}

// once returns a function that calls f the first time only.
func once(act func()) func() {
	var done atomic.Bool
	return func() {
		if done.CompareAndSwap(false, true) {
			act()
		}
	}
}
