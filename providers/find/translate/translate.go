// Package translate finds English words for those of texts in Chinese, so that wants in
// Chinese find tools that are described in English, and the other way round. It knows some
// thousand words that are used of tools; it does not translate texts.
//
// A text is cut into the fewest words that cover it; characters may be traditional or
// simplified.
package translate

import (
	"slices"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"ctxfs/providers/internal/words"
)

// Sense is what a word of a text means in English.
type Sense struct {
	// Of is the word, as [words.Split] has it: the pairs of characters that belong to it.
	Of []string
	// English has words for it, the best first.
	English []string
	// Share is how much of the word this is: less than 1 where English has two words
	// that belong together.
	Share float64
}

// Reading is what is known of a text in another language than English.
type Reading struct {
	Senses []Sense
	// Empty are those words of [words.Split] that have no meaning of their own: particles,
	// and pairs of characters of two different words.
	Empty map[string]bool
}

// What a piece of a text costs: the cheapest way to cut it is taken, which is that into the
// fewest and longest known words.
const (
	costWord    = 30
	costSingle  = 60 // a known character
	costUnknown = 100
)

// piece is a part of a text.
type piece struct {
	start, end int // in runes
	means      []meaning
	known      bool
}

// Read returns what is known of a text: nothing if it is English. It takes a microsecond or
// so for each word.
func Read(text string) (r Reading) {
	if words.ASCII(text) {
		return r
	}
	var pieces [][]piece
	var runs [][]rune
	content := false
	runes := []rune(norm.NFKC.String(text))
	for i := 0; i < len(runes); {
		if !words.Spaceless(runes[i]) {
			content = content || unicode.IsLetter(runes[i])
			i++
			continue
		}
		start := i
		for i < len(runes) && words.Spaceless(runes[i]) {
			i++
		}
		run := runes[start:i]
		cut := load().cut(run)
		runs, pieces = append(runs, run), append(pieces, cut)
		content = content || slices.ContainsFunc(cut, func(p piece) bool { return len(p.means) > 0 || !p.known })
	}
	if len(runs) == 0 || !content {
		return r
	}
	r.Empty = make(map[string]bool)
	for i, run := range runs {
		tell(run, pieces[i], &r)
	}
	for _, s := range r.Senses {
		for _, w := range s.Of { // elsewhere in the text it belongs to a word
			delete(r.Empty, w)
		}
	}
	return r
}

func (t *table) cut(run []rune) []piece {
	simple := make([]rune, len(run))
	for i, r := range run {
		simple[i] = t.simplify(r)
	}
	best := make([]piece, len(run)) // that begins at a character
	cost := make([]int, len(run)+1)
	for i := len(run) - 1; i >= 0; i-- {
		best[i], cost[i] = piece{start: i, end: i + 1}, cost[i+1]+costUnknown
		for n := 1; n <= t.longest && i+n <= len(run); n++ {
			means, known := t.words[string(simple[i:i+n])]
			if !known {
				continue
			}
			price := cost[i+n] + costWord
			if n == 1 {
				price = cost[i+n] + costSingle
			}
			if len(means) == 0 { // better than a word with a meaning of the same length
				price--
			}
			if price <= cost[i] {
				best[i], cost[i] = piece{i, i + n, means, true}, price
			}
		}
	}
	var all []piece
	for i := 0; i < len(run); i = best[i].end {
		all = append(all, best[i])
	}
	for i, p := range all { // a character in a name means nothing
		beside := i > 0 && !all[i-1].known || i+1 < len(all) && !all[i+1].known
		if p.end-p.start == 1 && p.means != nil && beside {
			all[i].means, all[i].known = nil, false
		}
	}
	return all
}

// tell adds what the pieces of a run mean. A pair of characters belongs to the word that
// both are in; one of two words belongs to a word of one character, or to none.
func tell(run []rune, pieces []piece, r *Reading) {
	pair := func(i int) string { return string(run[i : i+2]) }
	for n, p := range pieces {
		var of []string
		for i := p.start; i+1 < p.end; i++ {
			of = append(of, pair(i))
		}
		switch {
		case len(run) == 1:
			of = []string{string(run)}
		case p.end-p.start > 1 || len(p.means) == 0:
		case p.end < len(run):
			of = []string{pair(p.start)}
		default:
			of = []string{pair(p.start - 1)}
		}
		if len(p.means) > 0 {
			r.Senses = append(r.Senses, senses(of, p.means)...)
		} else if p.known {
			for _, w := range of {
				r.Empty[w] = true
			}
		}
		if n+1 < len(pieces) && p.known && pieces[n+1].known {
			r.Empty[pair(p.end-1)] = true
		}
	}
}
