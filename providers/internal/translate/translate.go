// Package translate finds English words for those of texts in German, Chinese and
// Japanese, so that wants in these languages find tools that are described in
// English, and the other way round. It knows some thousand words that are used of
// tools; it does not translate texts.
//
// A text is read as German only where its words say so beyond doubt, because many
// German words are English ones as well ("die", "war", "list"). Its words are looked
// up without their endings, compounds are split ("Dateiinhalt"), and separable verbs
// are found in two pieces ("lege einen Ordner an"). Chinese and Japanese are cut into
// the fewest words that cover a text. Characters may be traditional or simplified,
// Japanese verbs have any ending.
package translate

import "ctxfs/providers/internal/words"

// Sense is what a word of a text means in English.
type Sense struct {
	// Of is the word, as [words.Split] has it: one word or, in scripts without spaces,
	// the pairs of characters that belong to it.
	Of []string
	// English has words for it, the best first.
	English []string
	// Share is how much of the word this is: less than 1 for a part of a compound.
	Share float64
	// Doubtful is set for a word that may as well be English.
	Doubtful bool
}

// Reading is what is known of a text in another language than English.
type Reading struct {
	Senses []Sense
	// Empty are those words of [words.Split] that have no meaning of their own:
	// articles, particles, endings and pairs of characters of two different words.
	Empty map[string]bool
}

// Read returns what is known of a text: nothing if it is English. It takes a
// microsecond or so for each word.
func Read(text string) (r Reading) {
	if words.ASCII(text) || !readSpaceless(text, &r) {
		readGerman(text, &r)
	}
	return r
}
