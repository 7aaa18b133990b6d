package fulltext

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

// FuzzSearch: with any text and any query, a hit has one of the query's words.
func FuzzSearch(f *testing.F) {
	f.Add("the zebra crosses", "zebra", true)
	f.Add("createIssue\n### [a/00001] x", "create_issue 天気", false)
	f.Add("天気予報 \xff\xfe ﬁle É", "予報 file", true)
	s := newShelf()
	x := reopen(f, filepath.Join(f.TempDir(), "x.db"), s)
	f.Fuzz(func(t *testing.T, text, query string, heading bool) {
		s.remove("a")
		if heading {
			s.say("a", text, query)
		} else {
			s.say("a", "x")
			s.texts["a"].body = append(s.texts["a"].body, text...)
			s.texts["a"].Size = int64(len(s.texts["a"].body))
		}
		r, err := x.Search(t.Context(), Query{Words: query, Limit: 5})
		fstest.Must(t, err)
		for _, h := range r.Hits {
			if len(h.Line) > lineLength || strings.ContainsAny(h.Line, "\n\x00\x1b") {
				t.Errorf("%q", h.Line)
			}
		}
		// Pieces are the text, and words are found where they stand.
		body, at := s.texts["a"].body, 0
		cutPieces(body, func(p piece) {
			if p.start != at || p.end <= p.start {
				t.Fatalf("a piece from %d to %d after %d", p.start, p.end, at)
			}
			at = p.end
		})
		if at != len(body) {
			t.Fatalf("%d of %d bytes", at, len(body))
		}
	})
}

// FuzzBatch: what is written into a segment is read from it.
func FuzzBatch(f *testing.F) {
	f.Add("the zebra crosses\n\n### [a/00001] - user\nthe lion", "zebra")
	f.Fuzz(func(t *testing.T, a, b string) {
		batch := newBatch(new(Index), newLexer())
		batch.add(3, Text{}, 0, []byte(a))
		batch.add(900, Text{}, 1<<40, []byte(b))
		table, err := unmarshalTable(batch.table.marshal())
		fstest.Must(t, err)
		if table.docs != batch.table.docs || len(table.runs) > 2 {
			t.Fatalf("%+v", table)
		}
		for doc := range table.docs {
			r, block, start, end := table.locate(doc)
			text := []byte(a)
			if r.session == 900 {
				text, start, end, block = []byte(b), start-1<<40, end-1<<40, block-1<<40
			}
			if block < 0 || block > start || start >= end || end > int64(len(text)) {
				t.Fatalf("%d: %d %d %d", doc, block, start, end)
			}
		}
		last := []byte(nil)
		fstest.Must(t, batch.rows(func(r *row) error {
			reader := rowReader{data: r.data}
			for {
				e, ok, err := reader.next()
				if err != nil || !ok {
					return err
				}
				if bytes.Compare(e.term, last) <= 0 {
					t.Errorf("%q after %q", e.term, last)
				}
				last = append(last[:0], e.term...)
				n := 0
				fstest.Must(t, eachPosting(e.text, table.docs, func(doc, often uint32) { n++ }))
				if n != e.count || n == 0 {
					t.Errorf("%q: %d postings, not %d", e.term, n, e.count)
				}
			}
		}))
	})
}

// FuzzDamage: any content of the database is read to its end or refused.
func FuzzDamage(f *testing.F) {
	b := newBatch(new(Index), newLexer())
	b.add(1, Text{}, 0, []byte("the zebra crosses\n\n### [a/00001] - user\nthe lion, the lion"))
	f.Add(b.table.marshal())
	fstest.Must(f, b.rows(func(r *row) error { f.Add(bytes.Clone(r.data)); return nil }))
	f.Add(marshalNames([]string{"a", "zebra"}))
	f.Fuzz(func(t *testing.T, text []byte) {
		if table, err := unmarshalTable(text); err == nil {
			for doc := range table.docs {
				table.locate(doc)
			}
		}
		_, _ = unmarshalNames(text)
		_ = eachPosting(text, 1000, func(doc, _ uint32) {
			if doc >= 1000 {
				t.Error(doc)
			}
		})
		r := rowReader{data: bytes.Clone(text)}
		for {
			if _, ok, err := r.next(); err != nil || !ok {
				break
			}
		}
	})
}

func TestLengths(t *testing.T) {
	for n := range 5000 {
		if got := unpackLength(packLength(n)); got > n || n-got > n/8 {
			t.Errorf("%d becomes %d", n, got)
		}
	}
	if got := unpackLength(packLength(1 << 30)); got < 1<<27 {
		t.Error(got)
	}
}
