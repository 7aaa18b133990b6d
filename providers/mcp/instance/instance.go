// Package instance runs a server: one process or connection of it, started when
// there is a reason to, and again after it has failed.
//
// An [Instance] has one goroutine, which alone starts the server, requests its
// lists, waits for its end and retries (run.go). start.go says why and when it
// starts, idle.go when it is stopped because it is unused; a [Session] (use.go)
// keeps it running during a use. Its [Condition] is what STATUS.md
// tells of it.
//
// What an instance knows of its server, and where its lists and its condition are
// shown, is up to its [Owner].
package instance

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"ctxfs/fs/cell"
	"ctxfs/providers/mcp/catalogue"
	"ctxfs/providers/mcp/config"
	"ctxfs/providers/mcp/supervise"
	"ctxfs/providers/mcp/wire"
)

// Options are what all instances share.
type Options struct {
	Sup    *supervise.Supervisor
	Timing Timing
	Now    func() time.Time
	// Idle returns the time after which an unused instance is stopped; 0 is never.
	Idle func() time.Duration
}

// Timing holds the timeouts and delays of instances.
type Timing struct {
	wire.Timing
	Start    time.Duration // timeout of a start without progress, unless configured
	Fetch    time.Duration // that of a package runner; it is longer
	Install  time.Duration // timeout of a start with progress, unless configured
	Settle   time.Duration // delay from a notification to requesting the lists; doubles while notifications keep coming
	Calm     time.Duration // the longest such delay
	Retry    time.Duration // delay before the first retry; doubles with each
	RetryMax time.Duration
	Call     time.Duration // timeout of a request
}

// Owner is the server of an instance. Its functions may be called concurrently.
type Owner struct {
	// Name returns the name of the server's folder.
	Name func() string
	// Definition returns the server as the instance runs it.
	Definition func() *config.Server
	// Dialer returns how a run that begins connects, all but its start.
	Dialer func(d *config.Server) *wire.Dialer
	// Clean removes secrets and control characters from a text of the server.
	Clean func(d *config.Server, text string) string
	// Kinds returns the kinds of lists that are of interest, for
	// [wire.Connection.Lists]; if it is nil, all are.
	Kinds func() []catalogue.Kind
	// Listed is called with the lists of a connection that has become ready, and
	// again when they have changed. It calls publish once, with a function that
	// makes them shown: publish passes it to Changed.
	Listed func(c *wire.Connection, all [catalogue.Kinds]wire.Listing, publish func(show func()))
	// Changed is called with each condition, one after the other, before callers
	// that wait for the instance learn of it. It calls show first unless that is
	// nil, and must not call the instance.
	Changed func(is Condition, show func())
	// Follow runs while a connection is ready, and returns when its Context ends or
	// it is lost. It may be nil.
	Follow func(c *wire.Connection)
	// IsKept reports whether the instance keeps running without users. It must not
	// call the instance, and may be nil.
	IsKept func() bool
	// Retries reports that a run that has failed is retried without being asked for.
	Retries bool
	// Pool bounds how many instances run; nil does not.
	Pool *Pool
	// Rested is called when the instance neither runs nor is used any more. It may
	// be nil.
	Rested func()
}

// Instance is one run of a server after the other. It is safe for concurrent use.
type Instance struct {
	o     Options
	owner Owner

	wanted chan Reason   // receives requests for a start
	urgent chan struct{} // receives a value when a caller waits for the start under way
	used   chan struct{} // receives a value when the last use has ended
	done   chan struct{} // closed when the goroutine has ended

	mu        sync.Mutex
	cancel    context.CancelCauseFunc // ends the goroutine; nil before it is started
	condition Condition
	dialer    *wire.Dialer            // of the last run
	interrupt context.CancelCauseFunc // ends the run under way
	stopNext  bool                    // the run that is about to begin is to be interrupted
	outdated  bool                    // the run under way is to end once it is unused, for another one
	resting   bool                    // no run is under way
	requested bool                    // a start was requested, and may have been taken from wanted, for a run that has not begun
	ended     bool                    // it is not used again
	over      bool                    // the goroutine has ended: what is requested is not begun
	lastUsed  time.Time               // when the last use began or ended
	runs      int                     // number of runs, the one under way included
	failedRun int                     // the number of the last run that failed, or 0
	conn      *wire.Connection        // while it is ready
	claims    int                     // uses that are about to begin
	users     int                     // uses that have not been released
	updated   chan struct{}           // closed, and replaced, by each update
}

// New returns an instance that has not been started.
func New(o Options, owner Owner, is Condition) *Instance {
	return &Instance{
		o: o, owner: owner, condition: is, resting: true,
		wanted: make(chan Reason, 1), urgent: make(chan struct{}, 1), used: make(chan struct{}, 1),
		done: make(chan struct{}), updated: make(chan struct{}),
	}
}

// Begin starts the goroutine of the instance. Before it starts anything, it waits
// until before is closed, unless that is nil: for the end of the instance that this
// one replaces. It must be called at most once.
func (i *Instance) Begin(before <-chan struct{}, why Reason) {
	ctx, cancel := context.WithCancelCause(context.Background())
	i.mu.Lock()
	i.cancel, i.resting = cancel, why == NoReason
	i.mu.Unlock()
	if why != NoReason {
		i.beginRun()
	}
	go func() {
		defer close(i.done)
		if before != nil {
			<-before
		}
		for cell.Run(func() { i.run(ctx, why) }) != nil && ctx.Err() == nil {
			why = Unrequested
			select {
			case <-time.After(i.o.Timing.Retry):
			case <-ctx.Done():
			}
		}
		i.mu.Lock()
		i.over = true
		i.mu.Unlock()
		i.owner.Pool.leave(i)
	}()
}

