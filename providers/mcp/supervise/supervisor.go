// Package supervise starts and stops the processes of servers: when they may
// start, how long a start may take, and how they are ended.
//
// A [Supervisor] is shared by all servers of one background process of ctxfs. The
// start of a server is a [Start]. It waits for its turn (queue.go): background
// starts are few at a time, and delayed by load; a start that a caller waits for goes
// before all of them. It also waits for another start of the same package (packages.go,
// runner.go). Then it runs one process or several in succession (process.go, spawn.go),
// and is over when the server has answered.
//
// A start goes on as long as it makes progress (start.go), measured over the
// process group and all descendants (meter.go) and the package caches (caches.go):
// package runners such as npx install for minutes, and killing them leaves caches
// half written, for every other program too. For the same reason a process is
// always asked to exit before it is killed, a group as a whole (stop.go), and one
// that is still installing when ctxfs stops is left to finish, watched by a small
// shell (reaper.go).
package supervise

import (
	"log/slog"
	"sync/atomic"
	"time"
)

// Options are the options of a supervisor.
type Options struct {
	// Dir is the folder that records which packages are being installed, for the
	// next process of ctxfs; "" records nothing.
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
	queue    *queue
	packages *packages
	reaper   *reaper
	starts   atomic.Int32 // under way
	spawn    func(Command) (*Program, error)

	finishing atomic.Bool
}

// New returns a supervisor.
func New(o Options) *Supervisor {
	s := &Supervisor{
		queue:    newQueue(o.Hold, o.Slot),
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
