package find

import (
	"ctxfs/providers/find/translate"
	"ctxfs/providers/internal/words"
)

// Weights of indexed words that stand for one of another language.
const (
	translationWeight = 0.95 // the first English word for it
	otherWeight       = 0.8  // another one
	pairWeight        = 0.5  // all pairs of characters of a long word, beside its translation
)

// foreign is what is known of a passage in another language than English.
type foreign struct {
	translate.Reading
	words map[string]int // that are translated: of how many the sense is
}

func readForeign(text string) foreign {
	f := foreign{Reading: translate.Read(text)}
	if len(f.Senses) == 0 {
		return f
	}
	f.words = make(map[string]int)
	for _, s := range f.Senses {
		for _, w := range s.Of {
			f.words[w] = max(f.words[w], len(s.Of))
		}
	}
	return f
}

// has reports whether a word is translated or has no meaning of its own.
func (f *foreign) has(word string) bool { return f.words[word] > 0 || f.Empty[word] }

// translate adds the concepts for the words of another language in a passage.
func (q *question) translate(f foreign, weight float64) {
	for _, s := range f.Senses {
		if key := s.Of[0] + " " + s.English[0]; !q.seen[key] {
			q.seen[key] = true
			q.addSense(s, weight)
		}
	}
}

// addSense adds the concept for a word of another language: the word itself and the
// English ones for it. Of a word of many pairs of characters, each pair is a concept.
func (q *question) addSense(s translate.Sense, weight float64) {
	c := concept{of: s.Of, weight: weight, part: s.Share, translated: true}
	if len(c.of) == 1 {
		c.addVariant(q.terms[c.of[0]], 1)
	} else {
		for i, w := range c.of {
			if t := q.terms[w]; t != nil && !q.seen[w] {
				q.seen[w] = true
				q.put(concept{of: c.of[i : i+1], weight: weight * pairWeight / float64(len(c.of)), variants: []variant{{t, 1}}})
			}
		}
	}
	for i, e := range s.English {
		c.addVariant(q.terms[words.Stem(e)], []float64{translationWeight, otherWeight}[min(i, 1)])
	}
	for _, e := range s.English {
		for _, other := range q.synonyms[words.Stem(e)] {
			c.addVariant(q.terms[other], synonymWeight)
		}
	}
	q.put(c)
}

// put adds a concept that has indexed words.
func (q *question) put(c concept) {
	if len(c.variants) > 0 && len(q.concepts) < maxConcepts {
		q.concepts = append(q.concepts, c)
	}
}
