// Package suggest chooses what an agent is told, unasked, of what can be found for a
// message of its user. To look something up costs an agent a request that carries its
// whole context; to be told of it costs the tokens of a line, also where it is of no use.
// So only what is sure is told: see [Bar].
package suggest

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"ctxfs/fs/facts"
	"ctxfs/providers/internal/spoken"
	"ctxfs/providers/internal/words"
)

const (
	// mostWants is how many sentences of a message are looked up: the first ones and
	// the last ones, in which people say what they want.
	mostWants = 6
	// leastWords is the number of words of a sentence below which it wants nothing:
	// "go on", "yes please".
	leastWords = 3
)

// Wants returns what the user asks for in a message, to be looked up: the sentences in the
// user's own words. Pasted text, code and logs, is no part of it.
func Wants(message string) (wants []string) {
	for _, line := range spoken.Own(message) {
		for _, s := range spoken.Sentences(line) {
			if s = spoken.Bare(s); len(strings.Fields(s)) >= leastWords || !words.ASCII(s) {
				wants = append(wants, s)
			}
		}
	}
	if n := len(wants); n > mostWants {
		wants = append(wants[:mostWants/2:mostWants/2], wants[n-mostWants/2:]...)
	}
	return wants
}

// Candidate is the best match of a thing for the wants of a message.
type Candidate struct {
	facts.Match
	// Words is how many words of the want it has.
	Words int
	// Named is the share of the words of its name that the want has, from 0 to 1.
	Named float64
	// Lead is by how much its score exceeds that of the best match of the same kind of
	// another server or folder for the same want, as a share of its score; below 0 if it is
	// not the best.
	Lead float64
}

// Find searches for a want, and returns the best match first.
type Find func(ctx context.Context, want string) ([]facts.Match, error)

// Candidates returns what is found for a message, the best first, each thing once. When
// ctx ends it returns what it has.
func Candidates(ctx context.Context, find Find, message string) []Candidate {
	best := make(map[string]Candidate)
	for _, want := range Wants(message) {
		found, err := find(ctx, want)
		if err != nil || ctx.Err() != nil {
			break
		}
		for _, m := range found {
			c := Candidate{Match: m, Words: len(m.Evidence.Words), Named: named(m), Lead: lead(m, found)}
			if was, ok := best[m.Path]; !ok || c.Score > was.Score {
				best[m.Path] = c
			}
		}
	}
	return slices.SortedFunc(maps.Values(best), func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.Path, b.Path))
	})
}

// named returns the share of the words of a match's name that the query has.
func named(m facts.Match) float64 {
	name := m.Title[strings.LastIndexByte(m.Title, '/')+1:]
	has, all := 0.0, 0.0
	words.Split(name, func(w words.Word) {
		if w.Kind != words.Whole && w.Kind != words.Part {
			return
		}
		all++
		has += min(1, m.Evidence.Words[words.Stem(w.Text)])
	})
	return has / max(1, all)
}

// lead returns by how much a match is better than those of its kind in other folders.
func lead(m facts.Match, found []facts.Match) float64 {
	if m.Score <= 0 {
		return 0
	}
	for _, other := range found {
		if other.Kind == m.Kind && Folder(other.Path) != Folder(m.Path) {
			return (m.Score - other.Score) / m.Score
		}
	}
	return 1
}

// Folder returns the folder of a provider that a path is in: mcps/github.
func Folder(path string) string {
	provider, rest, _ := strings.Cut(path, "/")
	name, _, _ := strings.Cut(rest, "/")
	return provider + "/" + name
}
