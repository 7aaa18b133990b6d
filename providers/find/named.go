package find

import (
	"slices"
	"strings"
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
	if len(query) > maxName*maxWord {
		return nil
	}
	known := true
	split(query, func(w word) {
		if w.kind == whole || w.kind == part {
			t := x.terms[stem(w.text)]
			known = known && t != nil
			name = append(name, t)
		}
	})
	if !known || len(name) > maxName {
		return nil
	}
	return name
}
