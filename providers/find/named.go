package find

import (
	"slices"
	"strings"

	"ctxfs/providers/internal/words"
)

// maxName is the most words of a query that are taken for a name.
const maxName = 12

// named puts those first of what was found whose name is all that is asked for,
// as the words of it or, better still, as it is written: whoever types a name
// wants what bears it, even where another has more to do with each word of it.
func (x *Index) named(s *scratch, query string) {
	query = strings.TrimSpace(query)
	name := x.asked(query)
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

// asked are the words of a query in order; nil if it cannot be a name.
func (x *Index) asked(query string) (name []*term) {
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
