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

// DropMessages deletes messages.jsonl of a session until it is requested again.
func (c *Cache) DropMessages(s *catalogue.Session) {
	s.Work.Lock()
	defer s.Work.Unlock()
	b := c.load(s)
	if b.Messages < 0 {
		return
	}
	b.Messages = -1
	_ = os.Remove(filepath.Join(b.dir, messagesFileName(b.Generation)))
	c.save(s, b, true)
	c.Catalogue.DropMessages(s)
}

// DropEntry deletes a session's entry.
func (c *Cache) DropEntry(s *catalogue.Session) {
	s.Work.Lock()
	defer s.Work.Unlock()
	c.forget(s)
	_ = os.RemoveAll(c.EntryDir(s.Agent, s.ID))
	c.Catalogue.Evict(s)
}

// Sweep deletes the entries of sessions that are not known.
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
		if !known[dir] {
			_ = os.RemoveAll(dir)
		}
	}
}

// LostTime is how long an entry outlives its session: a log that is being moved is
// gone for a moment.
const LostTime = 30 * time.Second

// RemoveLost deletes the entries of the sessions that have been gone since a
// time or longer.
func (c *Cache) RemoveLost(since time.Time) {
	for _, s := range c.Catalogue.TakeLost(since) {
		s.Work.Lock()
		c.forget(s)
		if !c.Catalogue.HasSame(s) {
			_ = os.RemoveAll(c.EntryDir(s.Agent, s.ID))
		}
		s.Work.Unlock()
	}
}
