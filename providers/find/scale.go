package find

import (
	"math"
	"time"

	"ctxfs/fs/facts"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/words"
)

// GoodScore is the least [facts.Match.Score] of a match that is worth its place: a third
// or so of the query, by rarity. Where the best match is below it, nothing good was
// found.
const GoodScore = 0.25

// What a match gains or loses beside the words that it has.
const (
	textFactor  = 0.7 // of a word somewhere in a long text, where words meet by chance
	titleFactor = 0.5 // of the title of a text: the text itself can be found
	skillFactor = 1.1
	asideFactor = 0.4
	togetherAdd = 0.1 // if the words follow each other as in the query
	newAdd      = 0.05
	halfLife    = 30 * 24 * time.Hour // of newAdd
	placeAdd    = 0.1                 // of the caller's project
	ownAdd      = 0.03                // if the user has said it
)

// scale measures matches of all sources alike: by the share of what a query asks for
// that they have, where each word counts as much as it is rare.
type scale struct {
	worth   map[string]float64 // of each word of the query, by its stem; the sum is 1
	known   map[string]bool    // words that some source has as they are
	now     time.Time
	project string // the folder of the caller's project, or ""
}

// newScale returns the scale for the words of a query in what the sources have.
func newScale(asked map[string]float64, sources []facts.Findings, now time.Time) *scale {
	s := &scale{worth: asked, known: make(map[string]bool), now: now}
	sum := 0.0
	for _, w := range sortedWords(asked) { // so that sums are equal
		s.worth[w] = asked[w] * s.rarity(w, sources)
		sum += s.worth[w]
	}
	for w := range s.worth {
		s.worth[w] /= sum
	}
	return s
}

// rarity returns how much a word says: less the more texts have it, by the geometric
// mean of the sources, which all count alike however large they are.
func (s *scale) rarity(word string, sources []facts.Findings) float64 {
	const least = 0.002 // the share of a word that no text has
	logs, n := 0.0, 0.0
	for _, source := range sources {
		if source.Shares == nil {
			continue
		}
		share := source.Shares[word]
		s.known[word] = s.known[word] || share > 0
		logs += math.Log(share + least)
		n++
	}
	return math.Log(1 + 1/(math.Exp(logs/max(n, 1))+least))
}

// measure sets the scores of a source's matches.
func (s *scale) measure(found facts.Findings, factor float64) {
	for i := range found.Matches {
		m := &found.Matches[i]
		m.Score = factor * s.share(m.Evidence.Words, found.Guessed) * s.prior(m)
	}
}

// share returns the share of the query that a match has. A guess at a word counts for
// nothing where another source has the word itself.
func (s *scale) share(has map[string]float64, guessed map[string]bool) (sum float64) {
	for _, w := range sortedWords(has) {
		if !guessed[w] || !s.known[w] {
			sum += s.worth[w] * has[w]
		}
	}
	return sum
}

// prior returns what speaks for a match beside its words.
func (s *scale) prior(m *facts.Match) float64 {
	e := &m.Evidence
	p := 1 + togetherAdd*e.Together
	if m.Kind == "skill" {
		p *= skillFactor
	}
	if e.Aside {
		p *= asideFactor
	}
	if !e.Time.IsZero() {
		p *= 1 + newAdd*math.Exp2(-max(0, float64(s.now.Sub(e.Time))/float64(halfLife)))
	}
	if e.Place != "" && s.project != "" && below(e.Place, s.project) {
		p *= 1 + placeAdd
	}
	if e.Own {
		p *= 1 + ownAdd
	}
	return p
}

// asked returns the words that a query asks for, by their stems, each with its weight.
func (l *lexicon) asked(query string) map[string]float64 {
	parts := passages(clean.Prefix(query, maxQuery))
	content := false
	for _, p := range parts {
		words.Split(p.text, func(w words.Word) { content = content || !l.courtesies[w.Text] })
	}
	all := make(map[string]float64)
	for _, p := range parts {
		foreign := readForeign(p.text)
		words.Split(p.text, func(w words.Word) {
			if w.Kind != words.Paired && w.Kind != words.Joined && !(content && l.courtesies[w.Text]) && !foreign.Empty[w.Text] {
				stem := words.Stem(w.Text)
				all[stem] = max(all[stem], p.weight/float64(max(1, foreign.words[w.Text])))
			}
		})
	}
	return all
}
