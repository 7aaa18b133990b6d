package instance

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ctxfs/fs/cell"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/mcp/catalogue"
	"ctxfs/providers/mcp/config"
	"ctxfs/providers/mcp/supervise"
	"ctxfs/providers/mcp/wire"
)

// steady is how long a server must have been ready for its next failure to count
// as the first.
const steady = time.Minute

// beginRun records that a run of the server begins.
func (i *Instance) beginRun() { i.update(i.beginRunLocked) }

// beginRunLocked is beginRun within update.
func (i *Instance) beginRunLocked() {
	i.runs++
	i.resting, i.requested = false, false
	i.condition = Condition{State: StateStarting, Since: i.condition.Since}
	select {
	case <-i.urgent: // it was set for another run
	default:
	}
}

// run starts the server when there is a reason to, and again whenever it fails,
// until ctx ends. It runs in the server's goroutine.
func (i *Instance) run(ctx context.Context, why Reason) {
	t := i.o.Timing
	wait, failures := t.Retry, 0
	var renewed time.Time
	if why == NoReason {
		why = i.waitForReason(ctx, nil)
	}
	for ctx.Err() == nil {
		life := i.guarded(ctx, why)
		why = life.why
		if ctx.Err() != nil {
			return
		}
		select {
		case why = <-i.wanted:
			wait = t.Retry
			i.beginRun()
			continue
		default:
		}
		if life.State == "" { // a restart interrupted it, and it became ready nevertheless
			why = max(why, Unrequested)
			i.beginRun()
			continue
		}
		if life.outdated && i.owner.Retries {
			why = Unrequested
			i.beginRun()
			continue
		}
		if now := i.o.Now(); life.renewable && (i.owner.Retries || i.inUse()) && now.Sub(renewed) > t.Retry {
			renewed, why = now, Requested
			i.beginRun()
			continue
		}
		if life.ready >= steady {
			wait, failures = t.Retry, 0
		}
		failures++
		life.Failures = failures
		var timer <-chan time.Time
		switch {
		case life.State == wire.StateNeedsAuth, life.State == StateCached: // only the user can change that
		case !i.owner.Retries:
		default:
			life.Next = i.o.Now().Add(wait)
			timer = time.After(wait)
			wait = min(2*wait, t.RetryMax)
		}
		i.update(func() {
			life.Since = i.condition.Since
			i.condition = life.Condition
			if life.State != StateCached {
				i.failedRun = i.runs
			}
		})
		i.setResting(true)
		i.rest()
		if why = i.waitForReason(ctx, timer); !why.isPolite() {
			wait = t.Retry
		}
	}
}

// inUse reports whether the instance has users.
func (i *Instance) inUse() bool {
	_, unused := i.LastUse()
	return !unused
}

// ending is how a run of the server ended.
type ending struct {
	Condition
	why       Reason        // the strongest one when the run began
	ready     time.Duration // how long it was ready
	renewable bool          // it should be connected to again at once
	outdated  bool          // so that what has changed is told to the server
}

// guarded is runOnce in a cell: what panics has ended the run with an error.
func (i *Instance) guarded(ctx context.Context, why Reason) (ended ending) {
	if err := cell.Run(func() { ended = i.runOnce(ctx, why) }); err != nil {
		ended = ending{why: why, Condition: Condition{
			State: config.StateError, What: clean.Line(err.Error()), Fix: "ctxfs tries again; please report it with the end of ctxfs's daemon.log",
		}}
	}
	return ended
}

// runOnce starts the server when it is its turn, shows its lists, and keeps them
// current until the server exits, a restart interrupts it, or ctx ends.
func (i *Instance) runOnce(ctx context.Context, why Reason) (ended ending) {
	ctx, interrupt := context.WithCancelCause(ctx)
	i.update(func() {
		i.interrupt = interrupt
		if i.stopNext {
			i.stopNext = false
			interrupt(errStopped)
			return // what is requested is another run
		}
		select {
		case other := <-i.wanted: // this is the start that was requested
			i.requested = false
			if why.isPolite() && !other.isPolite() {
				i.beginRunLocked() // the request waits for a run that begins after it
			}
			why = max(why, other)
		default:
		}
	})
	defer func() {
		ended.why = why
		i.mu.Lock()
		i.interrupt = nil
		i.mu.Unlock()
		if errors.Is(context.Cause(ctx), errStopped) {
			ended = ending{Condition: Condition{State: StateCached, Remarks: []string{stoppedRemark}}, why: why}
		}
		interrupt(nil)
	}()
	def := i.owner.Definition()
	limits := i.limits(def)
	start, err := i.waitTurn(ctx, def, limits, why)
	if err != nil {
		return ending{}
	}
	defer start.End()

	i.mu.Lock()
	i.outdated = false
	i.mu.Unlock()
	d := i.owner.Dialer(def)
	d.Start = start
	i.mu.Lock()
	i.dialer = d
	i.mu.Unlock()
	c, err := d.Dial(start.Context())
	if err != nil {
		return ending{Condition: i.explain(def, c, wire.GivenUp(start, err), limits)}
	}
	defer func() { c.CloseFor(context.Cause(ctx)) }()
	start.Answered()
	all := c.Lists(start.Context(), i.kinds()...)
	if err := all[catalogue.Tools].Err; err != nil || start.Context().Err() != nil {
		if err == nil {
			err = context.Cause(start.Context())
		}
		return ending{Condition: i.explain(def, c, wire.GivenUp(start, c.Ending(err)), limits)}
	}
	c.AwaitRoots(start.Context())
	start.End()
	i.owner.Listed(c, all, func(show func()) { i.publish(show, func() { i.ready(def, c) }) })
	if i.owner.Follow != nil {
		c.Go(func() { i.owner.Follow(c) })
	}
	begun := i.o.Now()
	cause := i.serve(ctx, c, limits.Idle)
	i.mu.Lock()
	i.conn = nil // new users do not see it
	i.mu.Unlock()
	life := ending{ready: i.o.Now().Sub(begun)}
	switch {
	case cause == errUnused:
		life.Condition = Condition{State: StateCached, Remarks: []string{unusedRemark}}
	case cause == errOutdated:
		life.outdated, life.Condition = true, Condition{State: StateCached, Remarks: []string{outdatedRemark}}
	case cause != nil:
		life.renewable = wire.IsRenewable(cause)
		life.Condition = i.explain(def, c, c.Ending(cause), limits)
	}
	return life
}

