package transcripts

import (
	"context"
	"os"
	"time"
)

// houseTime is the time between two rounds of housekeeping.
const houseTime = time.Minute

// keepHouse does from time to time what nobody waits for: it ends the life of
// quiet sessions, removes what is left of lost ones, archives, keeps the cache
// and the archive within their limits, and saves the list of sessions.
func (p *Provider) keepHouse() {
	tick := time.NewTicker(houseTime)
	defer tick.Stop()
	p.cache.sweep()
	for {
		p.endQuiet()
		p.cache.removeLost(p.opts.Env.Now().Add(-lostTime))
		p.retryCache()
		p.keepArchive(p.ctx)
		p.cache.evict(p.settings.Load().maxCache)
		p.cache.dropUnusedIDs()
		p.saveList()
		select {
		case <-p.ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// endQuiet ends the life of the sessions that are quiet: the kernel may keep
// their text.
func (p *Provider) endQuiet() {
	quiet := p.catalogue.endQuiet(p.opts.Env.Now())
	p.cache.saveAll(false)
	for _, s := range quiet {
		p.announce(s)
	}
}

// saveList writes the list of sessions, if it has changed since.
func (p *Provider) saveList() {
	written, err := p.catalogue.save(p.listPath(), p.cache.unsaved)
	if written || err != nil {
		p.cache.setFault(err)
	}
}

// retryCache finds out whether a cache that could not be written can be again.
func (p *Provider) retryCache() {
	if !p.cache.broken() {
		return
	}
	p.catalogue.saveAgain()
	p.saveList()
}

// keepArchive archives the sessions that are quiet and not archived as they are,
// and keeps the archive within its limit.
func (p *Provider) keepArchive(ctx context.Context) {
	settings := p.settings.Load()
	if !settings.archive || !p.scanner.done() {
		return
	}
	room := p.archive.room(settings.maxArchive)
	all := p.catalogue.all()
	p.catalogue.sortNewestFirst(all)
	for _, s := range all {
		if ctx.Err() != nil {
			return
		}
		if err := p.archiveSession(ctx, s, room); err != nil && ctx.Err() == nil {
			p.opts.Env.Log.Warn("a session is not archived", "session", s.id, "error", err)
			if isFull(err) {
				p.cache.setFault(err)
				return
			}
		}
	}
	p.pruneArchive(settings.maxArchive)
}

// pruneArchive keeps the archive within its limit, in bytes.
func (p *Provider) pruneArchive(limit int64) {
	for _, path := range p.archive.prune(limit) {
		p.found(p.catalogue.drop(path, p.opts.Env.Now()))
	}
}

// archiveSession archives one session, if it is quiet and has changed since.
func (p *Provider) archiveSession(ctx context.Context, s *session, room *archiveRoom) error {
	v, _ := p.catalogue.view(s)
	if v.source == nil || v.live || v.published.Fault != "" || rankOf(v.source.format) == archiveRank {
		return nil
	}
	size := v.published.Size
	if n, ok := v.log(); ok {
		size = n
	}
	path, changed := p.archive.path(s.agent, s.id), v.modTime.Truncate(time.Microsecond)
	if info, err := os.Stat(path); err == nil && info.ModTime().Equal(changed) {
		return nil
	}
	if !room.worth(v.modTime, size) {
		return nil
	}
	had := v.published.Messages >= 0
	if err := p.cache.current(ctx, s, true); err != nil {
		return err
	}
	v, _ = p.catalogue.view(s)
	err := p.archive.write(path, v.info, p.cache.messages(s, v.published.Generation), v.published.Messages,
		func(path string) ([]byte, error) { return p.scanner.readSpill(s.agent, path) })
	if err == nil {
		err = os.Chtimes(path, changed, changed)
	}
	if !had {
		p.cache.dropMessages(s)
	}
	if err == nil {
		room.add(path, changed)
		p.scanner.inspect(ctx, s.agent, path, archiveLog(), false)
	}
	return err
}
