package fulltext

import (
	"context"
	"database/sql"
	"slices"
	"strings"

	"ctxfs/providers/internal/words"
)

const (
	// maxMisspelt is how many words of a query are respelled.
	maxMisspelt = 4
	// misspeltWeight is the weight of the word in their place.
	misspeltWeight = 0.5
)

// misspelling is a word of a query that no text has.
type misspelling struct {
	words.Misspelt
	term     int            // of the query
	prefixes []string       // prefixes that the intended word may have
	nearest  map[string]int // those with the fewest wrong letters, how often each
}

func (m *misspelling) compare(term string, often int) {
	if hasDigits(term) || !slices.ContainsFunc(m.prefixes, func(b string) bool { return strings.HasPrefix(term, b) }) {
		return
	}
	least := m.Distance(term, m.Limit)
	if least < m.Limit {
		m.Limit = least
		clear(m.nearest)
	}
	if least == m.Limit {
		m.nearest[term] += often
	}
}

// hasDigits reports whether a word has digits: with another digit it is another id
// or number, not a misspelling.
func hasDigits(word string) bool { return strings.ContainsAny(word, "0123456789") }

// likeliest returns the most frequent of the nearest words, or "".
func (m *misspelling) likeliest() (best string) {
	for term, often := range m.nearest {
		if n := m.nearest[best]; often > n || often == n && term < best {
			best = term
		}
	}
	return best
}

// respell replaces words that no text has with the indexed words that were probably
// meant, and reports whether there were any.
func (x *Index) respell(ctx context.Context, lexer *lexer, terms []queryTerm, found lookup, texts []Text) (mended []queryTerm, some bool) {
	var all []*misspelling
	for i, t := range terms {
		m := &misspelling{Misspelt: words.NewMisspelt(t.word), term: i, nearest: make(map[string]int)}
		if t.pieces == 0 && !t.joined && m.Limit > 0 && !hasDigits(t.word) && len(all) < maxMisspelt {
			m.prefixes = m.Beginnings(2)
			all = append(all, m)
		}
	}
	if len(all) == 0 {
		return terms, false
	}
	// Where the index cannot be read, nothing is suggested from it.
	_ = x.compareIndexed(ctx, found.view, all)
	compare := func(terms []string) {
		for _, term := range terms {
			for _, m := range all {
				m.compare(term, 1)
			}
		}
	}
	economy := x.economy()
	_, _ = x.unindexed(ctx, found.view, texts, func(t Text, from int64, text []byte) {
		lexer.each(t.titleAt(from), compare)
		economy.each(lexer, text, compare)
	})
	mended = slices.Clone(terms)
	for _, m := range all {
		if best := m.likeliest(); best != "" {
			mended[m.term].text, mended[m.term].weight = best, misspeltWeight
			some = true
		}
	}
	// Two words may have become the same.
	seen := make(map[string]bool)
	mended = slices.DeleteFunc(mended, func(t queryTerm) bool {
		again := seen[t.text]
		seen[t.text] = true
		return again
	})
	return mended, some
}

// compareIndexed compares misspellings with the terms of the index.
func (x *Index) compareIndexed(ctx context.Context, v *view, all []*misspelling) error {
	if v == nil {
		return nil
	}
	return x.readTx(ctx, func(tx *sql.Tx, v *view) error {
		for _, seg := range v.segments {
			for _, m := range all {
				for _, begin := range m.prefixes {
					if err := seg.withPrefix(ctx, tx, begin, func(e entry) { m.compare(string(e.term), e.count) }); err != nil {
						return err
					}
				}
			}
		}
		return nil
	})
}
