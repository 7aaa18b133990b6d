package fulltext

import (
	"cmp"
	"context"
	"database/sql"
	"slices"

	"ctxfs/providers/internal/words"
)

// Query says what to search for.
type Query struct {
	Words string
	// Limit is the largest number of hits.
	Limit int
	// Only leaves out texts; may be nil.
	Only func(Text) bool
	// Also are further texts with their Body. They are never indexed.
	Also []Text
}

// Result is what was found.
type Result struct {
	Hits []Hit // the best first
	// Left is how much of the texts was not searched, in bytes: it is not indexed
	// yet, and more than is read for one query.
	Left int64
	// Shares says of each word of the query in how many of all pieces of text it is,
	// from 0 to 1, by its stem; nil if there is no text. Guessed are those that no
	// text has and that were respelled.
	Shares  map[string]float64
	Guessed map[string]bool
}

// MaxScanned is how much unindexed text a query usually searches, in bytes.
const MaxScanned = 32 << 20

// candidate is a piece that may be a hit.
type candidate struct {
	text              Text
	block, start, end int64
	score             float64
}

// Search returns the pieces of text that have the words of a query, the best first.
// It finds everything that is published, and takes some milliseconds for a
// gigabyte of indexed text.
func (x *Index) Search(ctx context.Context, q Query) (Result, error) {
	terms := parseQuery(q.Words)
	if len(terms) == 0 || q.Limit <= 0 {
		return Result{}, nil
	}
	var texts []Text
	for _, t := range append(q.Also, x.opts.Library.Texts()...) {
		if q.Only == nil || q.Only(t) {
			texts = append(texts, t)
		}
	}
	lexer := x.lexers.Get().(*lexer)
	defer x.lexers.Put(lexer)
	found, s, left, err := x.gather(ctx, lexer, terms, texts)
	if err != nil {
		return Result{}, err
	}
	shares := sharesOf(terms, found.pieces+s.pieces)
	var guessed map[string]bool
	if mended, some := x.respell(ctx, lexer, terms, found, texts); some {
		guessed = respelled(mended)
		terms = mended
		if found, s, left, err = x.gather(ctx, lexer, terms, texts); err != nil {
			return Result{}, err
		}
	}
	pieces := found.pieces + s.pieces
	weighTerms(terms, pieces)
	average := max(1, float64(found.words+s.words)/float64(max(1, pieces)))
	candidates := append(found.rank(terms, average, texts), s.rank(terms, average)...)
	slices.SortFunc(candidates, compareCandidates)
	if len(candidates) > maxRead {
		candidates = candidates[:maxRead]
	}
	hits, err := x.rank(ctx, lexer, terms, candidates)
	if err != nil {
		return Result{}, err
	}
	return Result{Hits: chooseHits(hits, q.Limit), Left: left, Shares: shares, Guessed: guessed}, nil
}

// sharesOf returns in how many of all pieces each word of a query is.
func sharesOf(terms []queryTerm, pieces int) map[string]float64 {
	if pieces == 0 {
		return nil
	}
	shares := make(map[string]float64, len(terms))
	for _, t := range terms {
		shares[t.text] = float64(t.pieces) / float64(pieces)
	}
	return shares
}

// respelled returns the words in whose place others are looked up.
func respelled(terms []queryTerm) map[string]bool {
	guessed := make(map[string]bool)
	for _, t := range terms {
		if stem := words.Stem(t.word); stem != t.text {
			guessed[stem] = true
		}
	}
	return guessed
}

// gather looks terms up and searches what is not indexed; it counts the pieces
// that have them, and returns how many bytes of text were left out.
func (x *Index) gather(ctx context.Context, lexer *lexer, terms []queryTerm, texts []Text) (found lookup, s scan, left int64, err error) {
	found, err = x.lookup(ctx, terms)
	if err != nil && ctx.Err() == nil {
		// The worker rebuilds the index; until then the texts are read.
		x.opts.Log.Debug("the full-text index cannot be read", "error", err)
		if damaged(err) {
			x.broken.Store(true)
			x.Changed()
		}
		found = lookup{}
	}
	if err := ctx.Err(); err != nil {
		return found, s, 0, err
	}
	s = scan{index: x, terms: terms, lexer: lexer, economy: x.economy()}
	left, err = x.unindexed(ctx, found.view, texts, s.add)
	for i := range terms {
		terms[i].pieces = found.counts[i] + s.counts[i]
	}
	return found, s, left, err
}

// maxRead is the number of candidates whose text is read.
const maxRead = 100

