package transcripts

import (
	"context"
	"errors"
	iofs "io/fs"
	"os"
	"path/filepath"
	"slices"

	"ctxfs/fs"
	"ctxfs/providers/transcripts/event"
)

// bookDir is the folder of a session's book.
func (p *Provider) bookDir(s *session) string {
	h := hashID(s.agent + "\x00" + s.id)
	name := hex(h) + hex(hashID(s.id+"\x00"+s.agent))
	return filepath.Join(p.opts.Cache, name[:2], name[2:])
}

func (p *Provider) bookPath(s *session, name string) string {
	return filepath.Join(p.bookDir(s), name)
}

// current returns when what is shown of a session is what its source has now.
func (p *Provider) current(ctx context.Context, s *session) error {
	if err := p.scanned(ctx); err != nil {
		return err
	}
	return p.render(ctx, s, rendering{})
}

// messages is current, with messages.jsonl made.
func (p *Provider) messages(ctx context.Context, s *session) error {
	if err := p.scanned(ctx); err != nil {
		return err
	}
	return p.render(ctx, s, rendering{messages: true})
}

// renderAgain is for when the cache was thrown away.
func (p *Provider) renderAgain(ctx context.Context, s *session, messages bool) error {
	s.work.Lock()
	p.unload(s)
	p.list.mu.Lock()
	messages = messages || s.shown.Messages >= 0
	s.shown.Path, s.shown.Messages = "", -1
	p.list.count(s)
	p.list.mu.Unlock()
	s.work.Unlock()
	return p.render(ctx, s, rendering{messages: messages})
}

// bookIsGone tells whether the cache of a session that is shown was thrown away,
// by somebody else: then it is no longer shown. The caller holds s.work.
func (p *Provider) bookIsGone(s *session) bool {
	p.list.mu.RLock()
	shown := s.shown.Generation > 0 && !s.failed()
	p.list.mu.RUnlock()
	if !shown {
		return false
	}
	if _, err := os.Stat(p.bookPath(s, stateName)); !errors.Is(err, iofs.ErrNotExist) {
		return false
	}
	p.unload(s)
	p.list.mu.Lock()
	defer p.list.mu.Unlock()
	s.shown.Path, s.shown.Messages = "", -1
	p.list.count(s)
	return true
}

// rendering says what is wanted of a session.
type rendering struct {
	// messages says that messages.jsonl is, too.
	messages bool
	// unasked says that nobody waits for it: then nothing is brought back that
	// there was no room for.
	unasked bool
}

// render brings a session's book up to date and publishes it, after those of the
// sessions that it repeats.
func (p *Provider) render(ctx context.Context, s *session, r rendering) error {
	if done, err := p.asShown(s, r); done || err != nil {
		return err
	}
	for _, o := range p.list.behind(p.list.earlier(s)) {
		if err := p.renderAfterEarlier(ctx, o, rendering{}); err != nil && (ctx.Err() != nil || isCacheError(err)) {
			return err
		}
	}
	return p.renderAfterEarlier(ctx, s, r)
}

// asShown reports whether there is nothing to be done for a session.
func (p *Provider) asShown(s *session, r rendering) (bool, error) {
	s.work.Lock()
	defer s.work.Unlock()
	_, done, err := p.job(s, nil, r)
	return done && (r.unasked || !p.bookIsGone(s)), err
}

// renderAfterEarlier is render where those that the session repeats are rendered.
func (p *Provider) renderAfterEarlier(ctx context.Context, s *session, r rendering) error {
	for tries := 0; ; tries++ {
		e := p.list.earlier(s)
		if e.sum == 0 {
			return p.renderAlone(ctx, s, e, r)
		}
		missing, err := e.noted.load(p, e)
		switch {
		case err != nil:
			return err
		case missing == nil:
			return p.renderAlone(ctx, s, e, r)
		case tries > len(e.way)+e.older+maxTries:
			return fs.ErrBroken
		}
		// It has come just now, or its book was thrown away.
		if err := p.renderAgain(ctx, missing, false); err != nil && (ctx.Err() != nil || isCacheError(err)) {
			return err
		}
	}
}

// renderAlone brings a session's book up to date and publishes it. The ids of
// the sessions that it repeats are loaded.
func (p *Provider) renderAlone(ctx context.Context, s *session, e *earlier, r rendering) error {
	s.work.Lock()
	defer s.work.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	j, done, err := p.job(s, e, r)
	if err != nil || done {
		return err
	}
	b := p.load(s)
	before := b.Generation
	remade := false
	if before < j.generation {
		b.Generation = j.generation // no version comes back with other bytes
		if remade = j.same && unchanged(&j.source); remade {
			b.Generation-- // the same bytes will be made again
		}
	}
	err = p.bring(ctx, b, j)
	if err == nil && remade && !unchanged(&j.source) {
		b.Format = 0 // they may be others after all
		err = p.bring(ctx, b, j)
	}
	if err == nil && r.messages && b.Messages < 0 {
		err = p.makeMessages(ctx, b, j)
	}
	if err != nil {
		p.unload(s) // half of a state is none
		switch ctxErr := ctx.Err(); {
		case ctxErr != nil:
			return ctxErr
		case isCacheError(err):
			p.setCacheFault(err)
			return err
		}
		p.publishFault(s, j, err)
		if errors.Is(err, iofs.ErrPermission) {
			return fs.ErrPermission
		}
		return err
	}
	p.save(s, b, before != b.Generation)
	p.publish(s, b, j)
	if p.cacheBroken() {
		p.setCacheFault(nil)
	}
	return nil
}

