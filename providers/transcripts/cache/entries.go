package cache

import (
	"sync"
	"time"

	"ctxfs/providers/transcripts/catalogue"
)

// maxOpen is how many entries stay in memory: few sessions grow at a time.
const maxOpen = 16

// saveTime is how long a state that has changed may wait to be written; if the
// process dies before that, a little of the log has to be read again.
const saveTime = 2 * time.Second

// openEntries are the entries of live sessions that were used last.
type openEntries struct {
	mu      sync.Mutex
	entries map[*catalogue.Session]*openEntry
}

type openEntry struct {
	entry   *Entry
	lastUse time.Time
	saved   time.Time
	dirty   bool
}

// load returns a session's entry. The caller holds s.Work.
func (c *Cache) load(s *catalogue.Session) *Entry {
	l := &c.open
	l.mu.Lock()
	defer l.mu.Unlock()
	if b := l.entries[s]; b != nil {
		b.lastUse = c.Env.Now()
		return b.entry
	}
	return readEntry(c.EntryDir(s.Agent, s.ID))
}

// WithEntry calls read with a session's entry, whose state does not change
// meanwhile.
func (c *Cache) WithEntry(s *catalogue.Session, read func(b *Entry)) {
	s.Work.Lock()
	defer s.Work.Unlock()
	read(c.load(s))
}

// forget drops a session's entry from memory. The caller holds s.Work.
func (c *Cache) forget(s *catalogue.Session) {
	c.open.mu.Lock()
	defer c.open.mu.Unlock()
	delete(c.open.entries, s)
}

// save writes an entry's state, or defers that if the session is growing: then the
// entry stays in memory. The caller holds s.Work.
func (c *Cache) save(s *catalogue.Session, b *Entry, now bool) {
	v, _ := c.Catalogue.View(s)
	l := &c.open
	l.mu.Lock()
	defer l.mu.Unlock()
	held := l.entries[s]
	if held == nil {
		held = &openEntry{entry: b}
		if v.Live {
			l.entries[s] = held
			c.dropOldest(s)
		}
	}
	held.entry, held.lastUse, held.dirty = b, c.Env.Now(), true
	if now || !v.Live || held.lastUse.Sub(held.saved) > saveTime {
		c.write(s, held)
	} else {
		c.saveSoon()
	}
}

// write writes a state. The caller holds the lock.
func (c *Cache) write(s *catalogue.Session, held *openEntry) {
	held.saved = c.Env.Now()
	err := held.entry.save()
	held.dirty = err != nil
	if err != nil {
		c.Env.Log.Warn("the state of a transcript is not kept", "session", s.ID, "error", err)
	}
}

// Unsaved returns the sessions whose state is not written yet.
func (c *Cache) Unsaved() (all []*catalogue.Session) {
	l := &c.open
	l.mu.Lock()
	defer l.mu.Unlock()
	for s, b := range l.entries {
		if b.dirty {
			all = append(all, s)
		}
	}
	return all
}

// If there are too many entries, dropOldest drops the least recently used one,
// except that of the given session. The caller holds the lock.
func (c *Cache) dropOldest(but *catalogue.Session) {
	l := &c.open
	if len(l.entries) <= maxOpen {
		return
	}
	var oldest *catalogue.Session
	for s, b := range l.entries {
		if s != but && (oldest == nil || b.lastUse.Before(l.entries[oldest].lastUse)) {
			oldest = s
		}
	}
	if !oldest.Work.TryLock() {
		return // it is in use
	}
	defer oldest.Work.Unlock()
	if held := l.entries[oldest]; held.dirty {
		c.write(oldest, held)
	}
	delete(l.entries, oldest)
}

// SaveAll writes the states that have changed. It waits for those in use, or leaves
// them for the next time.
func (c *Cache) SaveAll(wait bool) {
	l := &c.open
	l.mu.Lock()
	dirty := make(map[*catalogue.Session]*openEntry)
	for s, b := range l.entries {
		if b.dirty {
			dirty[s] = b
		}
	}
	l.mu.Unlock()
	for s, b := range dirty {
		if wait {
			s.Work.Lock()
		} else if !s.Work.TryLock() {
			continue
		}
		l.mu.Lock()
		if l.entries[s] == b && b.dirty {
			c.write(s, b)
		}
		l.mu.Unlock()
		s.Work.Unlock()
	}
}

// saveSoon has states that have changed written after saveTime.
func (c *Cache) saveSoon() {
	select {
	case c.saveWake <- struct{}{}:
	default:
	}
}

// saveLater writes states that have changed, a while after saveSoon was called.
func (c *Cache) saveLater() {
	for {
		select {
		case <-c.ctx.Done():
			return
		case <-c.saveWake:
		}
		select {
		case <-c.ctx.Done():
			return
		case <-time.After(saveTime):
		}
		c.SaveAll(false)
	}
}
