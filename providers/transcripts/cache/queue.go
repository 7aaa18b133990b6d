package cache

import (
	"context"
	"errors"
	"maps"
	"runtime"
	"slices"
	"sync"

	"ctxfs/fs/cell"
	"ctxfs/providers/internal/filelock"
	"ctxfs/providers/transcripts/catalogue"
)

// queue holds the sessions to render in the background: growing ones in one line,
// all others in another, the newest first.
type queue struct {
	mu      sync.Mutex
	more    *sync.Cond // signalled when there is something to do, or no more ever
	fast    []*catalogue.Session
	slow    []*catalogue.Session
	waiting map[*catalogue.Session]place
	working map[*catalogue.Session]int // in how many lines it is being rendered
	closed  bool
	started bool
	work    cell.Group
}

// place is where a session waits.
type place struct {
	fast bool // in the line of those that grow
	// again reports that it is rendered even if all that its source has was published.
	again bool
}

func (q *queue) init() {
	q.waiting = make(map[*catalogue.Session]place)
	q.working = make(map[*catalogue.Session]int)
	q.more = sync.NewCond(&q.mu)
}

// fastWorkers is how many sessions that grow are read at the same time.
const fastWorkers = 2

// Start renders in the background from now on, until the cache is closed.
func (c *Cache) Start() {
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

// Close ends the rendering in the background, waits for it and saves what is
// unsaved.
func (c *Cache) Close() {
	c.cancel()
	q := &c.queue
	q.mu.Lock()
	q.closed = true
	q.more.Broadcast()
	q.mu.Unlock()
	q.work.Wait()
}

// work renders the sessions of one line.
func (c *Cache) work(from *[]*catalogue.Session, fast bool) {
	q := &c.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		for len(*from) == 0 && !q.closed {
			q.more.Wait()
		}
		if q.closed {
			return
		}
		s := (*from)[0]
		*from = (*from)[1:]
		p, ok := q.waiting[s]
		if !ok || p.fast != fast {
			continue // another line has it
		}
		delete(q.waiting, s)
		q.working[s]++
		q.mu.Unlock()
		_ = cell.Run(func() { c.renderQueued(s, p.again) }) // a session is a cell
		q.mu.Lock()
		if q.working[s]--; q.working[s] == 0 {
			delete(q.working, s)
		}
		q.more.Broadcast() // some may wait for it
	}
}

// Settled returns when every session that waited to be rendered at the call is rendered.
func (c *Cache) Settled(ctx context.Context) error {
	q := &c.queue
	defer context.AfterFunc(ctx, func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.more.Broadcast()
	})()
	q.mu.Lock()
	defer q.mu.Unlock()
	left := slices.AppendSeq(slices.Collect(maps.Keys(q.working)), maps.Keys(q.waiting))
	for ctx.Err() == nil && !q.closed {
		left = slices.DeleteFunc(left, func(s *catalogue.Session) bool {
			_, waits := q.waiting[s]
			return !waits && q.working[s] == 0
		})
		if len(left) == 0 {
			return nil
		}
		q.more.Wait()
	}
	return ctx.Err()
}

// add has sessions rendered.
func (q *queue) add(p place, all ...*catalogue.Session) {
	to := &q.slow
	if p.fast {
		to = &q.fast
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed || !q.started {
		return
	}
	for _, s := range all {
		was, waits := q.waiting[s]
		if !waits || p.fast && !was.fast {
			*to = append(*to, s)
		}
		q.waiting[s] = place{fast: p.fast || was.fast, again: p.again || was.again}
	}
	q.more.Broadcast()
}

// Touched queues a session that may have more to show for rendering. One that was
// just written to is live from now on.
func (c *Cache) Touched(s *catalogue.Session) {
	if !c.Background {
		return
	}
	live, behind := c.Catalogue.MarkLive(s, c.Env.Now())
	switch {
	case !behind:
	case live:
		c.queue.add(place{fast: true}, s)
	case c.Scanner.Done(): // before that, backlog has them all
		c.queue.add(place{}, s)
	}
}

// Backlog has all sessions rendered that are not yet, the newest first.
func (c *Cache) Backlog() { c.queue.add(place{}, c.Catalogue.Behind()...) }

// renderQueued renders a session in the background.
func (c *Cache) renderQueued(s *catalogue.Session, again bool) {
	if c.Broken() {
		return // until the cache can be written
	}
	err := c.render(c.ctx, s, request{background: true, again: again})
	if errors.Is(err, filelock.ErrHeld) {
		c.queue.add(place{again: again}, s)
	}
	if err != nil && c.ctx.Err() == nil {
		c.Env.Log.Debug("a session cannot be read", "agent", s.Agent, "session", s.ID, "error", err)
	}
}
