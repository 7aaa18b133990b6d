package fulltext

import (
	"encoding/binary"
	"maps"
	"slices"
)

// batch collects the pieces and terms that become a segment.
type batch struct {
	index   *Index
	lexer   *lexer
	economy *economy // of sectioned texts; else nil
	terms   map[string]*term
	table   table
	size    int64 // bytes of text
}

// term is a word on its way into a segment.
type term struct {
	postings
	doc, often uint32 // not added yet, where often is not 0
}

func newBatch(x *Index, l *lexer) *batch {
	return &batch{index: x, lexer: l, economy: x.economy(), terms: make(map[string]*term)}
}

// add adds the pieces of a part of a text that begins at an offset.
func (b *batch) add(session int64, t Text, offset int64, text []byte) {
	b.table.begin(session, offset)
	b.index.cut(t, offset, text, func(p piece, name, body []byte) {
		doc := uint32(b.table.docs)
		length := 0
		count := func(terms []string) {
			length++
			for _, text := range terms {
				if !b.economy.leavesOut(text) {
					b.count(text, doc)
				}
			}
		}
		b.lexer.each(name, count)
		b.economy.begin(p)
		b.economy.each(b.lexer, body, count)
		b.table.add(p.end-p.start, p.inner, length)
	})
	b.size += int64(len(text))
}

func (b *batch) count(text string, doc uint32) {
	t := b.terms[text]
	if t == nil {
		t = new(term)
		b.terms[text] = t
	}
	if t.often > 0 && t.doc != doc {
		t.postings.add(t.doc, t.often)
		t.often = 0
	}
	t.doc = doc
	t.often++
}

// rows calls yield with the rows of the segment, in order.
func (b *batch) rows(yield func(*row) error) error {
	var r row
	for _, text := range slices.Sorted(maps.Keys(b.terms)) {
		t := b.terms[text]
		t.postings.add(t.doc, t.often)
		t.often = 0
		r.add(entry{term: []byte(text), count: t.count, text: t.text})
		if len(r.data) >= rowSize {
			if err := yield(&r); err != nil {
				return err
			}
			r.data = r.data[:0]
		}
	}
	if len(r.data) == 0 {
		return nil
	}
	return yield(&r)
}

// rowSize is the least length of a row but for the last, in bytes.
const rowSize = 8 << 10

// table locates the pieces of a segment.
type table struct {
	docs  int
	words int64 // in all of them
	// runs are the pieces of one session that follow each other.
	runs []run
	// sizes are the lengths of the pieces: twice the bytes, plus one for a piece
	// that continues the block of the one before.
	sizes []byte
	// lengths are the numbers of words, roughly: see packLength.
	lengths []byte
}

type run struct {
	session int64
	offset  int64 // of the first piece, in the transcript
	first   int   // number of that piece
	sizes   int   // where its size stands
}

func (t *table) begin(session, offset int64) {
	if n := len(t.runs); n > 0 && t.runs[n-1].first == t.docs {
		t.runs = t.runs[:n-1] // an empty one
	}
	t.runs = append(t.runs, run{session: session, offset: offset, first: t.docs, sizes: len(t.sizes)})
}

func (t *table) add(size int, inner bool, length int) {
	v := uint64(size) << 1
	if inner {
		v |= 1
	}
	t.sizes = binary.AppendUvarint(t.sizes, v)
	t.lengths = append(t.lengths, packLength(length))
	t.docs++
	t.words += int64(length)
}

// packLength packs a number of words into one byte: exact up to 15, and to an
// eighth above.
func packLength(n int) byte {
	shift := 0
	for n > 15 {
		n >>= 1
		shift++
	}
	if shift == 0 {
		return byte(n)
	}
	return byte(min(shift, 30)<<3 | n&7 + 8)
}

func unpackLength(b byte) int {
	if b < 16 {
		return int(b)
	}
	return (int(b)&7 + 8) << ((int(b) - 8) >> 3)
}

// marshal encodes a table.
func (t *table) marshal() []byte {
	out := binary.AppendUvarint(nil, uint64(t.docs))
	out = binary.AppendUvarint(out, uint64(t.words))
	out = binary.AppendUvarint(out, uint64(len(t.runs)))
	for i, r := range t.runs {
		out = binary.AppendUvarint(out, uint64(r.session))
		out = binary.AppendUvarint(out, uint64(r.offset))
		out = binary.AppendUvarint(out, uint64(t.endOfRun(i)-r.first))
	}
	out = append(out, t.sizes...)
	return append(out, t.lengths...)
}

// unmarshalTable decodes a table.
func unmarshalTable(text []byte) (*table, error) {
	ok := true
	number := func() uint64 {
		v, n := binary.Uvarint(text)
		if n <= 0 || v > 1<<62 {
			ok, text = false, nil
			return 0
		}
		text = text[n:]
		return v
	}
	t := &table{docs: int(number()), words: int64(number())}
	size := len(text)
	runs, docs := number(), 0
	if runs > uint64(size) {
		return nil, errDamaged
	}
	for range runs {
		r := run{session: int64(number()), offset: int64(number()), first: docs}
		docs += int(min(number(), uint64(size)))
		t.runs = append(t.runs, r)
		if !ok || docs > size {
			return nil, errDamaged
		}
	}
	if !ok || docs != t.docs || t.docs > len(text) {
		return nil, errDamaged
	}
	t.sizes, t.lengths = text[:len(text)-t.docs], text[len(text)-t.docs:]
	rest, doc := t.sizes, 0
	for i := range t.runs {
		t.runs[i].sizes = len(t.sizes) - len(rest)
		for end := t.endOfRun(i); doc < end; doc++ {
			v, n := binary.Uvarint(rest)
			if n <= 0 || v > 1<<40 {
				return nil, errDamaged
			}
			rest = rest[n:]
		}
	}
	if len(rest) > 0 {
		return nil, errDamaged
	}
	return t, nil
}

// endOfRun returns the number after the last piece of a run.
func (t *table) endOfRun(i int) int {
	if i+1 < len(t.runs) {
		return t.runs[i+1].first
	}
	return t.docs
}

// locate returns where a piece lies in the transcript, and where its block begins.
func (t *table) locate(doc int) (r run, block, start, end int64) {
	i, found := slices.BinarySearchFunc(t.runs, doc, func(r run, doc int) int { return r.first - doc })
	if !found {
		i--
	}
	r = t.runs[i]
	at, rest := r.offset, t.sizes[r.sizes:]
	for d := r.first; ; d++ {
		v, n := binary.Uvarint(rest)
		rest = rest[n:]
		if v&1 == 0 {
			block = at
		}
		if d == doc {
			return r, block, at, at + int64(v>>1)
		}
		at += int64(v >> 1)
	}
}
