package fulltext

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"io"
	"unicode/utf8"
)

const (
	// batchSize is the length of the text of one new segment, in bytes.
	batchSize = 8 << 20
	// minBatch is how much text must be new for it to be indexed, in bytes: less is
	// searched without an index, which takes some milliseconds.
	minBatch = 512 << 10
)

// round does one step. If there is more to do, another round follows.
func (x *Index) round(context.Context) {
	more, err := x.step(x.ctx)
	if err != nil && x.ctx.Err() == nil {
		if damaged(err) {
			more, err = true, x.removeDamaged(err)
		}
		if err != nil && !errors.Is(err, errMoved) {
			x.opts.Log.Warn("texts are not indexed", "path", x.opts.Path, "error", err)
		}
		if err != nil {
			more = errors.Is(err, errMoved)
			x.wakeAt.Store(0) // try again at the next news
		}
	}
	if x.more.Store(more); more {
		x.worker.Poke()
	}
}

// step indexes a part of what is new, or merges several segments. It reports whether
// there is more to do.
func (x *Index) step(ctx context.Context) (more bool, err error) {
	if x.broken.Swap(false) {
		return true, errDamaged
	}
	x.grown.Store(0)
	texts := x.opts.Library.Texts()
	var v *view // of nothing
	_, size := v.unindexed(texts)
	s, done, err := x.openedStore(size >= minBatch)
	defer done()
	if err != nil {
		return false, err
	}
	if s == nil { // and none is needed
		x.left.Store(size)
		x.wakeAt.Store(minBatch - size)
		return x.grown.Load() >= minBatch-size, nil
	}
	if v, err = x.viewOf(ctx, s.writer); err != nil {
		return false, err
	}
	alive := v.liveSessions(texts)
	if list := v.mergeable(alive); list != nil {
		return true, s.merge(ctx, v, list, texts)
	}
	todo, size := v.unindexed(texts)
	x.left.Store(size)
	if size >= minBatch {
		return true, x.index(ctx, s, v, todo, texts)
	}
	x.wakeAt.Store(minBatch - size)
	return x.grown.Load() >= minBatch-size, s.checkpoint(ctx)
}

// newText is a part of a text that has to be indexed: everything after an offset.
type newText struct {
	Text
	from int64
}

// unindexed returns what is not indexed yet, and its length in bytes.
func (v *view) unindexed(texts []Text) (all []newText, size int64) {
	for _, t := range texts {
		if from := v.indexedSize(t); from < t.Size {
			all = append(all, newText{t, from})
			size += t.Size - from
		}
	}
	return all, size
}

// liveSessions returns a function that reports whether a session of the index is
// still one of texts.
func (v *view) liveSessions(texts []Text) func(session int64) bool {
	ids := make(map[int64]bool, len(texts))
	for _, t := range texts {
		if v.indexedSize(t) > 0 {
			ids[v.sessions[t.Session].id] = true
		}
	}
	return func(session int64) bool { return ids[session] }
}

// mergeable returns segments that should become one: several of a class, or one
// that mostly belongs to sessions that are gone.
func (v *view) mergeable(alive func(session int64) bool) []*segment {
	for _, s := range v.segments {
		dead := 0
		for i, r := range s.runs {
			if !alive(r.session) {
				dead += s.endOfRun(i) - r.first
			}
		}
		if dead > s.docs/2 {
			return []*segment{s}
		}
	}
	return sameClass(v.segments)
}

// index writes a segment of at most batchSize bytes of new text.
func (x *Index) index(ctx context.Context, s *store, v *view, todo []newText, texts []Text) error {
	lexer := x.lexers.Get().(*lexer)
	defer x.lexers.Put(lexer)
	b := newBatch(x, lexer)
	var taken []newText // their Size is how far they are indexed now
	for _, p := range todo {
		if b.size >= batchSize || ctx.Err() != nil {
			break
		}
		text, err := x.readPart(p.Text, p.from, batchSize-b.size)
		if err != nil {
			// It is gone, or will be rendered again, which wakes the worker.
			x.opts.Log.Debug("a text is not indexed", "session", p.Session, "error", err)
			continue
		}
		b.add(int64(len(taken)), p.Text, p.from, text)
		p.Size = p.from + int64(len(text))
		taken = append(taken, p)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if len(taken) == 0 {
		return errUnreadable
	}
	tx, err := s.begin(ctx, v.version)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	if err := v.dropStale(ctx, tx, texts); err != nil {
		return err
	}
	ids := make([]int64, len(taken))
	for i, p := range taken {
		if ids[i], err = v.recordSize(ctx, tx, p); err != nil {
			return err
		}
	}
	for i := range b.table.runs {
		b.table.runs[i].session = ids[b.table.runs[i].session]
	}
	w, err := newSegmentWriter(ctx, tx)
	if err != nil {
		return err
	}
	if err := b.rows(w.write); err != nil {
		return err
	}
	if err := w.finish(&b.table, b.size); err != nil {
		return err
	}
	return tx.Commit()
}

var errUnreadable = errors.New("none of the texts can be read")

// dropStale removes the texts that are gone, or have another generation now.
func (v *view) dropStale(ctx context.Context, tx *sql.Tx, texts []Text) error {
	counts := v.liveSessions(texts)
	for _, have := range v.sessions {
		if !counts(have.id) {
			if _, err := tx.ExecContext(ctx, "DELETE FROM sessions WHERE id = ?", have.id); err != nil {
				return err
			}
		}
	}
	return nil
}

// recordSize records how much of a text is in the index.
func (v *view) recordSize(ctx context.Context, tx *sql.Tx, p newText) (id int64, err error) {
	if p.from > 0 {
		id = v.sessions[p.Session].id
		_, err = tx.ExecContext(ctx, "UPDATE sessions SET size = ? WHERE id = ?", p.Size, id)
		return id, err
	}
	done, err := tx.ExecContext(ctx, "INSERT INTO sessions(name, generation, size) VALUES (?, ?, ?)", p.Session, p.Generation, p.Size)
	if err != nil {
		return 0, err
	}
	return done.LastInsertId()
}

// readPart reads about limit bytes of a text from an offset, to the end of a block
// or, without blocks, of a line.
func (x *Index) readPart(t Text, from, limit int64) ([]byte, error) {
	f, err := x.open(t)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	size := t.Size - from
	for {
		part := min(size, max(limit, pieceSize))
		text := make([]byte, part)
		if n, err := f.ReadAt(text, from); n < len(text) {
			if err == nil || errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
		if part == size {
			return text, nil
		}
		if x.opts.Plain {
			return wholeLines(text), nil
		}
		if i := bytes.LastIndex(text, []byte("\n"+headingMark)); i > 0 {
			return text[:i+1], nil
		}
		limit *= 2 // a block is longer
		if limit <= 0 {
			limit = pieceSize
		}
	}
}

// wholeLines returns a text without the incomplete line at its end, if it has
// others, and without an incomplete character.
func wholeLines(text []byte) []byte {
	if i := bytes.LastIndexByte(text, '\n'); i >= 0 {
		return text[:i+1]
	}
	for i := len(text) - 1; i > max(0, len(text)-utf8.UTFMax); i-- {
		if utf8.RuneStart(text[i]) {
			return text[:i]
		}
	}
	return text
}
