package mcp

import (
	"context"

	"ctxfs/fs/wording"
	"ctxfs/providers/mcp/config"
	"ctxfs/providers/mcp/supervise"
	"ctxfs/providers/mcp/wire"
)

// limits bound a start of the server.
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

// enter waits for the server's turn, and begins its start. It fails only where
// ctx ends.
func (s *server) enter(ctx context.Context, d *config.Server, limits supervise.Limits, why motive) (*supervise.Start, error) {
	var turn *supervise.Turn
	if !why.polite() {
		turn = s.p.sup.Now()
	} else {
		if why == unasked {
			s.remark("it waits for its turn: few servers start at a time, those that are used before all others")
		}
		var err error
		if turn, err = s.p.sup.Wait(ctx, s.hurry); err != nil {
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
	return s.p.sup.Begin(ctx, turn, pkg, limits, s.hurry, free, func(n supervise.News) { s.tellStart(d, n) }), nil
}

// remark tells of a server that starts why it does not yet.
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

// tellStart tells of a start that it is an installation, and what it says.
func (s *server) tellStart(d *config.Server, n supervise.News) {
	if !n.Installing {
		return
	}
	said := s.line(d, n.Said, wire.LastWordsShown)
	s.mu.Lock()
	is := s.condition
	s.mu.Unlock()
	switch is.state {
	case stateStarting, stateInstalling, config.StateError:
	default:
		return // a catalogue that is fetched again is shown as it was
	}
	if is.state == stateInstalling && is.said == said {
		return
	}
	s.update(func() {
		s.condition = condition{
			state: stateInstalling, since: is.since, said: said,
			remarks: []string{"it is given time as long as it works, until " + wording.Time(n.Until) + " (see install_timeout in ctxfs's config.toml)"},
		}
	})
}

// underWay reports whether the state is that of a server which starts.
func underWay(state string) bool { return state == stateStarting || state == stateInstalling }