// job tells what is to be done for a session: nothing, if it is shown as it is.
func (p *Provider) job(s *session, e *earlier, r rendering) (j *job, done bool, err error) {
	c := p.list
	c.mu.RLock()
	defer c.mu.RUnlock()
	src := s.source()
	if !c.there(s) || src == nil {
		return nil, false, fs.ErrNotExist
	}
	if s.failed() || !s.behind() && (!r.messages || s.shown.Messages >= 0) || r.unasked && s.shown.Evicted && !s.shown.live {
		return nil, true, nil
	}
	j = &job{source: *src, info: s.info, earlier: e, messages: r.messages}
	j.info.Aliases = slices.Clone(j.info.Aliases)
	j.generation, j.same = s.shown.Generation, s.shown.Stat == src.stat && s.shown.Stamp == src.stamp && e != nil && s.shown.Repeats == e.sum
	return j, false, nil
}

// unchanged tells whether a source's file is as it was found.
func unchanged(src *source) bool {
	info, err := os.Lstat(src.path)
	if err != nil {
		return false
	}
	now := statOf(info)
	if src.key != "" {
		now = withJournal(src.path, now)
	}
	return now == src.stat
}

// publish shows what a book has become, and tells of it.
func (p *Provider) publish(s *session, b *book, j *job) {
	now := p.opts.Env.Now()
	c := p.list
	c.mu.Lock()
	if !c.there(s) {
		c.mu.Unlock()
		return
	}
	was := s.shown
	s.shown.Generation, s.shown.Size, s.shown.Events, s.shown.Offset = b.Generation, b.Transcript, b.Seq, b.Source.Offset
	s.shown.Results, s.shown.Messages, s.shown.Repeats, s.shown.IDs = b.Results, b.Messages, b.Repeats, b.IDs
	s.shown.Whole, s.shown.Strange = b.Whole, b.Seq > 0 && !b.Understood
	s.shown.Path, s.shown.Stamp, s.shown.Stat = b.Source.Path, b.Source.Stamp, b.Source.Stat
	s.shown.Fault, s.shown.Denied, s.shown.Evicted = "", false, false
	s.shown.Kept = b.size() - max(b.Messages, 0)
	info := b.Session
	info.Aliases = mergeAliases(slices.Clone(info.Aliases), s.info.Aliases)
	c.describeWhole(s, info)
	paths := c.place(s, now)
	related := c.relate(s)
	if related == nil {
		related = []*session{s} // others may have come or gone while it was rendered
	}
	regrouped := c.regroup(related)
	c.touch(now)
	c.mu.Unlock()

	changed := was.Generation != s.shown.Generation || was.Size != b.Transcript || was.Events != b.Seq || was.Messages != b.Messages || was.Fault != ""
	switch {
	case len(paths) > 0:
		p.told(append(paths, p.pathOf(s)), s)
	case changed:
		p.announce(s)
		p.indexSoon()
	}
	if was.Generation == b.Generation {
		p.fulltext.Grew(b.Transcript - was.Size)
	} else {
		p.fulltext.Grew(b.Transcript)
	}
	for _, o := range regrouped {
		p.queue.touched(o)
	}
}

func mergeAliases(a, b []string) []string {
	for _, alias := range b {
		if !slices.Contains(a, alias) {
			a = append(a, alias)
		}
	}
	return a
}

// describeWhole takes over what all of a session tells. The caller holds the
// lock.
func (c *catalogue) describeWhole(s *session, info event.Session) {
	c.index(s, false)
	info = lean(info)
	info.Agent, info.ID = s.agent, s.id
	s.info = info
	c.index(s, true)
}

// publishFault shows why a session cannot be read.
func (p *Provider) publishFault(s *session, j *job, err error) {
	c := p.list
	c.mu.Lock()
	if !c.there(s) {
		c.mu.Unlock()
		return
	}
	s.shown.Fault, s.shown.Denied = p.describeFault(err), errors.Is(err, iofs.ErrPermission)
	s.shown.Stat, s.shown.Stamp, s.shown.Path = j.source.stat, j.source.stamp, j.source.path
	c.count(s)
	again := s.behind() // it lies elsewhere by now
	c.mu.Unlock()
	p.told([]string{p.pathOf(s)}, s)
	if again {
		p.queue.touched(s)
	}
}

func (p *Provider) pathOf(s *session) string {
	p.list.mu.RLock()
	defer p.list.mu.RUnlock()
	return s.path()
}

// admitted tells whether a file may be read now that could not be before for
// want of permission. Its sessions have no fault then.
func (p *Provider) admitted(f *file) bool {
	c := p.list
	c.mu.RLock()
	denied := slices.ContainsFunc(f.sessions, func(s *session) bool { return s.shown.Denied })
	c.mu.RUnlock()
	if !denied {
		return false
	}
	log, err := os.Open(f.path)
	if err != nil {
		return false
	}
	log.Close()
	var paths []string
	c.mu.Lock()
	for _, s := range f.sessions {
		if s.shown.Denied {
			s.shown.Fault, s.shown.Denied, s.shown.Path = "", false, ""
			c.count(s)
			paths = append(paths, s.path())
		}
	}
	c.mu.Unlock()
	p.told(paths)
	return true
}
