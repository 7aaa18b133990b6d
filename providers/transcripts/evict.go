package transcripts

import (
	"os"
	"path/filepath"
	"slices"
	"time"
)

// evict keeps the cache within limit, in bytes: first it deletes messages.jsonl,
// then whole entries, of the sessions that are oldest. What was deleted is made
// again when it is asked for.
func (c *cache) evict(limit int64) {
	type kept struct {
		s               *session
		entry, messages int64
		time            time.Time
	}
	var all []kept
	var total int64
	c.Catalogue.each(func(s *session, v *view) {
		if v.published.Generation == 0 || v.published.Evicted {
			return
		}
		k := kept{s, v.published.Kept, max(v.published.Messages, 0), v.modTime}
		total += k.entry + k.messages
		if !v.live {
			all = append(all, k)
		}
	})
	if total <= limit {
		return
	}
	slices.SortFunc(all, func(a, b kept) int { return a.time.Compare(b.time) })
	for _, k := range all {
		if total > limit && k.messages > 0 {
			c.dropMessages(k.s)
			c.Changed(k.s)
			total -= k.messages
		}
	}
	for _, k := range all {
		if total > limit {
			c.dropEntry(k.s)
			c.Changed(k.s)
			total -= k.entry
		}
	}
}

// dropMessages deletes messages.jsonl of a session until it is asked for again.
func (c *cache) dropMessages(s *session) {
	s.work.Lock()
	defer s.work.Unlock()
	b := c.load(s)
	if b.Messages < 0 {
		return
	}
	b.Messages = -1
	_ = os.Remove(filepath.Join(b.dir, messagesFileName(b.Generation)))
	c.save(s, b, true)
	c.Catalogue.dropMessages(s)
}

// dropEntry deletes a session's entry.
func (c *cache) dropEntry(s *session) {
	s.work.Lock()
	defer s.work.Unlock()
	c.forget(s)
	_ = os.RemoveAll(c.entryDir(s.agent, s.id))
	c.Catalogue.evict(s)
}

// sweep deletes the entries of sessions that are not known.
func (c *cache) sweep() {
	known := make(map[string]bool)
	for _, s := range c.Catalogue.remembered() {
		known[c.entryDir(s.agent, s.id)] = true
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

// lostTime is how long the entry of a session outlives it: a log that is moved
// is gone for a moment.
const lostTime = 30 * time.Second

// removeLost deletes the entries of the sessions that have been gone since a
// time or longer.
func (c *cache) removeLost(since time.Time) {
	for _, s := range c.Catalogue.takeLost(since) {
		s.work.Lock()
		c.forget(s)
		if !c.Catalogue.has(s) {
			_ = os.RemoveAll(c.entryDir(s.agent, s.id))
		}
		s.work.Unlock()
	}
}
