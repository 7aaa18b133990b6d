package fulltext

import (
	"context"
	"database/sql"
	"slices"
	"strings"

	"ctxfs/providers/internal/words"
)

const (
	// maxMisspelt is of how many words that nobody used it is asked what was meant.
	maxMisspelt = 4
	// misspeltWeight is that of the word that was meant.
	misspeltWeight = 0.5
)

// misspelling is a word of a query that nobody used.
type misspelling struct {
	words.Misspelt
	term    int            // of the query
	begins  []string       // what was meant begins with one of these
	nearest map[string]int // those with the fewest wrong letters, how often each
}

func (m *misspelling) compare(term string, often int) {
	if numbered(term) || !slices.ContainsFunc(m.begins, func(b string) bool { return strings.HasPrefix(term, b) }) {
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

// numbered tells whether there are digits in a word: one of them makes another
// id or number of it, and no misspelling.
func numbered(word string) bool { return strings.ContainsAny(word, "0123456789") }

// meant is the most frequent of those.
func (m *misspelling) meant() (best string) {
	for term, often := range m.nearest {
		if n := m.nearest[best]; often > n || often == n && term < best {
			best = term
		}
	}
	return best
}

// mend puts words that are used in the place of misspelt ones that nobody used,
// and tells whether there are any.
func (x *Index) mend(ctx context.Context, lexer *lexer, terms []wanted, found lookup, texts []Text) (mended []wanted, some bool) {
	var all []*misspelling
	for i, t := range terms {
		m := &misspelling{Misspelt: words.NewMisspelt(t.word), term: i, nearest: make(map[string]int)}
		if t.pieces == 0 && !t.joined && m.Limit > 0 && !numbered(t.word) && len(all) < maxMisspelt {
			m.begins = m.Beginnings(2)
			all = append(all, m)
		}
	}
	if len(all) == 0 {
		return terms, false
	}
	// What cannot be read now is no guess.
	_ = x.known(ctx, found.view, all)
	compare := func(terms []string) {
		for _, term := range terms {
			for _, m := range all {
				m.compare(term, 1)
			}
		}
	}
	_, _ = x.unindexed(ctx, found.view, texts, func(t Text, from int64, text []byte) {
		lexer.each(t.titleAt(from), compare)
		lexer.each(text, compare)
	})
	mended = slices.Clone(terms)
	for _, m := range all {
		if best := m.meant(); best != "" {
			mended[m.term].text, mended[m.term].weight = best, misspeltWeight
			some = true
		}
	}
	// A word may be there twice by now.
	seen := make(map[string]bool)
	mended = slices.DeleteFunc(mended, func(t wanted) bool {
		again := seen[t.text]
		seen[t.text] = true
		return again
	})
	return mended, some
}

// known compares misspellings with the terms of the index.
func (x *Index) known(ctx context.Context, v *view, all []*misspelling) error {
	if v == nil {
		return nil
	}
	return x.reading(ctx, func(tx *sql.Tx, v *view) error {
		for _, seg := range v.segments {
			for _, m := range all {
				for _, begin := range m.begins {
					if err := seg.begun(ctx, tx, begin, func(e entry) { m.compare(string(e.term), e.count) }); err != nil {
						return err
					}
				}
			}
		}
		return nil
	})
}
