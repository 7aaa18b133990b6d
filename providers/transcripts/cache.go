package transcripts

import (
	"context"
	"errors"
	"fmt"
	"io"
	iofs "io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"ctxfs/fs"
)

// cacheOptions are what a cache needs.
type cacheOptions struct {
	Env       fs.Env
	Dir       string
	Catalogue *catalogue
	Scanner   *scanner
	// Background renders all sessions in the background once the cache is started.
	Background bool
	// Moved is called after a publication that has moved sessions in the tree, with
	// the paths that have come or gone, Changed when the files of a session have
	// changed.
	Moved   func(paths []string, s *session)
	Changed func(s *session)
	// Grew is called with the number of bytes by which a transcript has grown.
	Grew func(by int64)
	// Settled is called when a lot of work has been done; it may be nil.
	Settled func()
	// FaultChanged is called when the cache can no longer be written, or can again.
	FaultChanged func()
}

// cache holds the rendered texts of all sessions in a folder on disk, an entry
// for each, and brings them up to date.
type cache struct {
	cacheOptions

	ctx       context.Context
	cancel    context.CancelFunc
	queue     queue
	open      openEntries
	recordIDs familyIDs
	scratch   sync.Pool // of *scratch
	saveWake  chan struct{}

	mu    sync.Mutex
	fault string // why nothing can be stored; "" if it can
	full  bool   // because the disk is full
}

// newCache makes a cache; it renders only what is asked for before it is started.
func newCache(opts cacheOptions) *cache {
	c := &cache{cacheOptions: opts, saveWake: make(chan struct{}, 1)}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	c.queue.init()
	c.open.entries = make(map[*session]*openEntry)
	c.recordIDs.of = make(map[*family]*recordIDs)
	return c
}

// entryDir returns the folder of the entry of a session, by its agent and id.
func (c *cache) entryDir(agent, id string) string {
	name := fmt.Sprintf("%016x%016x", hashID(agent+"\x00"+id), hashID(id+"\x00"+agent))
	return filepath.Join(c.Dir, name[:2], name[2:])
}

func (c *cache) path(s *session, name string) string {
	return filepath.Join(c.entryDir(s.agent, s.id), name)
}

// transcript returns the path of a session's transcript in the cache.
func (c *cache) transcript(s *session, generation uint32) string {
	return c.path(s, transcriptFileName(generation))
}

// messages returns the path of a session's messages in the cache.
func (c *cache) messages(s *session, generation uint32) string {
	return c.path(s, messagesFileName(generation))
}

// current returns when what is published of a session is what its source has
// now, with messages.jsonl if that is wanted. The errors are those of the source,
// fs.ErrNotExist where the session is gone, fs.ErrPermission where it may not be
// read, and that of ctx.
func (c *cache) current(ctx context.Context, s *session, messages bool) error {
	if err := c.Scanner.wait(ctx); err != nil {
		return err
	}
	return c.render(ctx, s, request{messages: messages})
}

// renderAgain renders a session whose entry was deleted.
func (c *cache) renderAgain(ctx context.Context, s *session, messages bool) error {
	s.work.Lock()
	c.forget(s)
	messages = c.Catalogue.unpublish(s) || messages
	s.work.Unlock()
	return c.render(ctx, s, request{messages: messages})
}

// entryIsGone reports whether the entry of a session that is published was
// deleted, by somebody else: then it is no longer published. The caller holds
// s.work.
func (c *cache) entryIsGone(s *session) bool {
	if v, _ := c.Catalogue.view(s); v.published.Generation == 0 || v.failed() {
		return false
	}
	if _, err := os.Stat(c.path(s, stateName)); !errors.Is(err, iofs.ErrNotExist) {
		return false
	}
	c.forget(s)
	c.Catalogue.unpublish(s)
	return true
}

// request says what is wanted of a session.
type request struct {
	// messages says that messages.jsonl is, too.
	messages bool
	// background says that nobody waits for it: then a session that the cache had
	// no room for stays out.
	background bool
}

// render brings a session's entry up to date and publishes it, after those of the
// sessions that it repeats.
func (c *cache) render(ctx context.Context, s *session, r request) error {
	if done, err := c.upToDate(s, r); done || err != nil {
		return err
	}
	for _, o := range c.Catalogue.behindAmong(c.Catalogue.earlier(s)) {
		if err := c.renderAfterEarlier(ctx, o, request{}); err != nil && (ctx.Err() != nil || isCacheError(err)) {
			return err
		}
	}
	return c.renderAfterEarlier(ctx, s, r)
}

// refresh is current for a session that nobody waits for: one that the cache had
// no room for stays out.
func (c *cache) refresh(ctx context.Context, s *session) error {
	return c.render(ctx, s, request{background: true})
}

// upToDate reports whether there is nothing to be done for a session.
func (c *cache) upToDate(s *session, r request) (bool, error) {
	s.work.Lock()
	defer s.work.Unlock()
	_, done, err := c.job(s, nil, r)
	return done && (r.background || !c.entryIsGone(s)), err
}

// renderAfterEarlier is render where those that the session repeats are rendered.
func (c *cache) renderAfterEarlier(ctx context.Context, s *session, r request) error {
	for tries := 0; ; tries++ {
		e := c.Catalogue.earlier(s)
		if e.sum == 0 {
			return c.renderAlone(ctx, s, &inherited{}, r)
		}
		in := &inherited{earlier: e, ids: c.recordIDs.get(e.family)}
		missing, err := c.loadIDs(in)
		switch {
		case err != nil:
			return err
		case missing == nil:
			return c.renderAlone(ctx, s, in, r)
		case tries > e.count()+maxTries:
			return fs.ErrBroken
		}
		// It has come just now, or its entry was deleted.
		if err := c.renderAgain(ctx, missing, false); err != nil && (ctx.Err() != nil || isCacheError(err)) {
			return err
		}
	}
}

