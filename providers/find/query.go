package find

import (
	"slices"
	"strings"

	"ctxfs/fs/facts"
	"ctxfs/providers/find/learned"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/words"
)

const (
	// maxQuery is how much of a query is read, in bytes.
	maxQuery = 4 << 10
	// maxConcepts is how many words of a query are looked up.
	maxConcepts = 64
	// maxUnknown is for how many unknown words similar ones are looked up.
	maxUnknown = 16
)

// concept is one thing that a query asks for, with the indexed words for it.
type concept struct {
	of      []string // the words of the query that it stands for, stemmed
	weight  float64
	guessed bool // for an unknown word others are looked up
	half    bool // it is one of two words that an unknown one is split into
	// translated is set for words of another language; part is the share of them that
	// it stands for.
	translated bool
	part       float64
	variants   []variant
}

type variant struct {
	*term
	weight float64
}

// question is a query that is being converted to concepts.
type question struct {
	*index
	concepts []concept
	seen     map[string]bool
	content  bool // it has words other than courtesies
	guessing bool // what is added stands for an unknown word
	unknown  int  // number of unknown words
}

// concepts returns what a query asks for, in indexed words.
func (x *index) concepts(query string) []concept {
	q := question{index: x, seen: make(map[string]bool)}
	parts := passages(clean.Prefix(query, maxQuery))
	read := make([][]words.Word, len(parts))
	foreign := make([]foreign, len(parts))
	for i, p := range parts {
		foreign[i] = readForeign(p.text)
		words.Split(p.text, func(w words.Word) {
			read[i] = append(read[i], w)
			q.content = q.content || !q.courtesies[w.Text]
		})
	}
	for i, p := range parts {
		q.translate(foreign[i], p.weight)
		q.read(read[i], foreign[i], p.weight)
	}
	return q.concepts
}

// read adds the concepts for the words of a passage but those that were translated.
func (q *question) read(all []words.Word, foreign foreign, weight float64) {
	before := ""
	for _, w := range all {
		switch {
		case w.Kind == words.Paired: // its pairs are looked up instead
		case foreign.has(w.Text):
			before = ""
		case q.content && q.courtesies[w.Text]:
			before = ""
		case w.Kind == words.Joined:
			if q.indexed(w.Text) {
				q.add(w.Text, weight, parts(w.Text, all)...)
			}
		default:
			if before != "" && q.indexed(before+w.Text) {
				q.add(before+w.Text, weight, words.Stem(before), words.Stem(w.Text)) // "word cloud" for wordcloud
			}
			q.add(w.Text, weight, words.Stem(w.Text))
			before = w.Text
		}
	}
}

func (q *question) indexed(text string) bool { return q.terms[words.Stem(text)] != nil }

// add adds the concept for a word, once, if an indexed word may stand for it.
func (q *question) add(text string, weight float64, of ...string) {
	s := words.Stem(text)
	if q.seen[s] || len(q.concepts) == maxConcepts {
		return
	}
	q.seen[s] = true
	c := concept{of: of, weight: weight, guessed: q.guessing, half: q.guessing}
	c.addVariant(q.terms[s], 1)
	for _, other := range q.synonyms[s] {
		c.addVariant(q.terms[other], synonymWeight)
	}
	if len(c.variants) == 0 && q.unknown < maxUnknown {
		q.unknown++
		q.guessing, c.guessed = true, true
		q.guess(&c, text, s)
		q.guessing = false
	}
	q.put(c)
}

// parts returns the stems of those of some words that an identifier is joined from.
func parts(joined string, all []words.Word) (of []string) {
	for _, w := range all {
		if w.Kind == words.Part && strings.Contains(joined, w.Text) {
			of = append(of, words.Stem(w.Text))
		}
	}
	return of
}

// guess adds the words that an unknown one may mean.
func (q *question) guess(c *concept, text, stem string) {
	for _, t := range q.withPrefix(text, stem) {
		c.addVariant(t, beginningWeight)
	}
	if len(c.variants) > 0 {
		return
	}
	if a, b := q.halves(text); a != "" { // wordcloud for "word cloud"
		q.add(a, c.weight, c.of...)
		q.add(b, c.weight, c.of...)
		return
	}
	for _, t := range q.similar(text) {
		c.addVariant(t, misspeltWeight)
	}
}

// addVariant adds a term that stands for the concept; nil adds nothing.
func (c *concept) addVariant(t *term, weight float64) {
	if t != nil && !slices.ContainsFunc(c.variants, func(v variant) bool { return v.term == t }) {
		c.variants = append(c.variants, variant{t, weight})
	}
}

// named are documents by their titles, as agents write them.
type named map[facts.Used][]string // titles and paths by turns

// named returns the documents of an index by their titles.
func (x *index) named() named {
	x.mu.RLock()
	defer x.mu.RUnlock()
	all := make(named, len(x.ids))
	for path, id := range x.ids {
		doc := &x.docs[id]
		k := facts.Used{Kind: doc.kind, Name: learned.Fold(doc.title)}
		all[k] = append(all[k], doc.title, path)
	}
	return all
}

// find returns the title and the path of what a name stands for: of exactly that name
// if there is such a thing, or else of the only one that an agent may have to call
// so. Two of that kind could take what was learned of each other.
func (n named) find(used facts.Used) (title, path string) {
	full := used.Name
	if used.Server != "" {
		full = used.Server + "/" + used.Name
	}
	found := n[facts.Used{Kind: used.Kind, Name: learned.Fold(full)}]
	for i := 0; i < len(found); i += 2 {
		if found[i] == full {
			return found[i], found[i+1]
		}
	}
	if len(found) == 2 {
		return found[0], found[1]
	}
	return "", ""
}

func (n named) path(used facts.Used) string {
	_, path := n.find(used)
	return path
}

func (n named) title(used facts.Used) string {
	title, _ := n.find(used)
	return title
}
