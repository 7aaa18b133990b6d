// Package supervise starts and stops the processes of servers: when they may
// start, how long a start may take, and how they are ended.
//
// A [Supervisor] is shared by all servers of one background process of ctxfs. The
// start of a server is a [Start]. It waits for its turn: background
// starts are few at a time, and delayed by load; a start that a caller waits for goes
// before all of them. It also waits for another start of the same package
// (packages.go, program.go). Then it runs one process or several in succession (process.go, spawn.go),
// and is over when the server has answered.
//
// A start goes on as long as it makes progress (start.go), measured over the
// process group and all descendants (meter.go) and the package caches (packages.go):
// package runners such as npx install for minutes, and killing them leaves caches
// half written, for every other program too. For the same reason a process is
// always asked to exit before it is killed, a group as a whole (stop.go), and one
// that is still installing when ctxfs stops is left to finish, watched by a small
// shell (reaper.go).
package supervise

import (
	"context"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// queue schedules starts that no caller waits for: few at a time, and those of processes
// delayed while the machine is busy, but not forever. Starts that a caller waits for go
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

// remoteSlots is how many servers over HTTP are connected to at a time: that costs this
// machine little.
const remoteSlots = 64

func newQueue(slots int, hold, slot time.Duration) *queue {
	return &queue{slots: make(chan struct{}, slots), hold: hold, slot: slot, busy: busy}
}

// Turn is the right to start.
type Turn struct{ leave func() }

// Leave gives the turn back. Further calls do nothing.
func (t *Turn) Leave() { t.leave() }

// Now returns the turn of a start that a caller waits for. It must be given back.
func (s *Supervisor) Now() *Turn { return s.queue.now() }

func (q *queue) now() *Turn {
	q.urgent.Add(1)
	return &Turn{leave: sync.OnceFunc(func() { q.urgent.Add(-1) })}
}

// Wait waits for the turn of a start that no caller waits for: that of a command, or of a
// server over HTTP if it has no name. One whose program is missing takes no place. A value
// from hurry means that a caller waits now, and ends the waiting. The turn must be given
// back. The error is that of ctx.
func (s *Supervisor) Wait(ctx context.Context, c Command, hurry <-chan struct{}) (*Turn, error) {
	switch {
	case c.Name == "":
		return s.remote.wait(ctx, hurry)
	case c.missing():
		return &Turn{leave: func() {}}, ctx.Err()
	}
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
	free := sync.OnceFunc(func() { <-q.slots })
	over := time.After(q.hold)
	tick := time.NewTicker(max(time.Millisecond, min(loadLook, q.hold/4)))
	defer tick.Stop()
	for waiting := true; waiting && (q.urgent.Load() > 0 || q.busy()); {
		select {
		case <-tick.C:
		case <-over:
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

// Options are the options of a supervisor.
type Options struct {
	// Dir is the folder that records which packages are being installed, for the
	// next process of ctxfs.
	Dir string
	// Hold is how long load, or a start that a caller waits for, may delay one
	// background start.
	Hold time.Duration
	// Slot is the time after which a start makes room for another one, even if it
	// is not over.
	Slot time.Duration
	Log  *slog.Logger
	// Spawn starts programs; nil starts them as processes.
	Spawn func(Command) (*Program, error)
}

// Supervisor schedules the starts of all servers. It starts nothing by itself. It
// is safe for concurrent use.
type Supervisor struct {
	queue    *queue // of processes
	remote   *queue // of servers over HTTP
	packages *packages
	reaper   *reaper
	starts   atomic.Int32 // under way
	spawn    func(Command) (*Program, error)

	finishing atomic.Bool
}

// New returns a supervisor.
func New(o Options) *Supervisor {
	s := &Supervisor{
		queue:    newQueue(max(2, runtime.NumCPU()/4), o.Hold, o.Slot),
		remote:   newQueue(remoteSlots, 0, o.Slot),
		packages: newPackages(o.Dir, o.Log),
		reaper:   &reaper{log: o.Log},
		spawn:    o.Spawn,
	}
	if s.spawn == nil {
		s.spawn = s.startProcess
	}
	return s
}

// Finish records that ctxfs is stopping: a process that is stopped from now on and
// is installing may finish by itself.
func (s *Supervisor) Finish() { s.finishing.Store(true) }

// Close ends the supervisor. All processes must have been stopped.
func (s *Supervisor) Close() { s.reaper.close() }
