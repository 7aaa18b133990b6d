package find

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"ctxfs/fs"
	"ctxfs/fs/facts"
	"ctxfs/providers/internal/words"
)

// Options narrow a search.
type Options struct {
	// In is a path at and below which to search; "" means everywhere.
	In string
	// Limit is the most matches to return; 0 means all.
	Limit int
	// Caller is where the caller stands: what is about the same project counts for
	// more. It may be the zero Standpoint.
	Caller fs.Standpoint
}

// Weights of an indexed word, by how it stands for a word of the query.
const (
	synonymWeight   = 0.5
	beginningWeight = 0.4
	misspeltWeight  = 0.5
	kindWeight      = 0.5 // "file" for a path
	quotedWeight    = 0.3
)

// Weights of the ranking. Small changes of any do not change its quality.
const (
	saturation  = 1.0 // k1 of BM25F
	coverWeight = 0.6 // of a name that is covered whole
)

// weightOf returns the weight of a word in a field, and lengthOf how much a long
// field lowers it (b of BM25F).
func weightOf(field int) float64 {
	return [fields]float64{
		nameField: 2, serverField: 1.5, aboutField: 0.3, summaryField: 1, descriptionField: 0.7,
		parametersField: 0.5, detailsField: 0.5, bodyField: 0.3,
	}[field]
}

func lengthOf(field int) float64 {
	return [fields]float64{
		nameField: 0.5, serverField: 0, aboutField: 0.5, summaryField: 0.5, descriptionField: 0.75,
		parametersField: 0.75, detailsField: 0.75, bodyField: 0.75,
	}[field]
}

// scratch is the working memory of one search.
type scratch struct {
	scores, concept []float64 // by document
	order           []float64 // scores
	learned, lesson []float64 // by lesson
	found, hit      []uint32  // documents with a score, and for one concept
}

func (s *scratch) reset(docs int) {
	s.scores, s.concept = zeros(s.scores, docs), zeros(s.concept, docs)
	s.found = s.found[:0]
}

func zeros(s []float64, n int) []float64 {
	if cap(s) < n {
		return make([]float64, n)
	}
	s = s[:n]
	clear(s)
	return s
}

// Search returns the best matches, the best first, equally good ones by path. It
// takes about 0.1 ms for a few words over a thousand tools, and a few milliseconds
// for a page of text over ten thousand.
func (x *index) Search(query string, opts Options) []facts.Match { return x.find(query, opts).Matches }

// find is Search with the evidence for each match.
func (x *index) find(query string, opts Options) facts.Findings {
	x.mu.RLock()
	defer x.mu.RUnlock()
	s := x.scratch.Get().(*scratch)
	defer x.scratch.Put(s)
	s.reset(len(x.docs))
	concepts := x.concepts(query)
	matched := make(map[*term]float64)
	fields := x.fieldFactors()
	for _, c := range concepts {
		for _, v := range c.variants {
			matched[v.term] = max(matched[v.term], v.weight*c.weight)
		}
		x.score(s, c, &fields)
	}
	asked := x.asked(query)
	x.recall(s, asked, concepts)
	s.found = slices.DeleteFunc(s.found, func(id uint32) bool { return !below(x.docs[id].path, opts.In) })
	x.preferNamed(s, query)
	s.prune(opts.Limit)
	for _, id := range s.found {
		doc := &x.docs[id]
		s.scores[id] = s.scores[id] * (1 + coverWeight*x.cover(doc, matched))
	}
	if len(s.found) == 0 {
		return facts.Findings{}
	}
	slices.SortFunc(s.found, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(s.scores[b], s.scores[a]), strings.Compare(x.docs[a].path, x.docs[b].path))
	})
	if opts.Limit > 0 && len(s.found) > opts.Limit {
		s.found = s.found[:opts.Limit]
	}
	out := make([]facts.Match, 0, len(s.found))
	for _, id := range s.found {
		m := x.docs[id].match(s.scores[id])
		m.Evidence.Words = x.evidence(id, concepts, &fields)
		x.addLearned(m.Evidence.Words, m.Path, asked)
		m.Evidence.Aside = x.docs[id].isAside(concepts)
		out = append(out, m)
	}
	shares, guessed := x.shares(concepts)
	return facts.Findings{Matches: out, Shares: shares, Guessed: guessed}
}

// isAside reports whether the query lacks all of the words without which the
// document is an aside.
func (d *document) isAside(concepts []concept) bool {
	return len(d.asides) > 0 && !slices.ContainsFunc(concepts, func(c concept) bool {
		return slices.ContainsFunc(c.of, func(w string) bool { return slices.Contains(d.asides, w) })
	})
}

// evidence returns how well a document has each word of a query.
func (x *index) evidence(id uint32, concepts []concept, fields *factors) map[string]float64 {
	found := make(map[string]float64, len(concepts))
	for _, c := range concepts {
		best := 0.0
		for _, v := range c.variants {
			if at, ok := v.find(id); ok {
				often := fields.often(&v.postings[at], &x.docs[id])
				best = max(best, v.weight*min(1, 1.25*often/(often+0.5)))
			}
		}
		if c.half {
			best *= misspeltWeight
		}
		if best > 0 {
			for _, w := range c.of {
				if c.translated && c.part < 1 {
					found[w] = min(1, found[w]+best*c.part)
				} else {
					found[w] = max(found[w], best)
				}
			}
		}
	}
	return found
}