// compareCandidates orders candidates by score, then by the newer session, then by
// the later piece.
func compareCandidates(a, b candidate) int {
	return cmp.Or(cmp.Compare(b.score, a.score), b.text.Time.Compare(a.text.Time),
		cmp.Compare(a.text.Session, b.text.Session), cmp.Compare(b.start, a.start))
}

// lookup holds what the index has for a query.
type lookup struct {
	view    *view
	counts  [maxTerms]int
	pieces  int
	words   int64
	entries []segmentEntries
}

// segmentEntries are the postings of the terms of a query in one segment.
type segmentEntries struct {
	*segment
	postings [maxTerms][]byte
}

// lookup reads the postings of terms.
func (x *Index) lookup(ctx context.Context, terms []queryTerm) (found lookup, err error) {
	err = x.readTx(ctx, func(tx *sql.Tx, v *view) error {
		found.view = v
		for _, seg := range v.segments {
			one := segmentEntries{segment: seg}
			for i, term := range terms {
				find := seg.find
				if term.prefix {
					find = seg.prefixEntry
				}
				e, err := find(ctx, tx, term.text)
				if err != nil {
					return err
				}
				found.counts[i] += e.count
				one.postings[i] = e.text
			}
			found.pieces += seg.docs
			found.words += seg.words
			found.entries = append(found.entries, one)
		}
		return nil
	})
	return found, err
}

// readTx calls do in a transaction that reads the index, if there is one.
func (x *Index) readTx(ctx context.Context, do func(tx *sql.Tx, v *view) error) error {
	s, done, err := x.openedStore(false)
	defer done()
	if err != nil || s == nil {
		return err
	}
	tx, err := s.reads.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	v, err := x.viewOf(ctx, tx)
	if err != nil {
		return err
	}
	return do(tx, v)
}

// rank returns the pieces of the index with the highest scores.
func (l *lookup) rank(terms []queryTerm, average float64, texts []Text) (best []candidate) {
	byID := make(map[int64]*Text, len(texts))
	for i, t := range texts {
		if l.view.indexedSize(t) > 0 {
			byID[l.view.sessions[t.Session].id] = &texts[i]
		}
	}
	var top topList
	var scores []float32 // by piece of a segment
	for i := range l.entries {
		e := &l.entries[i]
		if cap(scores) < e.docs {
			scores = make([]float32, e.docs)
		}
		scores = scores[:e.docs]
		clear(scores)
		e.rank(terms, average, byID, scores, &top)
	}
	for _, c := range top.list {
		_, block, start, end := c.segment.locate(c.doc)
		best = append(best, candidate{text: *c.text, block: block, start: start, end: end, score: float64(c.score)})
	}
	return best
}

// rank adds the best pieces of a segment to the list.
func (e *segmentEntries) rank(terms []queryTerm, average float64, byID map[int64]*Text, scores []float32, top *topList) {
	var byLength [256]float64 // the weight of each length
	for i := range byLength {
		byLength[i] = saturation * (1 - lengthPart + lengthPart*float64(unpackLength(byte(i)))/average)
	}
	for i, term := range terms {
		rarity := term.rarity * (saturation + 1)
		var once [256]float32 // of pieces that have the word once
		for i := range once {
			once[i] = float32(rarity / (1 + byLength[i]))
		}
		// Postings that were damaged since they were looked up are left out.
		_ = eachPosting(e.postings[i], e.docs, func(doc, often uint32) {
			length := e.lengths[doc]
			if often == 1 {
				scores[doc] += once[length]
				return
			}
			n := float64(often)
			scores[doc] += float32(rarity * n / (n + byLength[length]))
		})
	}
	for i, r := range e.runs {
		text := byID[r.session]
		if text == nil {
			continue
		}
		for doc := r.first; doc < e.endOfRun(i); doc++ {
			if scores[doc] > top.least {
				top.add(rankedPiece{scores[doc], text, e.segment, doc})
			}
		}
	}
}

type rankedPiece struct {
	score   float32
	text    *Text
	segment *segment
	doc     int
}

// topList collects the best of many.
type topList struct {
	list  []rankedPiece
	least float32 // a piece must be above it to be among the best
}

func (t *topList) add(r rankedPiece) {
	t.list = append(t.list, r)
	if len(t.list) < 4*maxRead {
		return
	}
	slices.SortFunc(t.list, func(a, b rankedPiece) int {
		return cmp.Or(cmp.Compare(b.score, a.score), b.text.Time.Compare(a.text.Time), cmp.Compare(a.text.Session, b.text.Session), cmp.Compare(b.doc, a.doc))
	})
	t.list = t.list[:2*maxRead]
	t.least = t.list[len(t.list)-1].score
}
