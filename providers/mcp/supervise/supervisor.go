// Package supervise is the life of servers' processes: when they may start,
// how long their start may take, and how they end.
//
// A [Supervisor] stands for all servers of one background process of ctxfs. A
// server's start is a [Start]: it waits for its turn (background starts are
// few at a time, at a lower priority and held back by load; one that somebody
// waits for goes before all of them), runs one process or several, one after
// the other, and is over when the server has answered.
//
// A start goes on for as long as it makes progress, measured over the whole
// group of its process and all descendants: package runners such as npx
// install for minutes, and killing them leaves their caches half written, for
// every other program too. For the same reason a process is always asked to
// end before it is killed, a group as a whole, and what still installs when
// ctxfs ends is left to finish, watched by a small shell (the reaper).
package supervise

import (
	"log/slog"
	"sync/atomic"
	"time"
)

// Options are those of a supervisor.
type Options struct {
	// Dir is the folder in which is noted which packages are being installed,
	// for the next process of ctxfs; "" notes nothing.
	Dir string
	// Hold is how long load, or a start that somebody waits for, may hold back
	// one background start.
	Hold time.Duration
	// Slot is after how long a start makes room for another one, though it is
	// not over.
	Slot time.Duration
	Log  *slog.Logger
}

// Supervisor is what the starts of all servers have in common. It starts
// nothing by itself. It may be used concurrently.
type Supervisor struct {
	queue    *queue
	packages *packages
	reaper   *reaper
	starts   atomic.Int32 // under way

	finishing atomic.Bool
}

// New returns a supervisor.
func New(o Options) *Supervisor {
	return &Supervisor{
		queue:    newQueue(o.Hold, o.Slot),
		packages: newPackages(o.Dir, o.Log),
		reaper:   &reaper{log: o.Log},
	}
}

// Finish says that ctxfs ends: what is stopped from now on may finish to
// install by itself.
func (s *Supervisor) Finish() { s.finishing.Store(true) }

// Close is for when all processes have been stopped.
func (s *Supervisor) Close() { s.reaper.close() }
