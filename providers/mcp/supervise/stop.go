package supervise

import (
	"errors"
	"syscall"
	"time"
)

// Grace is how long a process is given to exit.
type Grace struct {
	EOF  time.Duration // from the end of its input to SIGTERM
	Term time.Duration // from SIGTERM to SIGKILL
	Work time.Duration // from SIGTERM to SIGKILL while it works: runners undo what is half done
	Kill time.Duration // from SIGKILL to giving up
}

// Stop ends the process and its whole group, and waits for its exit. In this order:
//
//  1. its standard input is closed;
//  2. the group is sent SIGTERM;
//  3. the group is sent SIGKILL; a process that still hangs in the kernel is left.
//
// A process that may be installing packages while ctxfs is stopping is left to
// finish, watched by the reaper.
func (p *Process) Stop(g Grace) {
	p.Stdin.Close()
	until, installing := p.protects()
	if installing && p.sup.finishing.Load() && !p.exitedAll() {
		p.sup.reaper.watch(p.Group(), toItsEnd(until))
		p.Stdout.Close()
		return
	}
	if !installing {
		g.Work = g.Term
	}
	if !p.Await(g.EOF) || !p.exitedAll() {
		p.signal(syscall.SIGTERM)
		if !p.awaitGroup(g) {
			p.signal(syscall.SIGKILL)
		}
	}
	p.Await(g.Kill)
	p.Stdout.Close()
	p.sup.reaper.forget(p.Group())
}

// signal signals the group, which may be empty.
func (p *Process) signal(sig syscall.Signal) { _ = syscall.Kill(-p.Group(), sig) }

// exitedAll reports whether all processes of the group have exited.
func (p *Process) exitedAll() bool {
	select {
	case <-p.exited:
	default:
		return false
	}
	return groupExited(p.Group())
}

// groupExited reports whether no process of a group is alive.
func groupExited(group int) bool {
	return errors.Is(syscall.Kill(-group, 0), syscall.ESRCH) || !hasLiving(group)
}

// groupPoll is the interval between checks of a group: only the parents of its
// processes are notified of exits.
const groupPoll = 20 * time.Millisecond

// awaitGroup waits until the whole group has exited, and reports whether it has: up
// to g.Term, and up to g.Work while it makes progress.
func (p *Process) awaitGroup(g Grace) bool {
	tick := time.NewTicker(groupPoll)
	defer tick.Stop()
	begun := time.Now()
	last := begun
	work := p.meter.watch()
	for range tick.C {
		if p.exitedAll() {
			return true
		}
		now := time.Now()
		if now.Sub(last) < g.Term && now.Sub(begun) < g.Work || now.Sub(begun) < g.Term {
			continue
		}
		if now.Sub(begun) >= g.Work || !work.moved() {
			return false
		}
		last = now
	}
	return false
}
