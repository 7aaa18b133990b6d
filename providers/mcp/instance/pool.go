package instance

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"ctxfs/fs/wording"
	"ctxfs/providers/mcp/calls"
)

// Pool bounds how many of its instances run at once. An instance has a place in it
// from when it is used until it neither runs nor is used. Where all places are taken,
// the instance that has been unused for the longest time is stopped first. It is safe
// for concurrent use.
type Pool struct {
	max atomic.Int64

	mu      sync.Mutex         // locked before that of an instance
	held    map[*Instance]bool // those with a place: whether they are being stopped
	waiting int                // uses that wait for a place
	woken   chan struct{}      // closed, and replaced, by each change
}

// NewPool returns a pool of max places.
func NewPool(max int) *Pool {
	p := &Pool{held: make(map[*Instance]bool), woken: make(chan struct{})}
	p.max.Store(int64(max))
	return p
}

// SetMax sets the number of places. Instances that have one keep it.
func (p *Pool) SetMax(max int) {
	p.max.Store(int64(max))
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wake()
}

// Max returns the number of places.
func (p *Pool) Max() int { return int(p.max.Load()) }

// enter gives an instance a place, and adds a user to it. It waits for a place until
// ctx ends.
func (p *Pool) enter(ctx context.Context, i *Instance) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		if i.HasEnded() {
			return ErrEnded
		}
		stopping, has := p.held[i]
		if has && !stopping || !has && len(p.held) < p.Max() {
			err := i.addUser()
			if err == nil {
				p.held[i] = false
			}
			return err
		}
		if p.Max() == 0 {
			return &calls.UseError{
				Server: i.owner.Name(), What: "no process may run for a project: max_instances is 0",
				Mend: `raise max_instances below [mcp] in ctxfs's config.toml, or write scope = "user" for the server, so that all projects share one process of it`,
			}
		}
		p.waiting++
		woken := p.woken
		p.makeRoom()
		p.mu.Unlock()
		var err error
		select {
		case <-woken:
		case <-ctx.Done():
			err = ctx.Err()
		}
		p.mu.Lock()
		p.waiting--
		if err != nil {
			return p.full(i, err)
		}
	}
}

// full returns the error of a use that has waited as long as it may. The caller
// holds mu.
func (p *Pool) full(i *Instance, cause error) error {
	if cause == context.Canceled {
		return cause
	}
	return &calls.UseError{
		Server: i.owner.Name(), State: StateStopped, Cause: cause,
		What: fmt.Sprintf("it cannot start: %s for projects and sessions run already, and all are in use", wording.Count(len(p.held), "processes")),
		Mend: `call again, or raise max_instances below [mcp] in ctxfs's config.toml`,
	}
}

// makeRoom stops as many unused instances as uses wait, those first that have been
// unused for the longest time. The caller holds mu.
func (p *Pool) makeRoom() {
	needed := p.waiting - max(0, p.Max()-len(p.held))
	for _, stopping := range p.held {
		if stopping {
			needed--
		}
	}
	for needed > 0 {
		var least *Instance
		var since time.Time
		for i, stopping := range p.held {
			if used, unused := i.LastUse(); unused && !stopping && (least == nil || used.Before(since)) {
				least, since = i, used
			}
		}
		if least == nil {
			return
		}
		if !least.stopUnused() {
			continue
		}
		needed--
		if p.held[least] = true; least.atRest() { // it had not begun to run
			delete(p.held, least)
			p.wake()
		}
	}
}

// leave takes the place of an instance back if it is at rest, and lets those that
// wait look again. A nil Pool has no places.
func (p *Pool) leave(i *Instance) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if i.atRest() {
		delete(p.held, i)
	}
	p.wake()
}

// wake wakes all that wait. The caller holds mu.
func (p *Pool) wake() {
	if p.waiting > 0 {
		close(p.woken)
		p.woken = make(chan struct{})
	}
}
