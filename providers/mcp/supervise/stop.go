package supervise

import (
	"errors"
	"syscall"
	"time"
)

// Grace is how long a process is given to end.
type Grace struct {
	EOF  time.Duration // from the end of its input to SIGTERM
	Term time.Duration // from SIGTERM to SIGKILL
	Work time.Duration // from SIGTERM to SIGKILL, where it still works: runners undo what is half done
	Kill time.Duration // from SIGKILL to giving up
}

// Stop ends the process and all of its group, and waits for its end: its
// standard input is closed; the group is asked to end; it is killed. What hangs
// in the kernel even then is left to it. What may be installing packages while
// ctxfs ends is not ended: it finishes by itself, and the reaper sees to it
// that it does.
func (p *Process) Stop(g Grace) {
	p.Stdin.Close()
	until, installing := p.protects()
	if installing && p.sup.finishing.Load() && !p.gone() {
		p.sup.reaper.watch(p.Group(), toItsEnd(until))
		p.Stdout.Close()
		return
	}
	if !installing {
		g.Work = g.Term
	}
	if !p.Await(g.EOF) || !p.gone() {
		p.signal(syscall.SIGTERM)
		if !p.awaitGroup(g) {
			p.signal(syscall.SIGKILL)
		}
	}
	p.Await(g.Kill)
	p.Stdout.Close()
	p.sup.reaper.forget(p.Group())
}

// signal signals the group. There may be nobody left in it.
func (p *Process) signal(sig syscall.Signal) { _ = syscall.Kill(-p.Group(), sig) }

// gone reports whether nobody is left in the group.
func (p *Process) gone() bool {
	select {
	case <-p.exited:
	default:
		return false
	}
	return groupGone(p.Group())
}

// groupGone reports whether nobody of a process group is alive.
func groupGone(group int) bool {
	return errors.Is(syscall.Kill(-group, 0), syscall.ESRCH) || !hasLiving(group)
}

// groupPoll is how often it is looked whether a group has ended: only the
// parents of its processes are told.
const groupPoll = 20 * time.Millisecond

// awaitGroup reports whether the whole group ends in the time that it is given:
// g.Term, and up to g.Work as long as it works.
func (p *Process) awaitGroup(g Grace) bool {
	tick := time.NewTicker(groupPoll)
	defer tick.Stop()
	begun := time.Now()
	last := begun
	p.meter.moved()
	for range tick.C {
		if p.gone() {
			return true
		}
		now := time.Now()
		if now.Sub(last) < g.Term && now.Sub(begun) < g.Work || now.Sub(begun) < g.Term {
			continue
		}
		if now.Sub(begun) >= g.Work || !p.meter.moved() {
			return false
		}
		last = now
	}
	return false
}