// renderAlone brings a session's entry up to date and publishes it. The ids of
// the sessions that it repeats are loaded.
func (c *cache) renderAlone(ctx context.Context, s *session, in *inherited, r request) error {
	s.work.Lock()
	defer s.work.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	j, done, err := c.job(s, in, r)
	if err != nil || done {
		return err
	}
	b := c.load(s)
	before := b.Generation
	remade := false
	if before < j.generation {
		b.Generation = j.generation // no version comes back with other bytes
		if remade = j.same && j.source.unchanged(); remade {
			b.Generation-- // the same bytes will be made again
		}
	}
	err = c.update(ctx, b, j)
	if err == nil && remade && !j.source.unchanged() {
		b.Format = 0 // they may be others after all
		err = c.update(ctx, b, j)
	}
	if err == nil && r.messages && b.Messages < 0 {
		err = c.makeMessages(ctx, b, j)
	}
	if err != nil {
		c.forget(s) // half of a state is none
		return c.failed(ctx, s, j, err)
	}
	c.save(s, b, before != b.Generation)
	c.publish(s, b)
	if c.broken() {
		c.setFault(nil)
	}
	return nil
}

// failed publishes why a session cannot be rendered, and returns the error for
// whoever waits for it.
func (c *cache) failed(ctx context.Context, s *session, j *job, err error) error {
	switch ctxErr := ctx.Err(); {
	case ctxErr != nil:
		return ctxErr
	case isCacheError(err):
		c.setFault(err)
		return err
	}
	denied := errors.Is(err, iofs.ErrPermission)
	if again, there := c.Catalogue.publishFault(s, j.source, faultText(err), denied); there {
		c.Moved([]string{c.Catalogue.path(s)}, s)
		if again {
			c.touched(s)
		}
	}
	if denied {
		return fs.ErrPermission
	}
	return err
}

// job returns what is to be done for a session: nothing, if what is published is
// up to date.
func (c *cache) job(s *session, in *inherited, r request) (j *job, done bool, err error) {
	v, there := c.Catalogue.view(s)
	if !there || v.source == nil {
		return nil, false, fs.ErrNotExist
	}
	p := &v.published
	if v.failed() || !v.behind && (!r.messages || p.Messages >= 0) || r.background && p.Evicted && !v.live {
		return nil, true, nil
	}
	j = &job{source: v.source, info: v.info, inherited: in, messages: r.messages, generation: p.Generation}
	j.info.Aliases = slices.Clone(j.info.Aliases)
	j.same = p.Stat == v.source.stat && p.Stamp == v.source.stamp && in != nil && p.Repeats == in.sum()
	return j, false, nil
}

// publish shows what an entry has become.
func (c *cache) publish(s *session, b *entry) {
	now := c.Env.Now()
	p, there := c.Catalogue.publish(s, now, published{
		Generation: b.Generation, Size: b.Transcript, Events: b.Seq, Offset: b.Source.Offset,
		Results: b.Results, Messages: b.Messages, Repeats: b.Repeats, IDs: b.IDs,
		Whole: b.Whole, Strange: b.Seq > 0 && !b.Understood,
		Path: b.Source.Path, Stamp: b.Source.Stamp, Stat: b.Source.Stat,
		Kept: b.size() - max(b.Messages, 0),
	}, b.Session)
	if !there {
		return
	}
	changed := p.before.Generation != b.Generation || p.before.Size != b.Transcript || p.before.Events != b.Seq || p.before.Messages != b.Messages || p.before.Fault != ""
	switch {
	case len(p.moved) > 0:
		c.Moved(append(p.moved, c.Catalogue.path(s)), s)
	case changed:
		c.Changed(s)
	}
	if p.before.Generation == b.Generation {
		c.Grew(b.Transcript - p.before.Size)
	} else {
		c.Grew(b.Transcript)
	}
	for _, o := range p.regrouped {
		c.touched(o)
	}
}

// readAt reads from the transcript of a session, or from its messages.jsonl, as
// far as it was published. An entry that was deleted meanwhile is made again.
func (c *cache) readAt(ctx context.Context, s *session, p []byte, off int64, messages bool) (int, error) {
	for tries := 1; ; tries++ {
		v, there := c.Catalogue.view(s)
		if !there {
			return 0, fs.ErrNotExist
		}
		name, size := transcriptFileName(v.published.Generation), v.published.Size
		if messages {
			name, size = messagesFileName(v.published.Generation), v.published.Messages
		}
		if v.unready() || size < 0 {
			if tries > maxTries {
				return 0, fs.ErrBroken
			}
			if err := c.current(ctx, s, messages); err != nil {
				return 0, err
			}
			continue
		}
		if off >= size {
			return 0, io.EOF
		}
		wanted := p[:min(int64(len(p)), size-off)]
		n, err := readAt(c.path(s, name), wanted, off)
		short := errors.Is(err, io.EOF) && n < len(wanted) // than what was published
		switch {
		case (errors.Is(err, os.ErrNotExist) || short) && tries <= maxTries:
			if err := c.renderAgain(ctx, s, messages); err != nil {
				return 0, err
			}
			continue
		case err == nil && len(wanted) < len(p):
			err = io.EOF
		case short:
			err = fs.ErrBroken
		}
		return n, err
	}
}
