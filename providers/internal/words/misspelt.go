package words

import (
	"strings"

	"ctxfs/providers/internal/nearest"
)

// endings are what stemming takes off words, and off a misspelt one may not.
const endings = "s es ies e ed ing ings er ers y ly ion ions ation ations al ity ment ments ant ent able ive ic ics"

// Misspelt is a word that nobody uses, and may be a misspelling of one in use.
type Misspelt struct {
	// Limit is how many letters may be wrong, missing, needless or swapped: one in
	// short words and two in long ones, none in the shortest.
	Limit   int
	letters []rune
	cuts    [][]rune
}

// NewMisspelt is the word with that text, as Split gives it.
func NewMisspelt(text string) Misspelt {
	m := Misspelt{letters: []rune(text)}
	switch {
	case len(m.letters) >= 8:
		m.Limit = 2
	case len(m.letters) >= 4:
		m.Limit = 1
	}
	// Its stem may be its own, the whole of it, or what is left without any ending.
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

// Beginnings are what the word that was meant may begin with, of one letter or
// of two: the first letter is right or swapped, the second may be needless.
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

// Distance is how many letters of the word are wrong if a stem was meant; more
// than most stands for all that is more.
func (m Misspelt) Distance(stem string, most int) int {
	known, least := []rune(stem), most+1
	for _, cut := range m.cuts {
		if n := len(known) - len(cut); len(known) > 2 && n <= most && n >= -most {
			least = min(least, nearest.Distance(cut, known))
		}
	}
	return least
}
