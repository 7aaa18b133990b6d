// Package cache renders sessions and stores their texts on disk: an entry for
// each session, <2 digits>/<30 digits> of a hash of its agent and id, with a
// state and a few files that only grow (see Entry).
//
// An entry is brought up to date by reading on in the source where the last run
// stopped: the agent's reader resumes from the state, its events go through a
// writer, which appends to transcript.md and to the tables beside it. If the source
// no longer begins with what was read, everything is rendered again as the next
// generation. What has been rendered is published in the catalogue, and readers see
// only what was published.
//
// The whole folder can be deleted at any time. Several processes may use it at the
// same time: a process that changes an entry holds its lock (locks/<2 digits>, which
// entries with the same digits share) from reading the state until it is written, and
// forgets what it had in memory if the state is another one by then. Readers take no
// lock: of the files of a generation only the end changes, and one whose files are
// gone is rendered again.
package cache

import (
	"cmp"
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
	"ctxfs/providers/transcripts/catalogue"
	"ctxfs/providers/transcripts/scan"
	"ctxfs/providers/transcripts/source"
)

// Options are what a cache needs.
type Options struct {
	Env       fs.Env
	Dir       string
	Catalogue *catalogue.Catalogue
	Scanner   *scan.Scanner
	// Background renders all sessions in the background once the cache is started.
	Background bool
	// Moved is called after a publication that has moved sessions in the tree, with
	// the paths that have come or gone, Changed when the files of a session have
	// changed.
	Moved   func(paths []string, s *catalogue.Session)
	Changed func(s *catalogue.Session)
	// Grew is called with the number of bytes that a transcript has grown by.
	Grew func(by int64)
	// FaultChanged is called when the cache becomes unwritable, or writable again.
	FaultChanged func()
}

// Cache holds the rendered texts of all sessions in a folder on disk, an entry
// for each, and brings them up to date.
type Cache struct {
	Options

	ctx       context.Context
	cancel    context.CancelFunc
	queue     queue
	open      openEntries
	recordIDs familyIDs
	scratch   sync.Pool // of *scratch
	saveWake  chan struct{}

	mu        sync.Mutex
	faultText string // why nothing can be stored; "" if it can
	full      bool   // because the disk is full
}

// New makes a cache; until it is started it renders only what is requested.
func New(opts Options) *Cache {
	c := &Cache{Options: opts, saveWake: make(chan struct{}, 1)}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	c.queue.init()
	c.open.entries = make(map[*catalogue.Session]*openEntry)
	c.recordIDs.of = make(map[*catalogue.Family]*recordIDs)
	return c
}

// EntryDir returns the folder of the entry of a session, by its agent and id.
func (c *Cache) EntryDir(agent, id string) string {
	name := fmt.Sprintf("%016x%016x", HashID(agent+"\x00"+id), HashID(id+"\x00"+agent))
	return filepath.Join(c.Dir, name[:2], name[2:])
}

func (c *Cache) path(s *catalogue.Session, name string) string {
	return filepath.Join(c.EntryDir(s.Agent, s.ID), name)
}

// Transcript returns the path of a session's transcript in the cache.
func (c *Cache) Transcript(s *catalogue.Session, generation uint32) string {
	return c.path(s, transcriptFileName(generation))
}

// Messages returns the path of a session's messages in the cache.
func (c *Cache) Messages(s *catalogue.Session, generation uint32) string {
	return c.path(s, messagesFileName(generation))
}

// Current returns when everything that a session's source has now is published,
// with messages.jsonl if requested. The errors are those of the source,
// fs.ErrNotExist if the session is gone, fs.ErrPermission if it may not be read,
// and that of ctx.
func (c *Cache) Current(ctx context.Context, s *catalogue.Session, messages bool) error {
	if err := c.Scanner.Wait(ctx); err != nil {
		return err
	}
	return c.render(ctx, s, request{messages: messages})
}

