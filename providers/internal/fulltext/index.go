package fulltext

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"ctxfs/providers/internal/sqlite"
)

// Text is the transcript of a session, as far as it is published, or another
// text.
type Text struct {
	// Session names the session, for ever.
	Session string
	// Title has words by which the beginning of the text is found, besides its own.
	Title string
	// Generation is another where the text is not the former one with more behind
	// it.
	Generation uint32
	// Size is how much of the text is published, in bytes.
	Size int64
	// Time is when the session last changed.
	Time time.Time
}

// Library is where the texts are.
type Library interface {
	// Texts are all that there are, the newest first.
	Texts() []Text
	// Open opens one of them for reading.
	Open(Text) (File, error)
}

// File is an open text.
type File interface {
	io.ReaderAt
	io.Closer
}

// Options are what an Index needs.
type Options struct {
	// Path is that of the database. Its folder must exist for Begin.
	Path    string
	Library Library
	// Plain tells that texts have no blocks: the pieces of one are all of number 0.
	Plain bool
	Log   *slog.Logger
}

// Index finds words in the texts of a library. It is safe for concurrent use.
type Index struct {
	opts   Options
	ctx    context.Context
	cancel context.CancelFunc
	work   sync.WaitGroup
	kick   chan struct{}

	mu    sync.RWMutex // held for writing while the store is replaced
	store *store       // nil while there is none

	viewMu sync.Mutex
	view   *view

	broken atomic.Bool  // a search has met damage
	left   atomic.Int64 // see Left
	grown  atomic.Int64 // by how much the texts have grown since the worker last looked
	wanted atomic.Int64 // by how much they must have for it to look again
	lexers sync.Pool
}

// view is what is held in memory of one version of the index.
type view struct {
	version  int64
	sessions map[string]indexed
	segments map[int64]*segment
}

// New makes an index; without Begin it only reads what there is.
func New(opts Options) *Index {
	x := &Index{opts: opts, kick: make(chan struct{}, 1), lexers: sync.Pool{New: func() any { return newLexer() }}}
	x.left.Store(-1)
	x.ctx, x.cancel = context.WithCancel(context.Background())
	return x
}

// Begin starts the worker that indexes. It returns at once.
func (x *Index) Begin() { x.work.Go(x.run) }

// Close ends the worker and waits for it.
func (x *Index) Close() error {
	x.cancel()
	x.work.Wait()
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.store == nil {
		return nil
	}
	s := x.store
	x.store = nil
	return s.close()
}

// Changed has the worker look whether there is something to do. It never blocks.
func (x *Index) Changed() {
	select {
	case x.kick <- struct{}{}:
	default:
	}
}

// Grew tells that the texts have become that many bytes longer. The worker looks
// at them all, so it is woken only once there is enough to index. It never blocks.
func (x *Index) Grew(by int64) {
	if x.grown.Add(by) >= x.wanted.Load() {
		x.Changed()
	}
}

// opened returns the store, opened if there is one or make is given, and a
// function to be called when it is no longer used. The store may be nil.
func (x *Index) opened(make bool) (*store, func(), error) {
	x.mu.RLock()
	if x.store != nil {
		return x.store, x.mu.RUnlock, nil
	}
	x.mu.RUnlock()
	x.mu.Lock()
	if x.store == nil && x.ctx.Err() == nil {
		s, err := openStore(x.opts.Path, make)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			x.mu.Unlock()
			return nil, func() {}, err
		}
		x.store = s
	}
	x.mu.Unlock()
	x.mu.RLock()
	return x.store, x.mu.RUnlock, nil
}

// damaged tells whether an error means that the database is to be made anew.
func damaged(err error) bool {
	return errors.Is(err, errDamaged) || errors.Is(err, sql.ErrNoRows) || sqlite.Damaged(err)
}

// renew throws the database away.
func (x *Index) renew(cause error) error {
	x.opts.Log.Warn("the full-text index of the transcripts is made anew", "error", cause)
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.store != nil {
		_ = x.store.close()
		x.store = nil
	}
	x.viewMu.Lock()
	x.view = nil
	x.viewMu.Unlock()
	return removeStore(x.opts.Path)
}

// look returns the view of what a querier sees.
func (x *Index) look(ctx context.Context, q querier) (*view, error) {
	x.viewMu.Lock()
	defer x.viewMu.Unlock()
	at, err := version(ctx, q)
	if err != nil {
		return nil, err
	}
	if x.view != nil && x.view.version == at {
		return x.view, nil
	}
	v := &view{version: at}
	if v.sessions, err = readSessions(ctx, q); err != nil {
		return nil, err
	}
	var known map[int64]*segment
	if x.view != nil {
		known = x.view.segments
	}
	if v.segments, err = readSegments(ctx, q, known); err != nil {
		return nil, err
	}
	x.view = v
	return v, nil
}

// Left is how much text is not indexed yet, in bytes, as the worker last saw it;
// -1 where it has not looked. A little is never indexed: see enough.
func (x *Index) Left() int64 { return x.left.Load() }

// covered is how much of a text is in the index.
func (v *view) covered(t Text) int64 {
	if v == nil {
		return 0
	}
	if have := v.sessions[t.Session]; have.generation == t.Generation && have.size <= t.Size {
		return have.size
	}
	return 0
}
