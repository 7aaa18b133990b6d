package transcripts

import (
	"context"
	"os"
	"time"

	"ctxfs/providers/transcripts/archive"
	"ctxfs/providers/transcripts/cache"
	"ctxfs/providers/transcripts/catalogue"
	"ctxfs/providers/transcripts/source"
)

// houseTime is the time between two rounds of housekeeping.
const houseTime = time.Minute

// keepHouse periodically does what no reader waits for: it marks quiet sessions as
// no longer live, removes what is left of lost ones, archives, keeps the cache and
// the archive within their limits, and saves the list of sessions.
func (p *Provider) keepHouse() {
	tick := time.NewTicker(houseTime)
	defer tick.Stop()
	p.cache.Sweep()
	for {
		p.endQuiet()
		p.cache.RemoveLost(p.opts.Env.Now().Add(-cache.LostTime))
		p.retryCache()
		p.keepArchive(p.ctx)
		p.cache.Evict(p.settings.Load().maxCache)
		p.cache.DropUnusedIDs()
		p.saveList()
		select {
		case <-p.ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// endQuiet marks the sessions that are quiet as no longer live: the kernel may
// cache their text.
func (p *Provider) endQuiet() {
	quiet := p.catalogue.EndQuiet(p.opts.Env.Now())
	p.cache.SaveAll(false)
	for _, s := range quiet {
		p.announce(s)
	}
}

// saveList writes the list of sessions, if it has changed since.
func (p *Provider) saveList() {
	written, err := p.catalogue.Save(p.listPath(), p.cache.Unsaved)
	if written || err != nil {
		p.cache.SetFault(err)
	}
}

// retryCache finds out whether a cache that could not be written is writable again.
func (p *Provider) retryCache() {
	if !p.cache.Broken() {
		return
	}
	p.catalogue.SaveAgain()
	p.saveList()
}

// keepArchive archives the sessions that are quiet and not archived as they are,
// and keeps the archive within its limit.
func (p *Provider) keepArchive(ctx context.Context) {
	settings := p.settings.Load()
	if !settings.archive || !p.scanner.Done() {
		return
	}
	room := p.archive.Room(settings.maxArchive)
	all := p.catalogue.All()
	p.catalogue.SortNewestFirst(all)
	for _, s := range all {
		if ctx.Err() != nil {
			return
		}
		if err := p.archiveSession(ctx, s, room); err != nil && ctx.Err() == nil {
			p.opts.Env.Log.Warn("a session is not archived", "session", s.ID, "error", err)
			if cache.IsFull(err) {
				p.cache.SetFault(err)
				return
			}
		}
	}
	p.pruneArchive(settings.maxArchive)
}

// pruneArchive keeps the archive within its limit, in bytes.
func (p *Provider) pruneArchive(limit int64) {
	for _, path := range p.archive.Prune(limit) {
		p.found(p.catalogue.Drop(path, p.opts.Env.Now()))
	}
}

// archiveSession archives one session, if it is quiet and has changed since.
func (p *Provider) archiveSession(ctx context.Context, s *catalogue.Session, room *archive.Room) error {
	v, _ := p.catalogue.View(s)
	if v.Source == nil || v.Live || v.Published.Fault != "" || source.Rank(v.Source.Format) == source.LowestRank {
		return nil
	}
	size := v.Published.Size
	if n, ok := v.Log(); ok {
		size = n
	}
	path, changed := p.archive.Path(s.Agent, s.ID), v.ModTime.Truncate(time.Microsecond)
	if info, err := os.Stat(path); err == nil && info.ModTime().Equal(changed) {
		return nil
	}
	if !room.Worth(v.ModTime, size) {
		return nil
	}
	had := v.Published.Messages >= 0
	if err := p.cache.Current(ctx, s, true); err != nil {
		return err
	}
	v, _ = p.catalogue.View(s)
	err := p.archive.Write(path, v.Info, p.cache.Messages(s, v.Published.Generation), v.Published.Messages,
		func(path string) ([]byte, error) { return p.scanner.ReadSpill(s.Agent, path) })
	if err == nil {
		err = os.Chtimes(path, changed, changed)
	}
	if !had || err != nil {
		p.cache.DropMessages(s)
	}
	if err == nil {
		room.Add(path, changed)
		p.scanner.Inspect(ctx, s.Agent, path, archive.Format(), false)
	}
	return err
}
