package fulltext

import (
	"bytes"
	"hash/maphash"
	"time"
)

// Section is a part of a text that is found as one, such as a command with what it
// printed. Offsets are those of the text.
type Section struct {
	Start, End int64
	// Number is that of its hits.
	Number int
	// Name has further words that find the section.
	Name string
	// Time is when it was written; zero if that is not known.
	Time time.Time
}

// Sectioned is a [Library] of texts that consist of sections: of lines as programs
// print them, which have no blocks, repeat a lot, and have many ids and numbers. To
// keep their index small it lacks some words, which are found only as long as their
// text is not indexed:
//
//   - lines that repeat one of the latest maxRepeat different lines of their section,
//   - words with a digit that are longer than longestID,
//   - of each piece, words with a digit beyond the first different ones of their class:
//     maxShort numbers of at most three digits, maxNumbers longer ones and maxIDs
//     others.
type Sectioned interface {
	Library
	// Sections returns the sections that overlap a range of a text, in order and
	// without gaps. What it returns for a range may change; hits are made by the
	// sections at the time of the search.
	Sections(t Text, from, to int64) []Section
}

const (
	maxRepeat  = 256
	longestID  = 20
	maxShort   = 48
	maxNumbers = 64
	maxIDs     = 24
)

// cut calls yield with the pieces of a part of a text that begins at an offset, each
// with what can be found of it.
func (x *Index) cut(t Text, offset int64, text []byte, yield func(p piece, name, body []byte)) {
	if x.sectioned == nil {
		cutPieces(text, func(p piece) {
			name, body := searchable(t, offset+int64(p.start), text[p.start:p.end])
			yield(p, name, body)
		})
		return
	}
	for _, s := range x.sectioned.Sections(t, offset, offset+int64(len(text))) {
		start, end := max(0, int(s.Start-offset)), min(len(text), int(s.End-offset))
		for inner := false; start < end; inner = true {
			p := piece{start, endOfPiece(text, start, end), inner}
			name := ""
			if offset+int64(p.end) == s.End {
				name = s.Name // once, where its outcome is
			}
			yield(p, []byte(name), text[p.start:p.end])
			start = p.end
		}
	}
}

// namedLine is how much a word counts for the choice of a line if it is in the name.
const namedLine = 0.3

// sectionHits returns the hits in a candidate of a sectioned library: one for each
// section that has any of the words.
func (x *Index) sectionHits(l *lexer, f File, terms []queryTerm, c candidate, seed maphash.Seed) (hits []Hit) {
	text := make([]byte, c.end-c.start)
	if n, _ := f.ReadAt(text, c.start); n < len(text) {
		return nil
	}
	for _, s := range x.sectioned.Sections(c.text, c.start, c.end) {
		from, to := max(s.Start, c.start), min(s.End, c.end)
		if from >= to {
			continue
		}
		body := text[from-c.start : to-c.start]
		m := l.fitOf(terms, []byte(s.Name), body)
		if m.covered == 0 {
			continue
		}
		h := Hit{
			Text: c.text, Number: s.Number, Offset: s.Start, section: s.Start, At: -1, Time: s.Time, Name: s.Name,
			Score: c.score * (1 - coverPart + coverPart*m.covered) * (1 + besideMore*m.beside),
			Words: m.words, Together: m.beside,
			body: maphash.Bytes(seed, body),
		}
		if c.text.Body != nil {
			h.body++ // what the library has is no duplicate of it
		}
		m.telling(terms, m.inName)
		if best := m.best(terms, m.inName, namedLine, c.text.Body != nil); best != nil {
			m.telling(terms, best.has)
			h.At, h.Line = from+int64(best.start), best.text(body)
			if more := m.best(terms, m.inName|best.has, 0, false); more != nil {
				h.Further = more.text(body)
			}
		}
		hits = append(hits, h)
	}
	return hits
}

// economy decides which words of a sectioned text are indexed; nil leaves out nothing.
type economy struct {
	seed   maphash.Seed
	lines  map[uint64]bool // the latest
	latest [maxRepeat]uint64
	next   int
	ids    [3]map[string]bool // of the piece: short numbers, longer ones, others
}

// economy returns a new economy; nil if the library is not Sectioned.
func (x *Index) economy() *economy {
	if x.sectioned == nil {
		return nil
	}
	e := &economy{seed: maphash.MakeSeed(), lines: make(map[uint64]bool)}
	for i := range e.ids {
		e.ids[i] = make(map[string]bool)
	}
	return e
}

func (e *economy) begin(p piece) {
	if e == nil {
		return
	}
	for _, ids := range e.ids {
		clear(ids)
	}
	if !p.inner {
		clear(e.lines)
		e.latest, e.next = [maxRepeat]uint64{}, 0
	}
}

// each is lexer.each without the lines that repeat an earlier one.
func (e *economy) each(l *lexer, text []byte, yield func(terms []string)) {
	if e == nil {
		l.each(text, yield)
		return
	}
	for len(text) > 0 {
		line := text
		if i := bytes.IndexByte(text, '\n'); i >= 0 {
			line = text[:i+1]
		}
		text = text[len(line):]
		sum := maphash.Bytes(e.seed, line)
		if e.lines[sum] {
			continue
		}
		delete(e.lines, e.latest[e.next])
		e.latest[e.next], e.lines[sum] = sum, true
		e.next = (e.next + 1) % maxRepeat
		l.each(line, yield)
	}
}

// leavesOut reports whether a term is not indexed.
func (e *economy) leavesOut(term string) bool {
	if e == nil {
		return false
	}
	digits := 0
	for i := range len(term) {
		if '0' <= term[i] && term[i] <= '9' {
			digits++
		}
	}
	class, most := 2, maxIDs
	switch {
	case digits == 0:
		return false
	case len(term) > longestID:
		return true
	case digits == len(term) && digits <= 3:
		class, most = 0, maxShort
	case digits == len(term):
		class, most = 1, maxNumbers
	}
	ids := e.ids[class]
	if len(ids) < most {
		ids[term] = true
	}
	return !ids[term]
}