// shares returns in how many of the documents each word of a query is, and which
// words were guessed.
func (x *index) shares(concepts []concept) (all map[string]float64, guessed map[string]bool) {
	if len(x.ids) == 0 {
		return nil, nil
	}
	all, guessed = make(map[string]float64, len(concepts)), make(map[string]bool)
	for _, c := range concepts {
		for _, w := range c.of {
			if t := x.terms[w]; t != nil {
				all[w] = max(all[w], t.spread/x.groups.total)
			} else if c.guessed {
				guessed[w] = true
			}
			if c.translated {
				for _, v := range c.variants {
					if v.weight >= otherWeight {
						all[w] = max(all[w], v.spread/x.groups.total)
					}
				}
			}
		}
	}
	return all, guessed
}

// prune removes from found what cannot be among the first even if the query covers
// its name.
func (s *scratch) prune(limit int) {
	if limit <= 0 || len(s.found) <= limit {
		return
	}
	s.order = s.order[:0]
	for _, id := range s.found {
		s.order = append(s.order, s.scores[id])
	}
	slices.Sort(s.order)
	least := s.order[len(s.order)-limit] / (1 + coverWeight) * (1 - 1e-9)
	s.found = slices.DeleteFunc(s.found, func(id uint32) bool { return s.scores[id] < least })
}

func (d *document) match(score float64) facts.Match {
	return facts.Match{
		Path: d.path, Title: d.title, Why: d.why, Score: score, Kind: d.kind,
		Signature: d.signature, Use: d.use, Whole: d.whole, Known: d.known, Quiet: d.quiet,
		Evidence: facts.Evidence{Time: d.time, Place: d.place},
	}
}

// fieldFactor gives the weight of a word in a field: weight/(base+perWord*length).
type fieldFactor struct{ weight, base, perWord float64 }

// factors are those of all fields.
type factors [fields]fieldFactor

// often returns how often a document has a word, by the weights of its fields.
func (f *factors) often(p *posting, doc *document) (often float64) {
	for i, count := range p.count {
		if count > 0 {
			often += f[i].weight * float64(count) / (f[i].base + f[i].perWord*float64(doc.length[i]))
		}
	}
	return often
}

func (x *index) fieldFactors() (f factors) {
	for i := range f {
		average := max(1, float64(x.words[i])/float64(max(1, len(x.ids))))
		f[i] = fieldFactor{weightOf(i), 1 - lengthOf(i), lengthOf(i) / average}
	}
	return f
}

// score adds the score of a concept to each document: that of the best of its
// words.
func (x *index) score(s *scratch, c concept, fields *factors) {
	s.hit = s.hit[:0]
	for _, v := range c.variants {
		worth := v.weight * c.weight * x.rarity(v.term) * (saturation + 1)
		for i := range v.postings {
			p := &v.postings[i]
			doc := &x.docs[p.doc]
			often := fields.often(p, doc)
			if s.concept[p.doc] == 0 {
				s.hit = append(s.hit, p.doc)
			}
			s.concept[p.doc] = max(s.concept[p.doc], worth*often/(saturation+often))
		}
	}
	for _, id := range s.hit {
		if s.scores[id] == 0 {
			s.found = append(s.found, id)
		}
		s.scores[id] += s.concept[id]
		s.concept[id] = 0
	}
}

// cover returns the share of a document's name that the query covers, weighted by
// rarity.
func (x *index) cover(doc *document, matched map[*term]float64) float64 {
	all, met := 0.0, 0.0
	for _, t := range doc.name {
		rare := x.rarity(t)
		all += rare
		met += rare * matched[t]
	}
	if all == 0 {
		return 0
	}
	return met / all
}

func (x *index) rarity(t *term) float64 { return rarity(x.groups.total, t.spread) }

// rarity returns the weight of a word that n of all documents have (IDF of BM25).
func rarity(all, n float64) float64 { return math.Log(1 + (all-n+0.5)/(n+0.5)) }

// maxName is how many words a query may have to be treated as a name.
const maxName = 12

// preferNamed puts documents first whose name is the whole query: in the same words
// or, better still, in the same spelling. The user who types a name wants the thing
// of that name, even if another one fits each word better.
func (x *index) preferNamed(s *scratch, query string) {
	query = strings.TrimSpace(query)
	name := x.nameIn(query)
	if len(name) == 0 {
		return
	}
	best := 0.0
	for _, id := range s.found {
		best = max(best, s.scores[id])
	}
	best *= 1 + coverWeight
	for i := range name[0].postings {
		id := name[0].postings[i].doc
		doc := &x.docs[id]
		if s.scores[id] == 0 || !slices.Equal(doc.name, name) {
			continue
		}
		s.scores[id] += best
		if strings.EqualFold(doc.title[strings.LastIndexByte(doc.title, '/')+1:], query) {
			s.scores[id] += best
		}
	}
}

// nameIn returns the words of a query in order; nil if it cannot be a name.
func (x *index) nameIn(query string) (name []*term) {
	if len(query) > maxName*words.MaxLength {
		return nil
	}
	known := true
	words.Split(query, func(w words.Word) {
		if w.Kind == words.Whole || w.Kind == words.Part {
			t := x.terms[words.Stem(w.Text)]
			known = known && t != nil
			name = append(name, t)
		}
	})
	if !known || len(name) > maxName {
		return nil
	}
	return name
}
