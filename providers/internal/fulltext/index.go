// Package fulltext finds words in many long texts: the transcripts of all
// sessions, which it divides into their blocks, and files of any text.
//
// # What is stored
//
// The index is one database of segments. A segment holds the words of some
// megabytes of text and never changes; several of about the same size are merged
// into one. For every word it stores the pieces of text that contain it, as
// differences of a byte or two each. Pieces are the blocks of transcript.md; long
// blocks are cut. The text itself is not stored: it is read from the transcript
// when a match is shown.
//
// SQLite stores the segments, so that writes are atomic and several processes may
// read and write. Its own full-text index is not used: to rank by the rarity of
// words it visits every row that has one of them, which over a gigabyte takes
// seconds.
//
// # Never stale
//
// The index records how much of each text it covers. The rest, and texts that it
// does not know, are read and searched at every query ([Index.Search]). A text that
// is gone, or has another generation, stops matching at once, whatever the index
// still has of it. So an answer contains exactly what is published. If more than
// [MaxScanned] is not indexed yet, the oldest of it is left out, and [Result] says
// so.
//
// # Ranking
//
// Words are cut and stemmed by package words. Scripts without spaces are indexed by
// pairs of characters; a single character matches the pairs that it begins. A piece
// is ranked by the rarity of the words that it has (BM25). The text of the best
// ones is read: pieces that have all of the words, side by side, come first. A word
// that no text has is replaced with an indexed word that it may misspell; those are
// looked up by their first two letters.
//
// # The order of the parts
//
// A text is cut into pieces (cutPieces, or Index.cut by the sections of a [Sectioned]
// library, whose index is kept small) and those into terms (lexer). A batch of
// them becomes a segment (Index.run, batch, segmentWriter). A query (parseQuery) is
// looked up in all segments and in what is not indexed (Index.gather), respelled if
// necessary (Index.respell), ranked (lookup.rank), and the best pieces are read and
// become hits (Index.rank, chooseHits).
//
// # Why not FTS5
//
// Over 99 MB of transcripts its index took 37.7 % of the text, and the best ten by
// bm25 85 to 143 ms. The lists here take 13.6 %, and 9 to 44 ms over 1 GB.
package fulltext

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"ctxfs/fs/rounds"
	"ctxfs/providers/internal/sqlite"
)

// Text is a text that can be found: the published part of a session's transcript,
// or a file.
type Text struct {
	// Session identifies the session for all time.
	Session string
	// Title has further words that find the beginning of the text.
	Title string
	// Generation changes when the text does other than grow.
	Generation uint32
	// Size is the length of the published text, in bytes.
	Size int64
	// Time is when the session last changed.
	Time time.Time
	// Body is the text itself, for one that the library does not have, see
	// Query.Also.
	Body []byte
}

// Library provides the texts.
type Library interface {
	// Texts returns all texts, the newest first.
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
	// Path is the path of the database.
	Path    string
	Library Library
	// Plain reports that texts have no blocks: all pieces have the number 0.
	Plain bool
	// Scanned is how much unindexed text a query searches, in bytes; 0 means
	// MaxScanned.
	Scanned int64
	// Rest is for how many times as long as it has worked the worker rests before it
	// goes on: texts that grow without end then take a share of one processor.
	Rest int
	Log  *slog.Logger
}

// Index finds words in the texts of a [Library]. It is safe for concurrent use.
type Index struct {
	opts      Options
	sectioned Sectioned // the library, if it is one; else nil
	ctx       context.Context
	cancel    context.CancelFunc
	worker    *rounds.Worker
	more      atomic.Bool // the worker has more to do

	mu    sync.RWMutex // held for writing while the store is replaced
	store *store       // nil until the first is open

	viewMu sync.Mutex
	view   *view

	broken atomic.Bool  // a search has met damage
	left   atomic.Int64 // see Left
	grown  atomic.Int64 // bytes that the texts have grown since the worker last ran
	wakeAt atomic.Int64 // bytes that they must have grown to wake it
	lexers sync.Pool
}

// view is the part of one version of the index that is in memory.
type view struct {
	version  int64
	sessions map[string]indexedText
	segments map[int64]*segment
}

// New returns an index. Without Begin it only reads the database that is there.
func New(opts Options) *Index {
	x := &Index{opts: opts, lexers: sync.Pool{New: func() any { return newLexer() }}}
	x.worker = rounds.NewWorker(rounds.Options{Round: x.round, Share: opts.Rest})
	x.sectioned, _ = opts.Library.(Sectioned)
	x.opts.Scanned = cmp.Or(opts.Scanned, MaxScanned)
	x.left.Store(-1)
	x.ctx, x.cancel = context.WithCancel(context.Background())
	return x
}

// Begin makes the folder of the database, starts the worker that indexes new text, and
// returns at once. It logs an error that it returns.
func (x *Index) Begin() error {
	if err := os.MkdirAll(filepath.Dir(x.opts.Path), 0o700); err != nil {
		x.opts.Log.Warn("texts are not indexed", "path", x.opts.Path, "error", err)
		return err
	}
	x.worker.Poke()
	x.worker.Start()
	return nil
}

// Settled returns when the worker has indexed what there is, all but less than it indexes
// at once.
func (x *Index) Settled(ctx context.Context) error {
	for {
		x.worker.Poke()
		if err := x.worker.Settled(ctx); err != nil || !x.more.Load() || x.ctx.Err() != nil {
			return err
		}
	}
}

// Close ends the worker, waits for it and closes the database.
func (x *Index) Close() error {
	x.cancel()
	x.worker.Close()
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.store == nil {
		return nil
	}
	s := x.store
	x.store = nil
	return s.close()
}

// Changed wakes the worker, which indexes what has changed. It never blocks.
func (x *Index) Changed() { x.worker.Poke() }

// Grew reports that the texts have grown by a number of bytes. The worker, which
// compares all texts, is woken only when there is enough to index. Grew never
// blocks.
func (x *Index) Grew(by int64) {
	if x.grown.Add(by) >= x.wakeAt.Load() {
		x.Changed()
	}
}

func (x *Index) open(t Text) (File, error) {
	if t.Body != nil {
		return given{bytes.NewReader(t.Body)}, nil
	}
	return x.opts.Library.Open(t)
}

// given is the File of a Text.Body.
type given struct{ *bytes.Reader }

func (given) Close() error { return nil }

// openedStore returns the store, opened if there is one or make is set, and a
// function to call when it is no longer used. The store may be nil.
func (x *Index) openedStore(make bool) (*store, func(), error) {
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

// damaged reports whether an error means that the database has to be rebuilt.
func damaged(err error) bool {
	return errors.Is(err, errDamaged) || errors.Is(err, errVersion) || errors.Is(err, sql.ErrNoRows) || sqlite.Damaged(err)
}

// removeDamaged deletes the database.
func (x *Index) removeDamaged(cause error) error {
	x.opts.Log.Warn("a full-text index is rebuilt", "error", cause)
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

// viewOf returns the view of the version that a querier sees.
func (x *Index) viewOf(ctx context.Context, q querier) (*view, error) {
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

// Left returns how much text was not indexed when the worker last ran, in bytes; -1
// before that. The last minBatch bytes are not indexed.
func (x *Index) Left() int64 { return x.left.Load() }

// indexedSize returns how many bytes of a text are in the index.
func (v *view) indexedSize(t Text) int64 {
	if v == nil {
		return 0
	}
	if have := v.sessions[t.Session]; have.generation == t.Generation && have.size <= t.Size {
		return have.size
	}
	return 0
}
