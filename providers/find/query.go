package find

import (
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/words"
)

const (
	// maxQuery is how much of a query is read, in bytes.
	maxQuery = 4 << 10
	// maxConcepts is how many words of it are looked up.
	maxConcepts = 64
	// maxUnknown is of how many unknown words it is asked what they may mean.
	maxUnknown = 16
)

// concept is one thing that a query asks for, with the words that stand for it.
type concept struct {
	weight   float64
	variants []variant
}

type variant struct {
	*term
	weight float64
}

// question is a query on its way to concepts.
type question struct {
	*Index
	concepts []concept
	seen     map[string]bool
	content  bool // there is more than courtesies
	unknown  int  // words
}

// concepts are what a query asks for, by known words.
func (x *Index) concepts(query string) []concept {
	q := question{Index: x, seen: make(map[string]bool)}
	parts := passages(clean.Prefix(query, maxQuery))
	read := make([][]words.Word, len(parts))
	for i, p := range parts {
		words.Split(p.text, func(w words.Word) {
			read[i] = append(read[i], w)
			q.content = q.content || !q.courtesies[w.Text]
		})
	}
	for i, p := range parts {
		q.read(read[i], p.weight)
	}
	return q.concepts
}

// read adds what the words of a passage ask for.
func (q *question) read(all []words.Word, weight float64) {
	before := ""
	for _, w := range all {
		switch {
		case w.Kind == words.Paired: // its pairs say more
		case q.content && q.courtesies[w.Text]:
			before = ""
		case w.Kind == words.Joined:
			if q.known(w.Text) {
				q.add(w.Text, weight)
			}
		default:
			if before != "" && q.known(before+w.Text) {
				q.add(before+w.Text, weight) // "word cloud" for wordcloud
			}
			q.add(w.Text, weight)
			before = w.Text
		}
	}
}

func (q *question) known(text string) bool { return q.terms[words.Stem(text)] != nil }

// add adds a word once, if anything is known that it may stand for.
func (q *question) add(text string, weight float64) {
	s := words.Stem(text)
	if q.seen[s] || len(q.concepts) == maxConcepts {
		return
	}
	q.seen[s] = true
	c := concept{weight: weight}
	c.vary(q.terms[s], 1)
	for _, other := range q.synonyms[s] {
		c.vary(q.terms[other], synonymWeight)
	}
	if len(c.variants) == 0 && q.unknown < maxUnknown {
		q.unknown++
		q.guess(&c, text, s)
	}
	if len(c.variants) > 0 {
		q.concepts = append(q.concepts, c)
	}
}

// guess has those words stand for an unknown one that it may mean.
func (q *question) guess(c *concept, text, stem string) {
	for _, t := range q.begun(text, stem) {
		c.vary(t, beginningWeight)
	}
	if len(c.variants) > 0 {
		return
	}
	if a, b := q.halves(text); a != "" { // wordcloud for "word cloud"
		q.add(a, c.weight)
		q.add(b, c.weight)
		return
	}
	for _, t := range q.near(text) {
		c.vary(t, misspeltWeight)
	}
}

// vary has a term stand for the concept too; nil is none.
func (c *concept) vary(t *term, weight float64) {
	if t == nil {
		return
	}
	for _, v := range c.variants {
		if v.term == t {
			return
		}
	}
	c.variants = append(c.variants, variant{t, weight})
}
