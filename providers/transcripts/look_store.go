package transcripts

import (
	"os"
	"time"

	"ctxfs/providers/transcripts/agents/history"
)

// storeLook is a store that is looked at.
type storeLook struct {
	again  bool          // afterwards, once more
	forced bool          // even if it has not changed
	wake   chan struct{} // tells who waits for the time to look again that there is news
}

// lateLooks is when a database is looked at again after it was written to. What
// SQLite appends to its log (-wal) becomes part of the database only after it was
// brought to the disk, in shared memory: nobody is told of that, and no file is
// another one then.
var lateLooks = [...]time.Duration{30 * time.Millisecond, 100 * time.Millisecond, 400 * time.Millisecond, 2 * time.Second}

// lookAtStoreSoon looks at a store that has changed, apart from everybody else:
// a large database takes its time. Of changes that come meanwhile the last is
// enough.
func (p *Provider) lookAtStoreSoon(agent, path string, format history.Format, forced bool) {
	if !p.opts.Watch {
		p.lookAt(p.ctx, agent, path, format, forced)
		return
	}
	q := p.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return
	}
	if l := q.looking[path]; l != nil {
		l.again, l.forced = true, l.forced || forced
		select {
		case l.wake <- struct{}{}:
		default:
		}
		return
	}
	l := &storeLook{again: true, forced: forced, wake: make(chan struct{}, 1)}
	q.looking[path] = l
	q.work.Go(func() { p.lookAtStoreWhileNew(agent, path, format, l) })
}

// lookAtStoreWhileNew looks at a store until there is no more news of it.
func (p *Provider) lookAtStoreWhileNew(agent, path string, format history.Format, l *storeLook) {
	q := p.queue
	q.mu.Lock()
	defer q.mu.Unlock()
	for late := 0; !q.closed && p.ctx.Err() == nil; {
		if l.again {
			forced := l.forced
			l.again, l.forced = false, false
			q.mu.Unlock()
			p.lookAt(p.ctx, agent, path, format, forced)
			q.mu.Lock()
			late = 0
			continue
		}
		if late == len(lateLooks) || !hasJournal(path) {
			break
		}
		q.mu.Unlock()
		select {
		case <-p.ctx.Done():
		case <-l.wake:
		case <-time.After(lateLooks[late]):
			late++
			p.distrust(path)
			p.lookAt(p.ctx, agent, path, format, false)
		}
		q.mu.Lock()
	}
	delete(q.looking, path)
}

// hasJournal tells whether a file is a database whose log is in use.
func hasJournal(path string) bool {
	_, err := os.Lstat(path + "-wal")
	return err == nil
}

// distrust has a file looked at though it seems to be as it was.
func (p *Provider) distrust(path string) {
	p.looking.lock(path)
	defer p.looking.unlock(path)
	c := p.list
	c.mu.Lock()
	defer c.mu.Unlock()
	if f := c.files[path]; f != nil {
		f.stat.ModTime = 0
	}
}
