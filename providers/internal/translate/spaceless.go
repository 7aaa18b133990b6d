package translate

import (
	"slices"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"ctxfs/providers/internal/words"
)

// What a piece of a text without spaces costs: the cheapest way to cut it is taken,
// which is that into the fewest and longest known words.
const (
	costWord     = 30
	costFunction = 29
	costSingle   = 60 // a known character
	costEnding   = 20 // one of hiragana that belongs to no known word
	costUnknown  = 100
)

// piece is a part of a text without spaces.
type piece struct {
	start, end int // in runes
	means      []uint16
	known      bool // or an ending
}

func hiragana(r rune) bool { return unicode.Is(unicode.Hiragana, r) || r == 'ー' }

// readSpaceless reads the parts of a text that are written without spaces. It reports
// whether there are any.
func readSpaceless(text string, r *Reading) (some bool) {
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
		return len(runs) > 0
	}
	r.Empty = make(map[string]bool)
	for i, run := range runs {
		load().tell(run, pieces[i], r)
	}
	for _, s := range r.Senses {
		for _, w := range s.Of { // elsewhere in the text it belongs to a word
			delete(r.Empty, w)
		}
	}
	return true
}

// cut cuts a run into pieces.
func (t *table) cut(run []rune) []piece {
	simple := make([]rune, len(run))
	for i, r := range run {
		simple[i] = simplify(r)
	}
	best := make([]piece, len(run)) // that begins at a character
	cost := make([]int, len(run)+1)
	for i := len(run) - 1; i >= 0; i-- {
		best[i], cost[i] = piece{start: i, end: i + 1}, cost[i+1]+costUnknown
		if hiragana(run[i]) {
			best[i].known, cost[i] = true, cost[i+1]+costEnding
		}
		try := func(end, price int, means []uint16) {
			if price += cost[end]; price <= cost[i] {
				best[i], cost[i] = piece{i, end, means, true}, price
			}
		}
		for n := 1; n <= t.longest && i+n <= len(run); n++ {
			text, price := string(simple[i:i+n]), costWord
			if n == 1 {
				price = costSingle
			}
			if means := t.spaceless[text]; means != nil {
				try(i+n, price, means)
			}
			if means := t.stems[text]; means != nil {
				switch {
				case i+n < len(run) && ending(run[i+n]):
					try(i+n+1, costWord, means)
				case i+n == len(run) && n > 1 && hiragana(run[i+n-1]):
					try(i+n, costWord, means)
				}
			}
			if t.spacelessFunction[text] {
				try(i+n, price+costFunction-costWord, nil)
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

// ending reports whether the ending of a Japanese verb or adjective may begin with a
// character.
func ending(r rune) bool {
	return hiragana(r) && !slices.Contains([]rune("をがのはにへもとやー"), r)
}

// tell adds what the pieces of a run mean. A pair of characters belongs to the word
// that both are in; one of two words belongs to a word of one character, or to none.
func (t *table) tell(run []rune, pieces []piece, r *Reading) {
	pair := func(i int) string { return string(run[i : i+2]) }
	for n, p := range pieces {
		var of []string
		for i := p.start; i+1 < p.end; i++ {
			of = append(of, pair(i))
		}
		if p.end-p.start == 1 && len(p.means) > 0 {
			switch {
			case len(run) == 1:
				of = []string{string(run)}
			case p.end < len(run):
				of = []string{pair(p.start)}
			default:
				of = []string{pair(p.start - 1)}
			}
		}
		if len(p.means) > 0 {
			r.Senses = append(r.Senses, t.senses(of, p.means, 1)...)
		} else if p.known {
			for _, w := range of {
				r.Empty[w] = true
			}
			if len(run) == 1 {
				r.Empty[string(run)] = true
			}
		}
		if n+1 < len(pieces) && p.known && pieces[n+1].known {
			r.Empty[pair(p.end-1)] = true
		}
	}
}
