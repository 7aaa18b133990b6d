package mcp

import (
	"context"
	"hash/fnv"
	"time"

	"ctxfs/fs/wording"
	"ctxfs/providers/mcp/config"
	"ctxfs/providers/mcp/supervise"
	"ctxfs/providers/mcp/wire"
)

// reason is why a server is started. A greater one takes precedence.
type reason int

const (
	noReason         reason = iota // not to be started
	outdated                       // its catalogue is old
	unrequested                    // its catalogue is not known, or it has failed; no caller waits
	requested                      // a caller waits for it
	restartRequested               // to be started again even if it is running
)

// isPolite reports whether the start may wait for others.
func (r reason) isPolite() bool { return r < requested }

// wantsStart reports whether the server is to start without being used: its
// catalogue is not known or is of another configuration, or it has kept resources.
func (s *server) wantsStart() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.replaces || s.shown == nil || !s.shown.Fits(s.def) || len(s.kept) > 0
}

// want requests a start from the goroutine.
func (s *server) want(why reason) {
	for {
		select {
		case s.wanted <- why:
			return
		default:
		}
		select {
		case earlier := <-s.wanted:
			why = max(why, earlier)
		default:
		}
	}
}

// setUrgent records that a caller waits for the start under way.
func (s *server) setUrgent() {
	select {
	case s.urgent <- struct{}{}:
	default: // it is recorded already
	}
}

// waitForReason waits for a reason to start the server: a request, the time to
// retry, or an outdated catalogue. It returns noReason when ctx ends.
func (s *server) waitForReason(ctx context.Context, retry <-chan time.Time) reason {
	timer := time.NewTimer(s.p.timing.rest)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return noReason
		case why := <-s.wanted:
			s.beginRun()
			return why
		case <-retry:
			s.update(func() { s.runs++ })
			return unrequested
		case <-timer.C:
			if s.takeRefresh() {
				s.mu.Lock()
				s.runs++
				s.mu.Unlock()
				return outdated
			}
			timer.Reset(s.p.timing.rest)
		}
	}
}

// takeRefresh reports whether the catalogue is to be refreshed now: it is outdated,
// the machine is idle, and no other catalogue is being refreshed. If so, refreshed
// must be called afterwards.
func (s *server) takeRefresh() bool {
	s.mu.Lock()
	due := s.condition.state == stateCached && s.shown != nil && !s.p.env.Now().Before(s.refreshDue())
	s.mu.Unlock()
	if !due || !s.p.quiet() {
		return false
	}
	select {
	case s.p.refreshing <- struct{}{}:
		return true
	default:
		return false
	}
}

// refreshed records that the catalogue was refreshed, or could not be.
func (s *server) refreshed() {
	<-s.p.refreshing
	s.mu.Lock()
	s.tried = s.p.env.Now()
	s.mu.Unlock()
}

// refreshDue returns when the catalogue is outdated: a day after it was fetched,
// give or take a quarter, so that not all servers are due at once. The caller holds
// mu.
func (s *server) refreshDue() time.Time {
	last := s.shown.Time
	if s.tried.After(last) {
		last = s.tried
	}
	h := fnv.New32a()
	h.Write([]byte(s.def.Identity() + last.String()))
	age := s.p.timing.refresh
	return last.Add(age*3/4 + time.Duration(h.Sum32()%1000)*(age/2)/1000)
}

// limits returns the limits of a start of the server.
func (s *server) limits(d *config.Server) supervise.Limits {
	limits := supervise.Limits{Idle: s.p.timing.start, Total: s.p.timing.install}
	if d.StartTimeout > 0 {
		limits.Idle = d.StartTimeout
	}
	if d.InstallTimeout > 0 {
		limits.Total = d.InstallTimeout
	}
	limits.Total = max(limits.Total, limits.Idle)
	return limits
}

// waitTurn waits for the server's turn, and begins its start. It fails only if ctx
// ends.
func (s *server) waitTurn(ctx context.Context, d *config.Server, limits supervise.Limits, why reason) (*supervise.Start, error) {
	var turn *supervise.Turn
	if !why.isPolite() {
		turn = s.p.sup.Now()
	} else {
		if why == unrequested {
			s.remark("it waits for its turn: few servers start at a time, those that are used before all others")
		}
		var err error
		if turn, err = s.p.sup.Wait(ctx, s.urgent); err != nil {
			return nil, err
		}
		s.remark("")
	}
	pkg := supervise.PackageOf(d.Command, d.Args)
	if !pkg.Runner {
		pkg.Key = d.Identity() // it shares no installation with another server
	}
	free, err := s.p.sup.Take(ctx, pkg, limits, s.p.timing.grace(), func() {
		s.remark("it waits until another start of the same package is over")
	})
	if err != nil {
		turn.Leave()
		return nil, err
	}
	s.remark("")
	return s.p.sup.Begin(ctx, turn, pkg, limits, s.urgent, free, func(n supervise.News) { s.showProgress(d, n) }), nil
}

// remark shows why a server that is starting has to wait; "" removes the remark.
func (s *server) remark(what string) {
	var remarks []string
	if what != "" {
		remarks = []string{what}
	}
	s.mu.Lock()
	is := s.condition
	s.mu.Unlock()
	same := len(is.remarks) == len(remarks) && (what == "" || is.remarks[0] == what)
	if is.state == stateStarting && !same {
		s.update(func() { s.condition.remarks = remarks })
	}
}

// showProgress shows that the start under way is an installation, and what it has
// printed.
func (s *server) showProgress(d *config.Server, n supervise.News) {
	if !n.Installing {
		return
	}
	said := s.cleanLine(d, n.Said, wire.LastWordsShown)
	s.mu.Lock()
	is := s.condition
	s.mu.Unlock()
	switch is.state {
	case stateStarting, stateInstalling, config.StateError:
	default:
		return // a catalogue that is fetched again is shown as it was
	}
	if is.state == stateInstalling && is.lastSaid == said {
		return
	}
	s.update(func() {
		s.condition = condition{
			state: stateInstalling, since: is.since, lastSaid: said,
			remarks: []string{"it may go on while it makes progress, until " + wording.Time(n.Until) + " (see install_timeout in ctxfs's config.toml)"},
		}
	})
}

// isStarting reports whether the state is that of a server that is starting.
func isStarting(state string) bool { return state == stateStarting || state == stateInstalling }
