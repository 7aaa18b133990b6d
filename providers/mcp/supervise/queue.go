package supervise

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"
)

// queue lets servers start that nobody waits for: few at a time, and held back
// while the machine is busy, but not for ever. What somebody waits for goes
// before all of them.
type queue struct {
	slots  chan struct{}
	hold   time.Duration
	slot   time.Duration
	busy   func() bool  // whether the machine has enough to do
	urgent atomic.Int32 // starts under way that somebody waits for
}

// loadLook is how often the load of the machine is looked at.
const loadLook = 250 * time.Millisecond

func newQueue(hold, slot time.Duration) *queue {
	return &queue{slots: make(chan struct{}, max(2, runtime.NumCPU()/4)), hold: hold, slot: slot, busy: busy}
}

// Turn is the right to start.
type Turn struct {
	polite bool
	leave  func()
}

// Polite reports whether nobody waits for the start.
func (t *Turn) Polite() bool { return t.polite }

// Leave gives the turn back. It may be called again.
func (t *Turn) Leave() { t.leave() }

// Now is the turn of a start that somebody waits for. It is given back.
func (s *Supervisor) Now() *Turn { return s.queue.now() }

func (q *queue) now() *Turn {
	q.urgent.Add(1)
	return &Turn{leave: once(func() { q.urgent.Add(-1) })}
}

// Wait waits for the turn of a start that nobody waits for. A value from hurry
// says that somebody does now, and ends the waiting.
func (s *Supervisor) Wait(ctx context.Context, hurry <-chan struct{}) (*Turn, error) {
	return s.queue.wait(ctx, hurry)
}

func (q *queue) wait(ctx context.Context, hurry <-chan struct{}) (*Turn, error) {
	select {
	case <-hurry: // before a free slot
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
	timer := time.AfterFunc(q.slot, free) // what does not answer is not to hold up others
	return &Turn{polite: true, leave: func() { timer.Stop(); free() }}, nil
}

// once is a function that acts the first time only.
func once(act func()) func() {
	var done atomic.Bool
	return func() {
		if done.CompareAndSwap(false, true) {
			act()
		}
	}
}

// firstMinutes is how long a machine that has just started is left in peace.
const firstMinutes = 10 * time.Minute

// Quiet reports whether the machine has little to do, and is not in its first
// minutes: the time for what nobody waits for.
func (s *Supervisor) Quiet() bool {
	up, known := uptime()
	return (!known || up > firstMinutes) && s.queue.urgent.Load() == 0 && !s.queue.busy()
}