// renderAgain renders a session whose entry was deleted.
func (c *Cache) renderAgain(ctx context.Context, s *catalogue.Session, messages bool) error {
	s.Work.Lock()
	c.forget(s)
	messages = c.Catalogue.Unpublish(s) || messages
	s.Work.Unlock()
	return c.render(ctx, s, request{messages: messages})
}

// entryIsGone reports whether another program has deleted the entry of a published
// session, and if so unpublishes it. The caller holds s.Work.
func (c *Cache) entryIsGone(s *catalogue.Session) bool {
	if v, _ := c.Catalogue.View(s); v.Published.Generation == 0 || v.Failed() {
		return false
	}
	if _, err := os.Stat(c.path(s, stateName)); !errors.Is(err, iofs.ErrNotExist) {
		return false
	}
	c.forget(s)
	c.Catalogue.Unpublish(s)
	return true
}

// request says which parts of a session are wanted.
type request struct {
	// messages reports that messages.jsonl is, too.
	messages bool
	// background reports that no reader waits for it: then a session that the cache had
	// no room for stays out.
	background bool
	// again reports that the entry has less than was published.
	again bool
}

// render brings a session's entry up to date and publishes it, after those of the
// sessions that it repeats.
func (c *Cache) render(ctx context.Context, s *catalogue.Session, r request) error {
	if done, err := c.upToDate(s, r); done || err != nil {
		return err
	}
	for _, o := range c.Catalogue.BehindAmong(c.Catalogue.Earlier(s)) {
		if err := c.renderAfterEarlier(ctx, o, request{}); err != nil && (ctx.Err() != nil || isCacheError(err)) {
			return err
		}
	}
	return c.renderAfterEarlier(ctx, s, r)
}

// Refresh is Current for a session that no reader waits for: one that the cache had
// no room for stays out.
func (c *Cache) Refresh(ctx context.Context, s *catalogue.Session) error {
	return c.render(ctx, s, request{background: true})
}

// upToDate reports whether a session needs no work.
func (c *Cache) upToDate(s *catalogue.Session, r request) (bool, error) {
	s.Work.Lock()
	defer s.Work.Unlock()
	_, done, err := c.job(s, nil, r)
	return done && (r.background || !c.entryIsGone(s)), err
}

