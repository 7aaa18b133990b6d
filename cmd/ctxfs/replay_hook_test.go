package main

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"ctxfs/fs"
	"ctxfs/providers/find"
)

// hint is a tool that a hook adds to the words of the user.
type hint struct {
	key, text string
	tokens    int
	score     float64
}

const (
	maxHints      = 3
	maxHintTokens = 150
)

// hintsFor are the tools that a hook would name: the best for all that the user says,
// and for each sentence, if they are worth their place, with the signature of each and
// what it does.
func (w *replayWorld) hintsFor(words string) []hint {
	if all, ok := w.hints[words]; ok {
		return all
	}
	best := make(map[string]hint)
	for _, want := range append(sentenceEnd.Split(words, -1), words) {
		if len(strings.Fields(want)) < 2 {
			continue
		}
		for _, m := range w.find(want) {
			if m.Score < find.GoodScore || m.Kind != "tool" {
				continue
			}
			m.More = 0 // it is about others
			text := find.List([]find.Answer{{Matches: []fs.Match{m}}}, false)
			for key := range taken(text, []fs.Match{m}).of {
				best[key] = hint{key, text, w.pool.count(text), max(m.Score, best[key].score)}
			}
		}
	}
	all := slices.SortedFunc(maps.Values(best), func(a, b hint) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.key, b.key))
	})
	w.hints[words] = all
	return all
}