// Begun reports whether Begin was called.
func (i *Instance) Begun() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.cancel != nil
}

// Done returns a channel that is closed when the instance has ended. If Begin was
// not called, it never is.
func (i *Instance) Done() <-chan struct{} { return i.done }

// End ends the instance, without waiting for it.
func (i *Instance) End(why Interruption) {
	i.mu.Lock()
	i.ended = true
	if i.cancel != nil {
		i.cancel(why)
	}
	i.mu.Unlock()
	i.owner.Pool.leave(i)
}

// HasEnded reports whether the instance has ended, or is about to: it cannot be used.
func (i *Instance) HasEnded() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.ended
}

// EndAtRest ends the instance if it neither runs nor is used, and reports whether it
// has.
func (i *Instance) EndAtRest() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if !i.atRestLocked() || i.claims > 0 {
		return false
	}
	i.ended = true
	i.cancel(nil)
	return true
}

// Stop ends the run under way, if there is one. The next use starts another one, and
// so does one that waits for the instance now.
func (i *Instance) Stop(why Interruption) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.users > 0 && !i.resting {
		i.want(Requested)
	}
	i.stop(fmt.Errorf("%w: %w", errStopped, why))
}

// stopUnused is Stop for an instance without users. It reports whether it is
// unused. A start that was requested by a use that is over is stopped, too.
func (i *Instance) stopUnused() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.users > 0 {
		return false
	}
	i.stop(errStopped)
	select {
	case <-i.wanted:
		i.requested = false
	default:
		if i.requested { // the goroutine has taken it
			i.stopNext = true
		}
	}
	return true
}

// stop is Stop with mu held. The cause is an errStopped.
func (i *Instance) stop(cause error) {
	i.conn = nil
	switch {
	case i.interrupt != nil:
		i.interrupt(cause)
	case !i.resting:
		i.stopNext = true
	}
}

// Restart requests a new start, and interrupts the run under way. The instance is starting
// when it returns: callers that wait for it then wait for the new start.
func (i *Instance) Restart(why Reason) (err error) {
	i.update(func() {
		if c := i.condition; !i.owner.Definition().Startable() {
			err = fmt.Errorf("server %q is %s: %s", i.owner.Name(), c.State, cmp.Or(c.What, "ctxfs does not start it")+"; "+c.Fix)
			return
		}
		i.condition = Condition{State: StateStarting, Since: i.condition.Since}
		i.want(why)
		if i.interrupt != nil {
			i.conn = nil // the next use waits for the new start
			i.interrupt(Restarted)
		}
	})
	return err
}

// atRest reports whether the instance neither runs nor is used.
func (i *Instance) atRest() bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.atRestLocked()
}

func (i *Instance) atRestLocked() bool {
	return i.users == 0 && (i.over || i.resting && !i.requested && len(i.wanted) == 0)
}

// rest gives back what an instance has that neither runs nor is used.
func (i *Instance) rest() {
	i.owner.Pool.leave(i)
	if i.owner.Rested != nil && i.atRest() {
		i.owner.Rested()
	}
}

// Connection returns the connection while the instance is ready, else nil.
func (i *Instance) Connection() *wire.Connection {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.conn
}

// update calls change with mu held, shows the condition, and wakes the callers that
// wait for a change.
func (i *Instance) update(change func()) { i.publish(nil, change) }

// publish is update with something to show besides the condition.
func (i *Instance) publish(show, change func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	was := i.condition.State
	change()
	close(i.updated)
	i.updated = make(chan struct{})
	if i.condition.State != was {
		i.condition.Since = i.o.Now()
	}
	i.owner.Changed(i.condition, show)
}

// The states of an instance, as they are written in STATUS.md, besides those of
// package config and [wire.StateNeedsAuth].
const (
	StateStarting   = "starting"   // it has not answered yet
	StateInstalling = "installing" // it has not answered yet, and makes progress
	StateReady      = "ready"      // it runs and its lists are shown
	StateCached     = "cached"     // its lists are known, it is not running
	StateStopped    = "stopped"    // it has never been started
	StateDisabled   = "disabled"   // by configuration
)

// Condition is the condition of an instance, as STATUS.md shows it.
type Condition struct {
	State string
	Since time.Time
	What  string // the error, one line
	Fix   string // the command or change that fixes it
	// FixHere replaces Fix in STATUS.md itself; "" is Fix.
	FixHere  string
	Next     time.Time // when it is retried
	Failures int       // how many times in a row it has failed, 0 while a start is under way
	Reported bool      // the error is that of a whole file, which is reported once
	LastSaid string    // the last line that it printed while installing
	Lapsed   bool      // the user's trust in it has lapsed
	// Stderr is the end of its standard error, cleaned.
	Stderr string
	// Remarks are about this run.
	Remarks []string
}

// Failing reports whether there is something for the user to fix.
func (c *Condition) Failing() bool {
	return c.State == config.StateError || c.State == wire.StateNeedsAuth || c.State == config.StateUnresolved || c.Lapsed
}

// Starting reports whether a start is under way.
func (c *Condition) Starting() bool { return IsStarting(c.State) }

// IsStarting reports whether a state is that of a start under way.
func IsStarting(state string) bool { return state == StateStarting || state == StateInstalling }
