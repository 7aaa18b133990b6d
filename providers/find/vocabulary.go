package find

import (
	"slices"
	"strings"
	"unicode/utf8"

	"ctxfs/providers/internal/words"
)

// from are the known words at and after a text, in order.
func (x *Index) from(text string) []*term {
	at, _ := slices.BinarySearchFunc(x.vocabulary, text, func(t *term, text string) int { return strings.Compare(t.text, text) })
	return x.vocabulary[at:]
}

// maxBegun is how many words one may be the beginning of.
const maxBegun = 32

// begun are the known words of which a text, or its stem, is the beginning.
func (x *Index) begun(text, stem string) []*term {
	var out []*term
	if len(stem) < 3 {
		return nil
	}
	for _, t := range x.from(stem) {
		if !strings.HasPrefix(t.text, stem) || len(out) == maxBegun {
			break
		}
		out = append(out, t)
	}
	if len(out) == 0 && text != stem {
		return x.begun(text, text)
	}
	return out
}

// halves cuts a word into two known ones; the first as long as can be.
func (x *Index) halves(text string) (a, b string) {
	const least = 3
	for at := len(text) - least; at >= least; at-- {
		if utf8.RuneStart(text[at]) && x.terms[words.Stem(text[:at])] != nil && x.terms[words.Stem(text[at:])] != nil {
			return text[:at], text[at:]
		}
	}
	return "", ""
}

// near are the known words that one may have been meant by: those with the
// fewest wrong letters. The first letter is right or swapped.
func (x *Index) near(text string) (out []*term) {
	word := words.NewMisspelt(text)
	limit := word.Limit
	if limit == 0 {
		return nil
	}
	for _, begin := range word.Beginnings(1) {
		for _, t := range x.from(begin) {
			if !strings.HasPrefix(t.text, begin) {
				break
			}
			least := word.Distance(t.text, limit)
			if least < limit {
				limit, out = least, nil
			}
			if least == limit {
				out = append(out, t)
			}
		}
	}
	return out
}
