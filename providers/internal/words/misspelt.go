package words

import (
	"strings"

	"ctxfs/providers/internal/nearest"
)

// endings are what stemming removes from words, and may not from a misspelt
// one.
const endings = "s es ies e ed ing ings er ers y ly ion ions ation ations al ity ment ments ant ent able ive ic ics"

// Misspelt is a word that is in no text, and may be a misspelling of one that is.
type Misspelt struct {
	// Limit is how many letters may be wrong, missing, extra or swapped: one in
	// short words and two in long ones, none in the shortest.
	Limit   int
	letters []rune
	cuts    [][]rune
}

// NewMisspelt returns the Misspelt for a word of Split.
func NewMisspelt(text string) Misspelt {
	m := Misspelt{letters: []rune(text)}
	switch {
	case len(m.letters) >= 8:
		m.Limit = 2
	case len(m.letters) >= 4:
		m.Limit = 1
	}
	// Its stem may be the stem of the text, the text itself, or the text without
	// any one of the endings.
	m.cuts = [][]rune{m.letters}
	stem := Stem(text)
	if stem != text {
		m.cuts = append(m.cuts, []rune(stem))
	}
	for _, end := range strings.Fields(endings) {
		if before, ok := strings.CutSuffix(text, end); ok && len(before) >= 3 && before != stem {
			m.cuts = append(m.cuts, []rune(before))
		}
	}
	return m
}

// Beginnings returns the first n letters, one or two, that the intended word
// may have: the first letter is right or swapped, the second may be extra.
func (m Misspelt) Beginnings(n int) (all []string) {
	if len(m.letters) < 3 {
		return nil
	}
	a, b, c := m.letters[0], m.letters[1], m.letters[2]
	if n == 1 {
		all = append(all, string(a))
	} else {
		all = append(all, string([]rune{a, b}))
		if c != b {
			all = append(all, string([]rune{a, c}))
		}
	}
	if a != b {
		all = append(all, string([]rune{b, a}))
	}
	return all
}

// Distance returns how many letters of the word are wrong if a stem was meant; any
// number above most only means more than most.
func (m Misspelt) Distance(stem string, most int) int {
	known, least := []rune(stem), most+1
	for _, cut := range m.cuts {
		if n := len(known) - len(cut); len(known) > 2 && n <= most && n >= -most {
			least = min(least, nearest.Distance(cut, known))
		}
	}
	return least
}
