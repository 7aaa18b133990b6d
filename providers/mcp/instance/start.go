package instance

import (
	"cmp"
	"context"
	"slices"
	"time"

	"ctxfs/fs/rounds"
	"ctxfs/fs/wording"
	"ctxfs/providers/mcp/config"
	"ctxfs/providers/mcp/supervise"
	"ctxfs/providers/mcp/wire"
)

// Reason is why a server is started. A greater one takes precedence.
type Reason int

const (
	NoReason         Reason = iota // not to be started
	Unrequested                    // its catalogue is not known, or it has failed; no caller waits
	Requested                      // a caller waits for it
	RestartRequested               // to be started again even if it is running
)

// isPolite reports whether the start may wait for others.
func (r Reason) isPolite() bool { return r < Requested }

// want requests a start from the goroutine. The caller holds mu.
func (i *Instance) want(why Reason) {
	i.requested = true
	for {
		select {
		case i.wanted <- why:
			return
		default:
		}
		select {
		case earlier := <-i.wanted:
			why = max(why, earlier)
		default:
		}
	}
}

func (i *Instance) setResting(is bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.resting = is
}

// setUrgent records that a caller waits for the start under way.
func (i *Instance) setUrgent() { rounds.Tell(i.urgent) }

// waitForReason waits for a reason to start the server: a request, or the time to
// retry. It returns NoReason when ctx ends.
func (i *Instance) waitForReason(ctx context.Context, retry <-chan time.Time) Reason {
	defer i.setResting(false)
	select {
	case <-ctx.Done():
		return NoReason
	case why := <-i.wanted:
		i.beginRun()
		return why
	case <-retry:
		i.update(func() { i.runs++ })
		return Unrequested
	}
}

// limits returns the limits of a start. Package runners try again for minutes, without a sign
// of life, what cannot be fetched.
func (i *Instance) limits(d *config.Server) supervise.Limits {
	idle := i.o.Timing.Start
	if config.PackageOf(d.Command, d.Args).Runner {
		idle = max(idle, i.o.Timing.Fetch)
	}
	idle = cmp.Or(d.StartTimeout, idle)
	return supervise.Limits{Idle: idle, Total: max(idle, cmp.Or(d.InstallTimeout, i.o.Timing.Install))}
}

// waitTurn waits for the server's turn, and begins its start. It fails only if ctx
// ends.
func (i *Instance) waitTurn(ctx context.Context, d *config.Server, limits supervise.Limits, why Reason) (*supervise.Start, error) {
	var turn *supervise.Turn
	if !why.isPolite() {
		turn = i.o.Sup.Now()
	} else {
		i.remark("it waits for its turn: few servers start at a time, those that are used before all others")
		var err error
		if turn, err = i.o.Sup.Wait(ctx, i.owner.Dialer(d).Command(), i.urgent); err != nil {
			return nil, err
		}
		i.remark("")
	}
	pkg := config.PackageOf(d.Command, d.Args)
	if !pkg.Runner {
		pkg.Key = d.Identity() // it shares no installation with another server
	}
	free, err := i.o.Sup.Take(ctx, pkg, limits, func() {
		i.remark("it waits until another start of the same package is over")
	})
	if err != nil {
		turn.Leave()
		return nil, err
	}
	i.remark("")
	return i.o.Sup.Begin(ctx, turn, pkg, limits, free, func(n supervise.News) { i.showProgress(d, n) }), nil
}

// remark shows why a server that is starting has to wait; "" removes the remark.
func (i *Instance) remark(what string) {
	var remarks []string
	if what != "" {
		remarks = []string{what}
	}
	i.mu.Lock()
	is := i.condition
	i.mu.Unlock()
	if is.State == StateStarting && !slices.Equal(is.Remarks, remarks) {
		i.update(func() { i.condition.Remarks = remarks })
	}
}

// showProgress shows that the start under way is an installation, and what it has
// printed.
func (i *Instance) showProgress(d *config.Server, n supervise.News) {
	if !n.Installing {
		return
	}
	said := i.cleanLine(d, n.Said, wire.LastWordsShown)
	i.mu.Lock()
	is := i.condition
	i.mu.Unlock()
	if is.State == StateInstalling && is.LastSaid == said {
		return
	}
	i.update(func() {
		i.condition = Condition{
			State: StateInstalling, Since: is.Since, LastSaid: said,
			Remarks: []string{"it may go on while it makes progress, until " + wording.Time(n.Until) + " (see install_timeout in ctxfs's config.toml)"},
		}
	})
}
