package instance

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"time"

	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/mcp/calls"
	"ctxfs/providers/mcp/config"
	"ctxfs/providers/mcp/supervise"
	"ctxfs/providers/mcp/wire"
)

// Waiting is how a caller waits for an instance to start.
type Waiting struct {
	// Limit is how long.
	Limit time.Duration
	// Progress is called with what an installing server prints; it may be nil.
	// It must not block.
	Progress func(wire.Progress)
}

// Session is one use of an instance, which keeps running until Release. All uses
// share one connection. It is safe for concurrent use.
type Session struct {
	of   *Instance
	once sync.Once
}

// Use starts the instance if necessary, waits until it is ready, and keeps it from
// being stopped. Begin must have been called. An instance that has failed is
// retried at once. A start goes on when ctx ends. Errors are [*calls.UseError],
// [ErrEnded] and those of ctx.
func (i *Instance) Use(ctx context.Context, w Waiting) (*Session, error) {
	ctx, stop := context.WithTimeout(ctx, w.Limit)
	defer stop()
	if err := i.enter(ctx); err != nil {
		return nil, err
	}
	u := &Session{of: i}
	if _, err := i.connected(ctx, nil, w.Progress); err != nil {
		u.Release()
		return nil, err
	}
	return u, nil
}

// enter begins a use, when it may begin.
func (i *Instance) enter(ctx context.Context) (err error) {
	if i.owner.Pool == nil {
		return i.addUser()
	}
	i.mu.Lock()
	if i.ended {
		i.mu.Unlock()
		return ErrEnded
	}
	i.claims++
	i.mu.Unlock()
	err = i.owner.Pool.enter(ctx, i)
	i.mu.Lock()
	i.claims--
	i.mu.Unlock()
	if err != nil {
		i.rest()
	}
	return err
}

func (i *Instance) addUser() error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.ended {
		return ErrEnded
	}
	i.users++
	i.lastUsed = i.o.Now()
	return nil
}

// LastUse returns when the last use began or ended, and whether the instance is
// unused.
func (i *Instance) LastUse() (last time.Time, unused bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.lastUsed, i.users == 0
}

// Release ends the use. Further calls do nothing.
func (u *Session) Release() {
	u.once.Do(func() {
		u.of.mu.Lock()
		u.of.users--
		u.of.lastUsed = u.of.o.Now()
		last := u.of.users == 0
		u.of.mu.Unlock()
		if last {
			u.of.Touch()
			u.of.rest()
		}
	})
}

// Request sends a request, whose parameters must not be nil, and returns the raw
// result. It waits until ctx ends, but at most a minute. Where the server has
// forgotten the session, the request is sent again in another one. Errors are
// [*calls.UseError] and those of ctx.
func (u *Session) Request(ctx context.Context, method string, params map[string]any) (json.RawMessage, error) {
	limit := u.of.o.Timing.Call
	bounded, stop := context.WithTimeout(ctx, limit)
	defer stop()
	c, err := u.of.connected(bounded, nil, nil)
	if err != nil {
		return nil, err
	}
	result, err := c.Request(bounded, method, params)
	if wire.IsForgotten(err) {
		if c, err = u.of.connected(bounded, c, nil); err != nil {
			return nil, err
		}
		result, err = c.Request(bounded, method, params)
	}
	if err == nil {
		return result, nil
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return nil, u.of.Unanswered(c, err, limit)
}

// Unanswered returns why a request over a connection failed, in words.
func (u *Session) Unanswered(c *wire.Connection, err error, limit time.Duration) error {
	return u.of.Unanswered(c, err, limit)
}

// Unanswered returns why a request over a connection failed, in words.
func (i *Instance) Unanswered(c *wire.Connection, err error, limit time.Duration) error {
	def, file := i.owner.Definition(), i.owner.Name()
	fault := &calls.UseError{Server: file, Cause: err}
	var answer *wire.ResponseError
	var unanswered *wire.UnansweredError
	var cancelled *wire.CancelledError
	var interrupted Interruption
	switch {
	case errors.As(err, &answer), errors.As(err, &unanswered), errors.As(err, &cancelled):
		fault.What = clean.Line(i.owner.Clean(def, err.Error()))
	case errors.Is(err, context.DeadlineExceeded):
		fault.What, fault.Mend = "no answer within "+wording.Seconds(limit), "ask again, or restart it: ctxfs restart "+file
	case errors.As(context.Cause(c.Context), &interrupted):
		fault.State, fault.What, fault.Cause = StateStopped, interrupted.Error()+" meanwhile", interrupted
	default:
		is := i.explain(def, c, c.LostBy(err), supervise.Limits{Idle: limit, Total: limit})
		fault.State, fault.What, fault.Mend = is.State, is.What, is.Fix
	}
	return fault
}

// ErrEnded reports that the configuration of a server has changed while it was
// waited for.
var ErrEnded = errors.New("the configuration of the server is just changing; try again")

// Connected waits until the instance is ready with a connection other than not, and
// requests its start if it is not running. Its errors are those of Use.
func (u *Session) Connected(ctx context.Context, not *wire.Connection) (*wire.Connection, error) {
	return u.of.connected(ctx, not, nil)
}

// connected waits until the server is ready with a connection other than not, and
// requests its start if it is not running. If the start under way, or else the
// next one, fails, so does connected. Tell is called with what an installing
// server prints; it may be nil.
func (i *Instance) connected(ctx context.Context, not *wire.Connection, tell func(wire.Progress)) (*wire.Connection, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	decisive, wanted := i.runs+1, false
	if IsStarting(i.condition.State) {
		decisive--
	}
	for {
		state := i.condition.State
		switch {
		case i.conn != nil && i.conn != not && !i.conn.IsLost():
			return i.conn, nil
		case !i.owner.Definition().Startable(), state == wire.StateNeedsAuth, i.failedRun >= decisive:
			return nil, &calls.UseError{Server: i.owner.Name(), State: state, What: cmp.Or(i.condition.What, "ctxfs does not start it"), Mend: i.condition.Fix}
		case (state == StateCached || state == StateStopped || state == config.StateError) && !wanted:
			wanted = true
			i.want(Requested)
		}
		i.setUrgent()
		if tell != nil && state == StateInstalling {
			tell(wire.Progress{Message: strings.TrimSuffix("installing: "+i.condition.LastSaid, ": ")})
		}
		updated := i.updated
		i.mu.Unlock()
		var err error
		select {
		case <-updated:
		case <-i.done:
			err = ErrEnded
		case <-ctx.Done():
			err = ctx.Err()
		}
		i.mu.Lock()
		if err == ctx.Err() && errors.Is(err, context.DeadlineExceeded) {
			err = i.notReady(err)
		}
		if err != nil {
			return nil, err
		}
	}
}

// notReady returns the error of a caller that has waited as long as it may. The
// caller holds mu.
func (i *Instance) notReady(cause error) error {
	e := &calls.UseError{Server: i.owner.Name(), State: i.condition.State, What: "it is not ready in time", Mend: "see how it goes: ctxfs status", Cause: cause}
	if e.State == StateInstalling {
		e.What = "it is still installing, and continues"
		if said := i.condition.LastSaid; said != "" {
			e.What += "; it last said: " + said
		}
		e.Mend = "call again when it is ready; see how it goes: ctxfs cat mcps/" + i.owner.Name() + "/STATUS.md"
	}
	return e
}
