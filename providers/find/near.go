package find

import (
	"slices"
	"strings"
	"unicode/utf8"

	"ctxfs/providers/internal/nearest"
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

// endings are what stemming takes off words, and off a misspelt one may not.
const endings = "s es ies e ed ing ings er ers y ly ion ions ation ations al ity ment ments ant ent able ive ic ics"

// cuts are the stems that a word may have if it is misspelt: its own, the whole
// of it, and what is left without any ending.
func (l *lexicon) cuts(text, stem string) [][]rune {
	out := [][]rune{[]rune(text)}
	if stem != text {
		out = append(out, []rune(stem))
	}
	for _, end := range l.endings {
		if before, ok := strings.CutSuffix(text, end); ok && len(before) >= 3 && before != stem {
			out = append(out, []rune(before))
		}
	}
	return out
}

// near are the known words that one may have been meant by: those with the
// fewest wrong, missing, needless or swapped letters, of which one is allowed
// in short words and two in long ones. The first letter is right or swapped.
func (x *Index) near(text, stem string) []*term {
	letters := []rune(text)
	limit := 0
	switch {
	case len(letters) >= 8:
		limit = 2
	case len(letters) >= 4:
		limit = 1
	default:
		return nil
	}
	cuts := x.cuts(text, stem)
	var out []*term
	try := func(begin string) {
		for _, t := range x.from(begin) {
			if !strings.HasPrefix(t.text, begin) {
				break
			}
			known := []rune(t.text)
			least := limit + 1
			for _, cut := range cuts {
				if n := len(known) - len(cut); len(known) > 2 && n <= limit && n >= -limit {
					least = min(least, nearest.Distance(cut, known))
				}
			}
			if least < limit {
				limit, out = least, nil
			}
			if least == limit {
				out = append(out, t)
			}
		}
	}
	try(string(letters[0]))
	if letters[1] != letters[0] {
		try(string(letters[1]) + string(letters[0]))
	}
	return out
}
