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
	// batchSize is how much text becomes one segment, in bytes.
	batchSize = 8 << 20
	// enough is how much text must be new for it to be indexed: less is searched
	// as it is, which takes some milliseconds.
	enough = 512 << 10
)

// run indexes whenever there is enough, until the index is closed.
func (x *Index) run() {
	for {
		for x.ctx.Err() == nil {
			more, err := x.step(x.ctx)
			if err != nil && x.ctx.Err() == nil {
				if damaged(err) {
					more, err = true, x.renew(err)
				}
				if err != nil && !errors.Is(err, errMoved) {
					x.opts.Log.Warn("transcripts are not indexed", "error", err)
				}
				if err != nil {
					more = errors.Is(err, errMoved)
					x.wanted.Store(0) // the next news is reason enough to try again
				}
			}
			if !more {
				break
			}
		}
		select {
		case <-x.ctx.Done():
			return
		case <-x.kick:
		}
	}
}

// step indexes a part of what is new, or makes one segment of several. It tells
// whether there is more to do.
func (x *Index) step(ctx context.Context) (more bool, err error) {
	if x.broken.Swap(false) {
		return true, errDamaged
	}
	s, done, err := x.opened(true)
	defer done()
	if err != nil || s == nil {
		return false, err
	}
	v, err := x.look(ctx, s.writer)
	if err != nil {
		return false, err
	}
	x.grown.Store(0)
	texts := x.opts.Library.Texts()
	alive := v.alive(texts)
	if list := v.due(alive); list != nil {
		return true, s.merge(ctx, v, list, texts)
	}
	todo, size := v.todo(texts)
	x.left.Store(size)
	if size >= enough {
		return true, x.index(ctx, s, v, todo, texts)
	}
	x.wanted.Store(enough - size)
	return x.grown.Load() >= enough-size, s.settle(ctx)
}

// part is text that is to be indexed: of a text what is behind an offset.
type part struct {
	Text
	from int64
}

// todo is what is not indexed yet, and how much that is.
func (v *view) todo(texts []Text) (all []part, size int64) {
	for _, t := range texts {
		if from := v.covered(t); from < t.Size {
			all = append(all, part{t, from})
			size += t.Size - from
		}
	}
	return all, size
}

// alive tells which sessions of the index count.
func (v *view) alive(texts []Text) func(session int64) bool {
	ids := make(map[int64]bool, len(texts))
	for _, t := range texts {
		if v.covered(t) > 0 {
			ids[v.sessions[t.Session].id] = true
		}
	}
	return func(session int64) bool { return ids[session] }
}

// due are segments that should become one: several of a class, or one of which
// the greater part does not count any more.
func (v *view) due(alive func(session int64) bool) []*segment {
	for _, s := range v.segments {
		dead := 0
		for i, r := range s.runs {
			if !alive(r.session) {
				dead += s.end(i) - r.first
			}
		}
		if dead > s.docs/2 {
			return []*segment{s}
		}
	}
	return due(v.segments)
}

// index makes a segment of as much as one may have.
func (x *Index) index(ctx context.Context, s *store, v *view, todo []part, texts []Text) error {
	lexer := x.lexers.Get().(*lexer)
	defer x.lexers.Put(lexer)
	b := newBatch(lexer)
	var taken []part // of which the new size is that of the text
	for _, p := range todo {
		if b.size >= batchSize || ctx.Err() != nil {
			break
		}
		text, err := x.read(p.Text, p.from, batchSize-b.size)
		if err != nil {
			// It has gone, or will be made again: then that is told.
			x.opts.Log.Debug("a transcript is not indexed", "session", p.Session, "error", err)
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
	if err := v.forget(ctx, tx, texts); err != nil {
		return err
	}
	ids := make([]int64, len(taken))
	for i, p := range taken {
		if ids[i], err = v.note(ctx, tx, p); err != nil {
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

var errUnreadable = errors.New("none of the transcripts can be read")

// forget takes the texts out that are no more, or others now.
func (v *view) forget(ctx context.Context, tx *sql.Tx, texts []Text) error {
	counts := v.alive(texts)
	for _, have := range v.sessions {
		if !counts(have.id) {
			if _, err := tx.ExecContext(ctx, "DELETE FROM sessions WHERE id = ?", have.id); err != nil {
				return err
			}
		}
	}
	return nil
}

// note notes how far a text is in the index.
func (v *view) note(ctx context.Context, tx *sql.Tx, p part) (id int64, err error) {
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

// read reads a text from an offset, no more than about limit, to the end of a
// block, or where there are none, of a line.
func (x *Index) read(t Text, from, limit int64) ([]byte, error) {
	f, err := x.opts.Library.Open(t)
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

// wholeLines is a text without the beginning of a line at its end, if that is
// not all there is; and without the beginning of a character.
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
