package transcripts

import (
	"runtime"
	"sync"
)

// queue holds the sessions that are to be rendered in the background: those that
// grow in one line, all others in another, the newest first.
type queue struct {
	mu      sync.Mutex
	more    *sync.Cond // signalled when there is something to do, or no more ever
	fast    []*session
	slow    []*session
	waiting map[*session]bool // is in fast (true) or slow
	closed  bool
	started bool
	work    sync.WaitGroup
}

func (q *queue) init() {
	q.waiting = make(map[*session]bool)
	q.more = sync.NewCond(&q.mu)
}

// fastWorkers is how many sessions that grow are read at the same time.
const fastWorkers = 2

// start renders in the background from now on, until the cache is closed.
func (c *cache) start() {
	q := &c.queue
	q.mu.Lock()
	q.started = true
	q.mu.Unlock()
	for range fastWorkers {
		q.work.Go(func() { c.work(&q.fast, true) })
	}
	for range max(1, runtime.GOMAXPROCS(0)/2) {
		q.work.Go(func() { c.work(&q.slow, false) })
	}
	q.work.Go(c.saveLater)
}

// close ends the rendering in the background, waits for it and writes what is
// not saved.
func (c *cache) close() {
	c.cancel()
	q := &c.queue
	q.mu.Lock()
	q.closed = true
	q.more.Broadcast()
	q.mu.Unlock()
	q.work.Wait()
}

// work renders the sessions of one line.
func (c *cache) work(from *[]*session, fast bool) {
	q := &c.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	for done := 0; ; done++ {
		if len(*from) == 0 && done >= manyDone && c.Settled != nil {
			done = 0
			q.mu.Unlock()
			c.Settled()
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
			continue // another line has it
		}
		delete(q.waiting, s)
		q.mu.Unlock()
		c.renderQueued(s)
		q.mu.Lock()
	}
}

// manyDone is how many sessions leave memory behind that is worth giving back.
const manyDone = 50

// add has sessions rendered; if fast, in front of those that are not.
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
func (c *cache) touched(s *session) {
	if !c.Background {
		return
	}
	live, behind := c.Catalogue.enliven(s, c.Env.Now())
	switch {
	case !behind:
	case live:
		c.queue.add(true, s)
	case c.Scanner.done(): // before that, backlog has them all
		c.queue.add(false, s)
	}
}

// backlog has all sessions rendered that are not yet, the newest first.
func (c *cache) backlog() { c.queue.add(false, c.Catalogue.behind()...) }

// renderQueued renders a session that nobody waits for.
func (c *cache) renderQueued(s *session) {
	if c.broken() {
		return // until it can be written: see retry
	}
	err := c.refresh(c.ctx, s)
	if err != nil && c.ctx.Err() == nil {
		c.Env.Log.Debug("a session cannot be read", "agent", s.agent, "session", s.id, "error", err)
	}
}
