package fulltext

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"slices"
)

// errMoved reports that another process has changed the index meanwhile.
var errMoved = errors.New("the index has changed meanwhile")

// begin begins a transaction that changes the index if it still has the given
// version.
func (s *store) begin(ctx context.Context, at int64) (*sql.Tx, error) {
	tx, err := s.writer.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	// The first statement writes, so that no other process does until the end.
	done, err := tx.ExecContext(ctx, "UPDATE state SET version = version + 1 WHERE version = ?", at)
	if err == nil {
		if n, _ := done.RowsAffected(); n == 0 {
			err = errMoved
		}
	}
	if err != nil {
		_ = tx.Rollback()
		return nil, err
	}
	return tx, nil
}

// segmentWriter writes the rows of a new segment.
type segmentWriter struct {
	ctx    context.Context
	tx     *sql.Tx
	insert *sql.Stmt
	first  int64
	names  []string
}

func newSegmentWriter(ctx context.Context, tx *sql.Tx) (*segmentWriter, error) {
	w := &segmentWriter{ctx: ctx, tx: tx}
	if err := tx.QueryRowContext(ctx, "SELECT coalesce(max(id), 0) + 1 FROM rows").Scan(&w.first); err != nil {
		return nil, err
	}
	var err error
	w.insert, err = tx.PrepareContext(ctx, "INSERT INTO rows(id, data) VALUES (?, ?)")
	return w, err
}

func (w *segmentWriter) write(r *row) error {
	_, err := w.insert.ExecContext(w.ctx, w.first+int64(len(w.names)), r.data)
	w.names = append(w.names, r.first)
	return err
}

func (w *segmentWriter) finish(t *table, text int64) error {
	if err := w.insert.Close(); err != nil || t.docs == 0 {
		return err
	}
	_, err := w.tx.ExecContext(w.ctx, "INSERT INTO segments(text, first_row, rows, names, pieces) VALUES (?, ?, ?, ?, ?)",
		text, w.first, len(w.names), marshalNames(w.names), t.marshal())
	return err
}

// Segments are merged when there are mergeCount of them in a class; the next class
// has mergeCount times the text. Segments of maxMerged bytes stay as they are, so
// that a merge writes a limited amount.
const (
	mergeCount = 8
	maxMerged  = 256 << 20 // bytes of text
)

// classOf returns the class of a segment by the length of its text.
func classOf(text int64) (class int) {
	for size := int64(batchSize) / 2; text >= size*mergeCount; size *= mergeCount {
		class++
	}
	return class
}

// sameClass returns mergeCount segments of one class; nil if there are not as many.
func sameClass(all map[int64]*segment) []*segment {
	classes := make(map[int][]*segment)
	for _, s := range all {
		if s.text < maxMerged {
			classes[classOf(s.text)] = append(classes[classOf(s.text)], s)
		}
	}
	for class := 0; class < 32; class++ {
		if list := classes[class]; len(list) >= mergeCount {
			slices.SortFunc(list, func(a, b *segment) int { return int(a.id - b.id) })
			return list[:mergeCount]
		}
	}
	return nil
}

// merge writes several segments as one, without the pieces of sessions that are
// gone. Those are removed: if they come back, they count as new.
func (s *store) merge(ctx context.Context, v *view, old []*segment, texts []Text) error {
	tx, err := s.begin(ctx, v.version)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	if err := v.dropStale(ctx, tx, texts); err != nil {
		return err
	}
	alive := v.liveSessions(texts)
	w, err := newSegmentWriter(ctx, tx)
	if err != nil {
		return err
	}
	var t table
	var text int64
	sources := make([]*rowSource, len(old))
	for i, seg := range old {
		sources[i] = &rowSource{ctx: ctx, tx: tx, segment: seg, numbers: t.appendLive(seg.table, alive)}
		text += seg.text
		if err := sources[i].advance(); err != nil {
			return err
		}
	}
	if err := mergeRows(sources, w.write); err != nil {
		return err
	}
	if err := w.finish(&t, text); err != nil {
		return err
	}
	for _, seg := range old {
		if err := dropSegment(ctx, tx, seg); err != nil {
			return err
		}
	}
	return tx.Commit()
}

func dropSegment(ctx context.Context, tx *sql.Tx, seg *segment) error {
	if _, err := tx.ExecContext(ctx, "DELETE FROM rows WHERE id >= ? AND id < ?", seg.firstRow, seg.firstRow+seg.rows); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, "DELETE FROM segments WHERE id = ?", seg.id)
	return err
}

// dropped stands for the new number of a piece that is left out.
const dropped = ^uint32(0)

// appendLive adds the pieces of another table whose session is live, and returns
// their new numbers.
func (t *table) appendLive(from *table, alive func(session int64) bool) []uint32 {
	numbers := make([]uint32, from.docs)
	for i, r := range from.runs {
		end := from.endOfRun(i)
		if !alive(r.session) {
			for doc := r.first; doc < end; doc++ {
				numbers[doc] = dropped
			}
			continue
		}
		sizes := len(from.sizes)
		if i+1 < len(from.runs) {
			sizes = from.runs[i+1].sizes
		}
		t.begin(r.session, r.offset)
		t.sizes = append(t.sizes, from.sizes[r.sizes:sizes]...)
		t.lengths = append(t.lengths, from.lengths[r.first:end]...)
		for doc := r.first; doc < end; doc++ {
			numbers[doc] = uint32(t.docs)
			t.docs++
			t.words += int64(unpackLength(from.lengths[doc]))
		}
	}
	return numbers
}

// rowSource reads the entries of a segment, one after the other.
type rowSource struct {
	ctx     context.Context
	tx      *sql.Tx
	segment *segment
	numbers []uint32
	row     int64
	reader  rowReader
	entry   entry
	ended   bool
}

func (s *rowSource) advance() error {
	for {
		e, ok, err := s.reader.next()
		if err != nil || ok {
			s.entry = e
			return err
		}
		if s.row == s.segment.rows {
			s.ended = true
			return nil
		}
		s.reader = rowReader{}
		if err := s.tx.QueryRowContext(s.ctx, "SELECT data FROM rows WHERE id = ?", s.segment.firstRow+s.row).Scan(&s.reader.data); err != nil {
			return err
		}
		s.row++
	}
}

// mergeRows merges the entries of all sources into rows.
func mergeRows(sources []*rowSource, write func(*row) error) error {
	var r row
	var least []byte
	for {
		least = least[:0]
		some := false
		for _, s := range sources {
			if !s.ended && (!some || bytes.Compare(s.entry.term, least) < 0) {
				least, some = append(least[:0], s.entry.term...), true
			}
		}
		if !some {
			break
		}
		var p postings
		for _, s := range sources {
			if s.ended || !bytes.Equal(s.entry.term, least) {
				continue
			}
			err := eachPosting(s.entry.text, s.segment.docs, func(doc, often uint32) {
				if n := s.numbers[doc]; n != dropped {
					p.add(n, often)
				}
			})
			if err == nil {
				err = s.advance()
			}
			if err != nil {
				return err
			}
		}
		if p.count == 0 {
			continue
		}
		r.add(entry{term: least, count: p.count, text: p.text})
		if len(r.data) >= rowSize {
			if err := write(&r); err != nil {
				return err
			}
			r.data = r.data[:0]
		}
	}
	if len(r.data) == 0 {
		return nil
	}
	return write(&r)
}