// serve keeps the lists current while the server runs. It returns why it stopped:
//
//   - errUnused: the server has not been used for a while;
//   - errOutdated: it has been told what no longer holds, and has no users;
//   - nil: ctx has ended;
//   - else the error that ended the connection.
func (i *Instance) serve(ctx context.Context, c *wire.Connection, limit time.Duration) error {
	settle := i.o.Timing.Settle
	var listed time.Time
	idle := newIdleTimer(i)
	defer idle.stop()
	for {
		if i.endOutdated() {
			return errOutdated
		}
		select {
		case <-ctx.Done():
			return nil
		case <-i.used:
			idle.restart()
			continue
		case <-idle.fires():
			if idle.over() {
				return errUnused
			}
			continue
		case <-c.Lost:
			return c.Over()
		case <-c.Changed:
		}
		if i.o.Now().Sub(listed) > 2*settle {
			settle = i.o.Timing.Settle
		} else { // it has news whenever it was asked
			settle = min(2*settle, i.o.Timing.Calm)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(settle):
		}
		select { // changes until now are in the lists that are requested next
		case <-c.Changed:
		default:
		}
		listing, stop := context.WithTimeout(ctx, limit)
		all := c.Lists(listing, i.kinds()...)
		stop()
		switch {
		case ctx.Err() != nil:
			return nil
		case c.IsLost():
			return c.Over()
		case all[catalogue.Tools].Err != nil && c.WantsLogin():
			return c.OverBy(all[catalogue.Tools].Err)
		}
		for k := range all {
			if errors.Is(all[k].Err, context.DeadlineExceeded) {
				all[k].Err = fmt.Errorf("no answer within %s", wording.Seconds(limit))
			}
		}
		i.owner.Listed(c, all, func(show func()) {
			i.publish(show, func() { i.condition.Remarks = i.remarks(i.dialer.Def, c) })
		})
		listed = i.o.Now()
	}
}

// kinds returns the kinds of lists that the owner wants.
func (i *Instance) kinds() []catalogue.Kind {
	if i.owner.Kinds == nil {
		return nil
	}
	return i.owner.Kinds()
}

// ready records that the instance is ready. It must be called within update.
func (i *Instance) ready(d *config.Server, c *wire.Connection) {
	i.condition = Condition{State: StateReady, Since: i.condition.Since, Remarks: i.remarks(d, c)}
	i.conn = c
	select {
	case why := <-i.wanted: // this run serves the request
		i.requested = false
		if why == RestartRequested {
			i.wanted <- why
		}
	default:
	}
}

// remarks returns what STATUS.md says about what the server prints.
func (i *Instance) remarks(d *config.Server, c *wire.Connection) []string {
	return c.Remarks(func(text string, limit int) string { return i.cleanLine(d, text, limit) })
}

// explain returns the condition of a server that cannot be used.
func (i *Instance) explain(d *config.Server, c *wire.Connection, err error, limits supervise.Limits) Condition {
	f := c.Explain(err, i.explainer(d, limits))
	return Condition{State: f.State, What: f.What, Fix: f.Fix, FixHere: f.FixHere, Stderr: f.Stderr, Remarks: f.Remarks}
}

func (i *Instance) explainer(d *config.Server, limits supervise.Limits) wire.Explainer {
	i.mu.Lock()
	dialer := i.dialer
	i.mu.Unlock()
	return wire.Explainer{
		Folder: i.owner.Name(), Def: d, Limits: limits, Home: dialer.Home, Environ: dialer.Environ,
		Clean: func(text string) string { return i.owner.Clean(d, text) },
	}
}

// cleanLine cleans and shortens a line from outside. Secrets are removed before it
// is cut, since a piece of one would stay.
func (i *Instance) cleanLine(d *config.Server, text string, limit int) string {
	return clean.Cut(clean.Line(i.owner.Clean(d, text)), limit)
}
