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
		if s.shown.Generation == 0 {
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
	s.shown = shown{Messages: -1, Evicted: true}
}

// announce tells that the files of a session are others.
func (p *Provider) announce(s *session) {
	if path := p.pathOf(s); path != "" {
		p.opts.Env.Changed(path)
		p.opts.Env.Changed(byIDName + "/" + s.id)
	}
}

// sweep throws away the books of sessions that are no more.
func (p *Provider) sweep() {
	known := make(map[string]bool)
	p.list.mu.RLock()
	for _, s := range p.list.byID {
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

// bury throws away what is kept of sessions that are no more.
func (p *Provider) bury() {
	p.list.mu.Lock()
	lost := p.list.lost
	p.list.lost = nil
	p.list.mu.Unlock()
	for _, s := range lost {
		s.work.Lock()
		p.unload(s)
		p.list.mu.RLock()
		back := p.list.byID[sessionKey{s.agent, s.id}] != nil
		p.list.mu.RUnlock()
		if !back {
			_ = os.RemoveAll(p.bookDir(s))
		}
		s.work.Unlock()
	}
}
