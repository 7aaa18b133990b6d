package find

import (
	_ "embed"
	"slices"
	"strings"
	"unicode/utf8"

	"ctxfs/providers/internal/words"
)

// atOrAfter returns the indexed words at and after a text, in order.
func (x *index) atOrAfter(text string) []*term {
	at, _ := slices.BinarySearchFunc(x.vocabulary, text, func(t *term, text string) int { return strings.Compare(t.text, text) })
	return x.vocabulary[at:]
}

// maxPrefixed is how many words withPrefix returns at most.
const maxPrefixed = 32

// withPrefix returns the indexed words that start with a stem, or else with the text
// itself.
func (x *index) withPrefix(text, stem string) []*term {
	var out []*term
	if len(stem) < 3 {
		return nil
	}
	for _, t := range x.atOrAfter(stem) {
		if !strings.HasPrefix(t.text, stem) || len(out) == maxPrefixed {
			break
		}
		out = append(out, t)
	}
	if len(out) == 0 && text != stem {
		return x.withPrefix(text, text)
	}
	return out
}

// halves splits a word into two indexed ones, the first as long as possible; "" if
// that is impossible.
func (x *index) halves(text string) (a, b string) {
	const least = 3
	for at := len(text) - least; at >= least; at-- {
		if utf8.RuneStart(text[at]) && x.terms[words.Stem(text[:at])] != nil && x.terms[words.Stem(text[at:])] != nil {
			return text[:at], text[at:]
		}
	}
	return "", ""
}

// similar returns the indexed words that a text may misspell: those with the fewest
// wrong letters. The first letter must be right or swapped.
func (x *index) similar(text string) (out []*term) {
	word := words.NewMisspelt(text)
	limit := word.Limit
	if limit == 0 {
		return nil
	}
	for _, begin := range word.Beginnings(1) {
		for _, t := range x.atOrAfter(begin) {
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

// synonymGroups are technical words that mean much the same in the name of a tool,
// one group a line. A word may be in several.
//
//go:embed synonyms.txt
var synonymGroups string

// synonyms are the words of synonymGroups by their stems, in the order of the
// groups.
func synonyms() map[string][]string {
	table := make(map[string][]string)
	for line := range strings.Lines(synonymGroups) {
		group := strings.Fields(line)
		for i := range group {
			group[i] = words.Stem(group[i])
		}
		for _, a := range group {
			for _, b := range group {
				if a != b {
					table[a] = append(table[a], b)
				}
			}
		}
	}
	return table
}
