package uses

import (
	"strings"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/spoken"
	"ctxfs/providers/internal/words"
)

// longWant and longSaid are the lengths in bytes to which wants and messages are
// cut.
const (
	longWant = 240
	longSaid = 160
)

// ownWords returns what a person wanted in a text that the person has sent: the first
// sentences of the person's own and the last one.
func ownWords(text string) string {
	var said []string
	for _, line := range spoken.Own(text) {
		for _, s := range spoken.Sentences(line) {
			said = append(said, spoken.Bare(s))
		}
	}
	if len(said) > 3 {
		said = append(said[:2:2], said[len(said)-1])
	}
	return clean.Cut(clean.Line(strings.Join(said, ". ")), longWant)
}

// lastSentence returns what an agent said last.
func lastSentence(text string) string {
	return clean.Cut(clean.Line(spoken.Last(text)), longSaid)
}

// assents are words by which a person repeats the previous want.
const assents = `
yes yep yeah y ok okay sure fine good great perfect go on ahead continue proceed do it please thanks thank you next again retry more right correct exactly that
`

// isAssent reports whether a text has no want of its own.
func isAssent(text string) bool {
	if len(text) > 60 {
		return false
	}
	known, all := words.Set(assents), true
	words.Split(text, func(w words.Word) { all = all && known[w.Text] })
	return all
}
