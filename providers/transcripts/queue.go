package transcripts

import (
	"runtime"
	"slices"
	"sync"
	"time"
)

// queue has sessions rendered: those that grow at once, all others in the
// background, the newest first.
type queue struct {
	p *Provider

	mu      sync.Mutex
	more    *sync.Cond // signalled when there is something to do, or no more ever
	fast    []*session
	slow    []*session
	waiting map[*session]bool // is in fast (true) or slow
	looking map[string]*storeLook
	closed  bool
	started bool
	work    sync.WaitGroup
}

func newQueue(p *Provider) *queue {
	q := &queue{p: p, waiting: make(map[*session]bool), looking: make(map[string]*storeLook)}
	q.more = sync.NewCond(&q.mu)
	return q
}

// fastWorkers is how many sessions that grow are read at the same time.
const fastWorkers = 2

func (q *queue) start() {
	q.mu.Lock()
	q.started = true
	q.mu.Unlock()
	for range fastWorkers {
		q.work.Go(func() { q.run(&q.fast, true) })
	}
	for range max(1, runtime.GOMAXPROCS(0)/2) {
		q.work.Go(func() { q.run(&q.slow, false) })
	}
}

func (q *queue) close() {
	q.mu.Lock()
	q.closed = true
	q.more.Broadcast()
	q.mu.Unlock()
	q.work.Wait()
}

func (q *queue) run(from *[]*session, fast bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for done := 0; ; done++ {
		if len(*from) == 0 && done >= manyDone && q.p.opts.Settled != nil {
			done = 0
			q.mu.Unlock()
			q.p.opts.Settled()
			q.mu.Lock()
		}
		for len(*from) == 0 && !q.closed {
			q.more.Wait()
		}
		if q.closed {
			return
		}
		s := (*from)[0]
		*from = (*from)[1:]
		if inFast, ok := q.waiting[s]; !ok || inFast != fast {
			continue // it was taken over
		}
		delete(q.waiting, s)
		q.mu.Unlock()
		q.p.renderQueued(s)
		q.mu.Lock()
	}
}

// manyDone is how many sessions leave memory behind that is worth giving back.
const manyDone = 50

// add has sessions rendered, in front of all others if they are to be fast.
func (q *queue) add(fast bool, all ...*session) {
	to := &q.slow
	if fast {
		to = &q.fast
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed || !q.started {
		return
	}
	for _, s := range all {
		if inFast, ok := q.waiting[s]; !ok || fast && !inFast {
			q.waiting[s] = fast
			*to = append(*to, s)
		}
	}
	q.more.Broadcast()
}

// touched has a session rendered that may have more to show. One that was
// written to a moment ago is live from now on.
func (q *queue) touched(s *session) {
	p := q.p
	if !p.opts.Watch {
		return
	}
	now := p.opts.Env.Now()
	c := p.list
	c.mu.Lock()
	src := s.source()
	behind := s.behind()
	if src != nil && src.format != nil && behind && now.Sub(time.Unix(0, src.stat.ModTime)) < idleTime {
		s.shown.live, s.shown.grown = true, now
		c.count(s)
	}
	live, scanned := s.shown.live, p.isScanned()
	c.mu.Unlock()
	switch {
	case !behind:
	case live:
		q.add(true, s)
	case scanned: // before that, backlog has them all
		q.add(false, s)
	}
}

// idleTime is how long a session must be quiet to be no longer live.
const idleTime = 10 * time.Minute

// backlog has all sessions rendered that are not yet, the newest first.
func (q *queue) backlog() {
	c := q.p.list
	c.mu.RLock()
	var all []*session
	times := make(map[*session]time.Time)
	for _, s := range c.byID {
		if s.behind() && !s.shown.Evicted {
			all = append(all, s)
			times[s] = s.modTime()
		}
	}
	c.mu.RUnlock()
	slices.SortFunc(all, func(a, b *session) int { return times[b].Compare(times[a]) })
	q.add(false, all...)
}

// renderQueued renders a session that nobody waits for.
func (p *Provider) renderQueued(s *session) {
	if p.cacheBroken() {
		return // until it can be written: see tryCache
	}
	err := p.render(p.ctx, s, rendering{unasked: true})
	if err != nil && p.ctx.Err() == nil {
		p.opts.Env.Log.Debug("a session cannot be read", "agent", s.agent, "session", s.id, "error", err)
	}
}

// rescan looks for sessions anew, because the settings have changed.
func (q *queue) rescan() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed || !q.started {
		return
	}
	q.work.Go(func() {
		q.p.scan(q.p.ctx)
		q.backlog()
	})
}

// keepHouse does from time to time what nobody waits for.
func (p *Provider) keepHouse() {
	tick := time.NewTicker(houseTime)
	defer tick.Stop()
	p.sweep()
	for {
		p.settle()
		p.bury(p.opts.Env.Now().Add(-buryTime))
		p.tryCache()
		p.keepArchive(p.ctx)
		p.evict()
		p.throwAwayNoted()
		p.keep()
		select {
		case <-p.ctx.Done():
			return
		case <-tick.C:
		}
	}
}

const houseTime = time.Minute

// settle ends the life of the sessions that are quiet: the kernel may keep them.
func (p *Provider) settle() {
	now := p.opts.Env.Now()
	c := p.list
	c.mu.Lock()
	var quiet []*session
	for _, s := range c.byID {
		if s.shown.live && now.Sub(s.shown.grown) > idleTime {
			s.shown.live = false
			c.count(s)
			quiet = append(quiet, s)
		}
	}
	c.mu.Unlock()
	p.saveAll(false)
	for _, s := range quiet {
		if path := p.pathOf(s); path != "" {
			p.opts.Env.Changed(path)
			p.changedByID(s)
		}
	}
}

// saveSoon has states that have changed written after a while.
func (p *Provider) saveSoon() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.saveTimer || p.ctx.Err() != nil {
		return
	}
	p.saveTimer = true
	time.AfterFunc(saveTime, func() {
		p.mu.Lock()
		p.saveTimer = false
		p.mu.Unlock()
		p.queue.whileOpen(func() { p.saveAll(false) })
	})
}

// whileOpen runs f unless the provider is being closed, which waits for it.
func (q *queue) whileOpen(f func()) {
	q.mu.Lock()
	if q.closed {
		q.mu.Unlock()
		return
	}
	q.work.Add(1)
	q.mu.Unlock()
	defer q.work.Done()
	f()
}
