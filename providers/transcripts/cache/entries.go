package cache

import (
	"context"
	"errors"
	iofs "io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/rounds"
	"ctxfs/providers/internal/filelock"
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

// lockWait is how long an entry is waited for that another process works on. It may
// have been stopped.
const lockWait = 10 * time.Second

// lock takes the lock of a session's entry against other processes; the caller then
// calls reload. Where nothing can be stored the lock is nil. The error is that of
// ctx, or filelock.ErrHeld after lockWait. The caller holds s.Work.
func (c *Cache) lock(ctx context.Context, s *catalogue.Session) (*filelock.Lock, error) {
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	return c.lockDir(c.EntryDir(s.Agent, s.ID), func(path string) (*filelock.Lock, error) {
		return filelock.Wait(ctx, path, filelock.Exclusive)
	})
}

// tryLock takes the lock of the entry in a folder without waiting. The error is
// filelock.ErrHeld.
func (c *Cache) tryLock(dir string) (*filelock.Lock, error) {
	return c.lockDir(dir, func(path string) (*filelock.Lock, error) { return filelock.Try(path, filelock.Exclusive) })
}

func (c *Cache) lockDir(dir string, take func(path string) (*filelock.Lock, error)) (*filelock.Lock, error) {
	path := filepath.Join(c.Dir, "locks", filepath.Base(filepath.Dir(dir)))
	l, err := take(path)
	if errors.Is(err, iofs.ErrNotExist) && os.MkdirAll(filepath.Dir(path), 0o700) == nil {
		l, err = take(path)
	}
	if errors.Is(err, filelock.ErrHeld) {
		return nil, err
	}
	return l, nil
}

// reload is load for a caller that holds the entry's lock: what is in memory counts
// only if no other process has written the state since.
func (c *Cache) reload(s *catalogue.Session) *Entry {
	if b := c.load(s); b.current() {
		return b
	}
	c.forget(s)
	return c.load(s)
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
// meanwhile, and reports whether it has all that was published. If not, the session
// is rendered again in the background.
func (c *Cache) WithEntry(s *catalogue.Session, read func(b *Entry)) (whole bool) {
	whole = c.visit(s, read)
	if !whole && c.Scanner.Done() { // before that, sources cannot be read
		c.queue.add(place{again: true}, s)
	}
	return whole
}

// CurrentEntry calls read with a session's entry when it has everything that the
// session's source has now; it may call it several times. The errors are those of
// Current, and fs.ErrBroken.
func (c *Cache) CurrentEntry(ctx context.Context, s *catalogue.Session, read func(b *Entry)) error {
	err := c.Current(ctx, s, false)
	for tries := 0; err == nil && !c.visit(s, read); tries++ {
		if tries == maxTries {
			return fs.ErrBroken
		}
		err = c.render(ctx, s, request{again: true})
	}
	return err
}

// visit calls read with a session's entry, and reports whether it has all that was
// published. It has not if its state was deleted, or if another process that had read
// less has written its own since.
func (c *Cache) visit(s *catalogue.Session, read func(b *Entry)) (whole bool) {
	s.Work.Lock()
	defer s.Work.Unlock()
	b := c.load(s)
	read(b)
	v, _ := c.Catalogue.View(s)
	p := &v.Published
	return p.Generation == 0 || v.Failed() ||
		b.Format == Format && (b.Generation > p.Generation || b.Generation == p.Generation && b.Seq >= p.Events)
}

// forget drops a session's entry from memory. The caller holds s.Work.
func (c *Cache) forget(s *catalogue.Session) {
	c.open.mu.Lock()
	defer c.open.mu.Unlock()
	delete(c.open.entries, s)
}

// save writes an entry's state, or defers that if the session is growing. Then the
// entry stays in memory, and also if the state cannot be written. The caller holds
// s.Work and the entry's lock.
func (c *Cache) save(s *catalogue.Session, b *Entry, now bool) {
	v, _ := c.Catalogue.View(s)
	l := &c.open
	l.mu.Lock()
	defer l.mu.Unlock()
	held := l.entries[s]
	if held == nil {
		held = new(openEntry)
	}
	held.entry, held.lastUse, held.dirty = b, c.Env.Now(), true
	if now || !v.Live || held.lastUse.Sub(held.saved) > saveTime {
		c.write(s, held)
	}
	if held.dirty {
		c.saveSoon()
	}
	if v.Live || held.dirty {
		l.entries[s] = held
		c.dropOldest(s)
	}
}

// write writes a state. The caller holds the locks of the open entries and of this
// one.
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
		lock, err := c.tryLock(held.entry.dir)
		if err != nil {
			return // another process uses it
		}
		defer lock.Release()
		if held.entry.current() {
			c.write(oldest, held)
		}
	}
	delete(l.entries, oldest)
}

// SaveAll writes the states that have changed, except those that another process has
// written since. It waits for those in use, or leaves them for the next time.
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
	ctx, cancel := context.WithTimeout(context.Background(), lockWait) // for all of them
	defer cancel()
	if !wait {
		cancel() // locks are only tried
	}
	for s, b := range dirty {
		if wait {
			s.Work.Lock()
		} else if !s.Work.TryLock() {
			continue
		}
		c.saveDeferred(ctx, s, b)
		s.Work.Unlock()
	}
}

// saveDeferred writes the state of one entry, if that is still what it was. The
// caller holds s.Work.
func (c *Cache) saveDeferred(ctx context.Context, s *catalogue.Session, b *openEntry) {
	lock, err := c.lock(ctx, s)
	if err != nil {
		return
	}
	defer lock.Release()
	l := &c.open
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.entries[s] != b || !b.dirty:
	case b.entry.current():
		c.write(s, b)
	default:
		delete(l.entries, s)
	}
}

// saveSoon has states that have changed written after saveTime.
func (c *Cache) saveSoon() { rounds.Tell(c.saveWake) }

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