// renderAfterEarlier is render for a session whose repeated sessions are rendered.
func (c *Cache) renderAfterEarlier(ctx context.Context, s *catalogue.Session, r request) error {
	for tries := 0; ; tries++ {
		e := c.Catalogue.Earlier(s)
		if e.Sum == 0 {
			return c.renderAlone(ctx, s, &inherited{}, r)
		}
		in := &inherited{Earlier: e, ids: c.recordIDs.get(e.Family)}
		missing, err := c.loadIDs(in)
		switch {
		case err != nil:
			return err
		case missing == nil:
			return c.renderAlone(ctx, s, in, r)
		case tries > e.Count()+maxTries:
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
func (c *Cache) renderAlone(ctx context.Context, s *catalogue.Session, in *inherited, r request) error {
	s.Work.Lock()
	defer s.Work.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	j, done, err := c.job(s, in, r)
	if err != nil || done {
		return err
	}
	lock, err := c.lock(ctx, s)
	if err != nil {
		return cmp.Or(ctx.Err(), err)
	}
	defer lock.Release()
	b := c.reload(s)
	before := b.Generation
	remade := false
	if before < j.generation {
		b.Generation = j.generation // no version comes back with other bytes
		if remade = j.same && j.source.Unchanged(); remade {
			b.Generation-- // the same bytes will be made again
		}
	}
	err = c.update(ctx, b, j)
	if err == nil && remade && !j.source.Unchanged() {
		b.Format = 0 // they may be others after all
		err = c.update(ctx, b, j)
	}
	if err == nil && j.messages && b.Messages < 0 {
		err = c.makeMessages(ctx, b, j)
	}
	if err != nil {
		c.forget(s) // half of a state is useless
		return c.failed(ctx, s, j, err)
	}
	c.save(s, b, before != b.Generation)
	c.publish(s, b, r.again)
	if c.Broken() {
		c.SetFault(nil)
	}
	return nil
}

// failed publishes why a session cannot be rendered, and returns the error for
// the caller.
func (c *Cache) failed(ctx context.Context, s *catalogue.Session, j *job, err error) error {
	switch ctxErr := ctx.Err(); {
	case ctxErr != nil:
		return ctxErr
	case isCacheError(err):
		c.SetFault(err)
		return err
	}
	denied := errors.Is(err, iofs.ErrPermission)
	if again, there := c.Catalogue.PublishFault(s, j.source, source.FaultText(err), denied); there {
		c.Moved([]string{c.Catalogue.Path(s)}, s)
		if again {
			c.Touched(s)
		}
	}
	if denied {
		return fs.ErrPermission
	}
	return err
}

// job returns what there is to do for a session: nothing, if what is published is
// up to date.
func (c *Cache) job(s *catalogue.Session, in *inherited, r request) (j *job, done bool, err error) {
	v, there := c.Catalogue.View(s)
	if !there || v.Source == nil {
		return nil, false, fs.ErrNotExist
	}
	p := &v.Published
	if v.Failed() || !v.Behind && !r.again && (!r.messages || p.Messages >= 0) || r.background && p.Evicted && !v.Live {
		return nil, true, nil
	}
	j = &job{source: v.Source, info: v.Info, inherited: in, generation: p.Generation}
	j.messages = r.messages || r.again && p.Messages >= 0
	j.info.Aliases = slices.Clone(j.info.Aliases)
	j.same = p.Stat == v.Source.Stat && p.Stamp == v.Source.Stamp && in != nil && p.Repeats == in.sum()
	return j, false, nil
}

// publish shows what an entry has become. If again is set, readers may have seen less.
func (c *Cache) publish(s *catalogue.Session, b *Entry, again bool) {
	now := c.Env.Now()
	p, there := c.Catalogue.Publish(s, now, catalogue.Published{
		Generation: b.Generation, Size: b.Transcript, Events: b.Seq, Offset: b.Source.Offset,
		Results: b.Results, Messages: b.Messages, Repeats: b.Repeats, IDs: b.IDs,
		Whole: b.Whole, Strange: b.Seq > 0 && !b.Understood,
		Path: b.Source.Path, Stamp: b.Source.Stamp, Stat: b.Source.Stat,
		Kept: b.size() - max(b.Messages, 0),
	}, b.Session)
	if !there {
		return
	}
	changed := again || p.Before.Generation != b.Generation || p.Before.Size != b.Transcript || p.Before.Events != b.Seq || p.Before.Messages != b.Messages || p.Before.Fault != ""
	switch {
	case len(p.Moved) > 0:
		c.Moved(append(p.Moved, c.Catalogue.Path(s)), s)
	case changed:
		c.Changed(s)
	}
	if p.Before.Generation == b.Generation {
		c.Grew(b.Transcript - p.Before.Size)
	} else {
		c.Grew(b.Transcript)
	}
	for _, o := range p.Regrouped {
		c.Touched(o)
	}
}

// ReadAt reads from the transcript of a session, or from its messages.jsonl, as far
// as it was published. An entry that was deleted meanwhile is rebuilt.
func (c *Cache) ReadAt(ctx context.Context, s *catalogue.Session, p []byte, off int64, messages bool) (int, error) {
	for tries := 1; ; tries++ {
		v, there := c.Catalogue.View(s)
		if !there {
			return 0, fs.ErrNotExist
		}
		name, size := transcriptFileName(v.Published.Generation), v.Published.Size
		if messages {
			name, size = messagesFileName(v.Published.Generation), v.Published.Messages
		}
		if v.Unready() || size < 0 {
			if tries > maxTries {
				return 0, fs.ErrBroken
			}
			if err := c.Current(ctx, s, messages); err != nil {
				return 0, err
			}
			continue
		}
		if off >= size {
			return 0, io.EOF
		}
		wanted := p[:min(int64(len(p)), size-off)]
		n, err := source.ReadAt(c.path(s, name), wanted, off)
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
