package transcripts

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

func isFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// evict keeps the cache within its limit: first go the messages.jsonl, then whole
// books, of the sessions that are oldest. What is gone is made again when it is
// asked for.
func (p *Provider) evict() {
	limit := p.settings.Load().maxCache
	type kept struct {
		s                    *session
		book, messages, time int64
	}
	var all []kept
	var total int64
	c := p.list
	c.mu.RLock()
	for _, s := range c.byID {
		if s.shown.Generation == 0 || s.shown.Evicted {
			continue
		}
		k := kept{s, s.shown.Kept, max(s.shown.Messages, 0), s.modTime().UnixNano()}
		total += k.book + k.messages
		if !s.shown.live {
			all = append(all, k)
		}
	}
	c.mu.RUnlock()
	if total <= limit {
		return
	}
	slices.SortFunc(all, func(a, b kept) int { return time.Unix(0, a.time).Compare(time.Unix(0, b.time)) })
	for _, k := range all {
		if total > limit && k.messages > 0 {
			p.dropMessages(k.s)
			p.announce(k.s)
			total -= k.messages
		}
	}
	for _, k := range all {
		if total > limit {
			p.dropBook(k.s)
			p.announce(k.s)
			total -= k.book
		}
	}
}

// dropBook throws a session's book away.
func (p *Provider) dropBook(s *session) {
	s.work.Lock()
	defer s.work.Unlock()
	p.unload(s)
	_ = os.RemoveAll(p.bookDir(s))
	p.list.mu.Lock()
	defer p.list.mu.Unlock()
	s.shown.Path, s.shown.Kept, s.shown.Messages, s.shown.Evicted = "", 0, -1, true
	p.list.count(s)
}

// announce tells that the files of a session are others.
func (p *Provider) announce(s *session) {
	if path := p.pathOf(s); path != "" {
		p.opts.Env.Changed(path)
		p.changedByID(s)
	}
}

// sweep throws away the books of sessions that are no more.
func (p *Provider) sweep() {
	known := make(map[string]bool)
	p.list.mu.RLock()
	for _, s := range p.list.byID {
		known[p.bookDir(s)] = true
	}
	for _, s := range p.list.lost {
		known[p.bookDir(s)] = true
	}
	p.list.mu.RUnlock()
	dirs, err := filepath.Glob(filepath.Join(p.opts.Cache, "[0-9a-f][0-9a-f]", "*"))
	if err != nil {
		return
	}
	for _, dir := range dirs {
		if !known[dir] {
			_ = os.RemoveAll(dir)
		}
	}
}

// buryTime is how long what is kept of a session outlives it: a log that is
// moved is gone for a moment.
const buryTime = 30 * time.Second

// bury throws away what is kept of the sessions that are no more since a time.
func (p *Provider) bury(since time.Time) {
	c := p.list
	c.mu.Lock()
	var lost []*session
	for key, s := range c.lost {
		if !s.lostAt.After(since) {
			lost = append(lost, s)
			delete(c.lost, key)
		}
	}
	c.mu.Unlock()
	for _, s := range lost {
		s.work.Lock()
		p.unload(s)
		c.mu.RLock()
		back := c.byID[sessionKey{s.agent, s.id}] != nil
		c.mu.RUnlock()
		if !back {
			_ = os.RemoveAll(p.bookDir(s))
		}
		s.work.Unlock()
	}
}
