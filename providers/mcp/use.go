package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
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

// Session is one use of a server, which keeps running until Release. All uses
// share one connection. It is safe for concurrent use.
type Session struct {
	s    *server
	once sync.Once
}

// Use starts a server if necessary, named as in Restart, waits until it is ready,
// and keeps it from being stopped. It may be called whether or not Start was. A
// server that has failed is retried at once. A start goes on when ctx ends. Errors
// are [*calls.UseError], those of ctx, and that no server has the name.
func (p *Provider) Use(ctx context.Context, name string, w Waiting) (*Session, error) {
	s, err := p.chooseOne(name)
	if err != nil {
		return nil, err
	}
	return p.use(ctx, s, w)
}

// Waiting is how a caller waits for a server to start.
type Waiting struct {
	// Limit is how long; 0 is the timeout of a tool.
	Limit time.Duration
	// Progress is called with what an installing server prints; it may be nil.
	// It must not block.
	Progress func(wire.Progress)
}

func (p *Provider) use(ctx context.Context, s *server, w Waiting) (*Session, error) {
	if err := p.ensureBegun(s); err != nil {
		return nil, err
	}
	limit := w.Limit
	if limit == 0 {
		limit = s.patience(0)
	}
	ctx, stop := context.WithTimeout(ctx, limit)
	defer stop()
	s.mu.Lock()
	s.users++
	s.mu.Unlock()
	session := &Session{s: s}
	if _, err := s.connected(ctx, nil, w.Progress); err != nil {
		session.Release()
		return nil, err
	}
	return session, nil
}

// chooseOne returns the one server with a name.
func (p *Provider) chooseOne(name string) (*server, error) {
	chosen, err := p.choose(name)
	if err != nil {
		return nil, err
	}
	if len(chosen) > 1 {
		var files []string
		for _, s := range chosen {
			files = append(files, s.summary().file)
		}
		return nil, fmt.Errorf("%q is the name of several servers; name the folder of one: %s", clean.Line(name), strings.Join(files, ", "))
	}
	return chosen[0], nil
}

// Release ends the use. Further calls do nothing.
func (u *Session) Release() {
	u.once.Do(func() {
		u.s.mu.Lock()
		u.s.users--
		last := u.s.users == 0
		u.s.mu.Unlock()
		if last {
			u.s.touch()
		}
	})
}

// Request sends a request, whose parameters must not be nil, and returns the raw
// result. It waits until ctx ends, but at most a minute. Where the server has
// forgotten the session, the request is sent again in another one. Errors are
// [*calls.UseError] and those of ctx.
func (u *Session) Request(ctx context.Context, method string, params map[string]any) (json.RawMessage, error) {
	limit := u.s.p.timing.call
	bounded, stop := context.WithTimeout(ctx, limit)
	defer stop()
	c, err := u.s.connected(bounded, nil, nil)
	if err != nil {
		return nil, err
	}
	result, err := c.Request(bounded, method, params)
	if wire.IsForgotten(err) {
		if c, err = u.s.connected(bounded, c, nil); err != nil {
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
	return nil, u.s.unanswered(c, err, limit)
}

// unanswered returns why a request failed, in words.
func (s *server) unanswered(c *wire.Connection, err error, limit time.Duration) error {
	s.mu.Lock()
	def, file := s.def, s.file
	s.mu.Unlock()
	fault := &calls.UseError{Server: file, Cause: err}
	var answer *wire.ResponseError
	switch {
	case errors.As(err, &answer):
		fault.What = clean.Line(s.clean(def, answer.Error()))
	case errors.Is(err, context.DeadlineExceeded):
		fault.What, fault.Mend = "no answer within "+wording.Seconds(limit), "ask again, or restart it: ctxfs restart "+file
	default:
		is := s.explain(def, c, c.LostBy(err), supervise.Limits{Idle: limit, Total: limit})
		fault.State, fault.What, fault.Mend = is.state, is.what, is.fix
	}
	return fault
}

// ensureBegun starts the goroutine of a server that Start has not started.
func (p *Provider) ensureBegun(s *server) error {
	p.changing.Lock()
	defer p.changing.Unlock()
	if p.closed || p.opts.Offline {
		return errNotHere
	}
	for _, is := range p.all() {
		if is == s {
			p.begin([]*server{s})
		}
	}
	if s.def.Startable() && s.done == nil {
		return errChanging
	}
	return nil
}

var errNotHere = errors.New("ctxfs does not run servers here; start it: ctxfs mount")

var errChanging = errors.New("the configuration of the server is just changing; try again")

// connected waits until the server is ready with a connection other than not, and
// requests its start if it is not running. If the start under way, or else the
// next one, fails, so does connected. Tell is called with what an installing
// server prints; it may be nil.
func (s *server) connected(ctx context.Context, not *wire.Connection, tell func(wire.Progress)) (*wire.Connection, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	decisive, wanted := s.runs+1, false
	if isStarting(s.condition.state) {
		decisive--
	}
	if s.conn != nil && s.conn.Slow && s.interrupt != nil {
		// It was started at a low priority when no caller waited for it, and an
		// ordinary user cannot raise that again.
		s.conn, wanted = nil, true
		s.want(restartRequested)
		s.interrupt()
	}
	for {
		state := s.condition.state
		switch {
		case s.conn != nil && s.conn != not && !s.conn.IsLost():
			return s.conn, nil
		case !s.def.Startable(), state == wire.StateNeedsAuth, s.failedRun >= decisive:
			return nil, &calls.UseError{Server: s.file, State: state, What: cmp.Or(s.condition.what, "ctxfs does not start it"), Mend: s.condition.fix}
		case (state == stateCached || state == stateStopped || state == config.StateError) && !wanted:
			wanted = true
			s.want(requested)
		}
		s.setUrgent()
		if tell != nil && state == stateInstalling {
			tell(wire.Progress{Message: strings.TrimSuffix("installing: "+s.condition.lastSaid, ": ")})
		}
		turned := s.turned
		s.mu.Unlock()
		var err error
		select {
		case <-turned:
		case <-s.done:
			err = errChanging
		case <-ctx.Done():
			err = ctx.Err()
		}
		s.mu.Lock()
		if err == ctx.Err() && errors.Is(err, context.DeadlineExceeded) {
			err = s.notReady(err)
		}
		if err != nil {
			return nil, err
		}
	}
}

// notReady returns the error of a caller that has waited as long as it may. The
// caller holds mu.
func (s *server) notReady(cause error) error {
	e := &calls.UseError{Server: s.file, State: s.condition.state, What: "it is not ready in time", Mend: "see how it goes: ctxfs status", Cause: cause}
	if e.State == stateInstalling {
		e.What = "it is still installing, and continues"
		if said := s.condition.lastSaid; said != "" {
			e.What += "; it last said: " + said
		}
		e.Mend = "call again when it is ready; see how it goes: ctxfs cat mcps/" + s.file + "/STATUS.md"
	}
	return e
}
