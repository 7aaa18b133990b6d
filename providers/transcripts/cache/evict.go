package cache

import (
	"os"
	"path/filepath"
	"slices"
	"time"

	"ctxfs/providers/transcripts/catalogue"
)

// Evict keeps the cache within limit, in bytes: first it deletes messages.jsonl,
// then whole entries, of the sessions that are oldest. What was deleted is made
// again on demand.
func (c *Cache) Evict(limit int64) {
	type kept struct {
		s               *catalogue.Session
		entry, messages int64
		time            time.Time
	}
	var all []kept
	var total int64
	c.Catalogue.Each(func(s *catalogue.Session, v *catalogue.View) {
		if v.Published.Generation == 0 || v.Published.Evicted {
			return
		}
		k := kept{s, v.Published.Kept, max(v.Published.Messages, 0), v.ModTime}
		total += k.entry + k.messages
		if !v.Live {
			all = append(all, k)
		}
	})
	if total <= limit {
		return
	}
	slices.SortFunc(all, func(a, b kept) int { return a.time.Compare(b.time) })
	for _, k := range all {
		if total > limit && k.messages > 0 {
			c.DropMessages(k.s)
			c.Changed(k.s)
			total -= k.messages
		}
	}
	for _, k := range all {
		if total > limit {
			c.DropEntry(k.s)
			c.Changed(k.s)
			total -= k.entry
		}
	}
}

// DropMessages deletes messages.jsonl of a session until it is requested again,
// unless another process works on it.
func (c *Cache) DropMessages(s *catalogue.Session) {
	s.Work.Lock()
	defer s.Work.Unlock()
	lock, err := c.lock(c.ctx, s)
	if err != nil {
		return
	}
	defer lock.Release()
	b := c.reload(s)
	_ = os.Remove(filepath.Join(b.dir, messagesFileName(b.Generation)))
	if b.Messages >= 0 {
		b.Messages = -1
		c.save(s, b, true)
	}
	c.Catalogue.DropMessages(s)
}

// DropEntry deletes a session's entry, unless another process works on it.
func (c *Cache) DropEntry(s *catalogue.Session) {
	s.Work.Lock()
	defer s.Work.Unlock()
	lock, err := c.lock(c.ctx, s)
	if err != nil {
		return
	}
	defer lock.Release()
	c.forget(s)
	_ = os.RemoveAll(c.EntryDir(s.Agent, s.ID))
	c.Catalogue.Evict(s)
}

// Sweep deletes the entries of sessions that are not known, except those that another
// process works on.
func (c *Cache) Sweep() {
	known := make(map[string]bool)
	for _, s := range c.Catalogue.Remembered() {
		known[c.EntryDir(s.Agent, s.ID)] = true
	}
	dirs, err := filepath.Glob(filepath.Join(c.Dir, "[0-9a-f][0-9a-f]", "*"))
	if err != nil {
		return
	}
	for _, dir := range dirs {
		if known[dir] {
			continue
		}
		if lock, err := c.tryLock(dir); err == nil {
			_ = os.RemoveAll(dir)
			lock.Release()
		}
	}
}

// LostTime is how long an entry outlives its session: a log that is being moved is
// gone for a moment.
const LostTime = 30 * time.Second

// RemoveLost deletes the entries of the sessions that have been gone since a
// time or longer. Those that another process works on are left to Sweep.
func (c *Cache) RemoveLost(since time.Time) {
	for _, s := range c.Catalogue.TakeLost(since) {
		c.removeLost(s)
	}
}

func (c *Cache) removeLost(s *catalogue.Session) {
	s.Work.Lock()
	defer s.Work.Unlock()
	c.forget(s)
	if c.Catalogue.HasSame(s) {
		return
	}
	if lock, err := c.lock(c.ctx, s); err == nil {
		_ = os.RemoveAll(c.EntryDir(s.Agent, s.ID))
		lock.Release()
	}
}
