package fulltext

import (
	"math"
	"strings"
	"unicode/utf8"

	"ctxfs/providers/internal/words"
)

const (
	// maxQuery is how much of a query is read, in bytes.
	maxQuery = 4 << 10
	// maxTerms is how many words of a query are looked up.
	maxTerms = 32
	// joinedWeight is the weight of an identifier as a whole, beside its parts.
	joinedWeight = 0.5
)

// queryTerm is a word of a query.
type queryTerm struct {
	text   string
	word   string // as it was written
	weight float64
	joined bool    // an identifier as a whole: one that has the parts need not have it
	prefix bool    // a character of a script without spaces: all that begins with it
	pieces int     // how many pieces have it
	rarity float64 // times the weight
}

// matches reports whether a term of a text is the wanted one.
func (w *queryTerm) matches(term string) bool {
	return term == w.text || w.prefix && strings.HasPrefix(term, w.text)
}

// parseQuery returns the words that a query asks for, each once, in order.
func parseQuery(query string) (all []queryTerm) {
	if len(query) > maxQuery {
		query = query[:maxQuery]
		for len(query) > 0 && !utf8.RuneStart(query[len(query)-1]) {
			query = query[:len(query)-1]
		}
	}
	function, courtesies := words.Set(words.Function), words.Set(words.Function, words.Courtesies)
	content := false
	words.Split(query, func(w words.Word) { content = content || !courtesies[w.Text] && len(w.Text) > 1 })
	dropped := function
	if content {
		dropped = courtesies
	}
	seen := make(map[string]bool)
	words.Split(query, func(w words.Word) {
		if w.Kind == words.Paired || len(w.Text) < 2 || dropped[w.Text] || len(all) == maxTerms {
			return
		}
		text := words.Stem(w.Text)
		if seen[text] {
			return
		}
		seen[text] = true
		one := queryTerm{text: text, word: w.Text, weight: 1, joined: w.Kind == words.Joined, prefix: w.Kind == words.Single}
		if one.joined {
			one.weight = joinedWeight
		}
		all = append(all, one)
	})
	return all
}

// weighTerms sets the rarity of each word among a number of pieces.
func weighTerms(all []queryTerm, pieces int) {
	for i := range all {
		n := float64(all[i].pieces)
		all[i].rarity = all[i].weight * math.Log(1+(float64(pieces)-n+0.5)/(n+0.5))
	}
}

// The parameters of BM25.
const (
	saturation = 0.9 // k1
	lengthPart = 0.4 // b
)

// bm25 returns the score of a word in a piece.
func bm25(rarity float64, often, length int, average float64) float64 {
	n := float64(often)
	return rarity * n * (saturation + 1) / (n + saturation*(1-lengthPart+lengthPart*float64(length)/average))
}
