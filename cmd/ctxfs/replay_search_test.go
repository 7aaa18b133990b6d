package main

import (
	"cmp"
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strings"
)

// toolSearch ranks tools as the search tools of clients do: by BM25 over name,
// description, and the names and descriptions of arguments.
type toolSearch struct {
	documents []searched
	in        map[string]int // how many documents have a word
	length    float64        // mean
}

type searched struct {
	key, definition string
	words           map[string]int
	length          float64
}

// loaded is how many definitions a search loads.
const loaded = 5

func newToolSearch(pool *toolPool, servers []string) *toolSearch {
	s := &toolSearch{in: make(map[string]int)}
	for _, server := range servers {
		for _, d := range pool.servers[server] {
			one := pool.searched(server, d)
			for w := range one.words {
				s.in[w]++
			}
			s.length += one.length
			s.documents = append(s.documents, one)
		}
	}
	s.length /= float64(max(1, len(s.documents)))
	return s
}

// searched is a tool as it is searched, made once.
func (p *toolPool) searched(server string, d definition) searched {
	key := server + "/" + d.Name
	if one, ok := p.documents[key]; ok {
		return one
	}
	one := searched{key: key, definition: asDefinition(server, d), words: make(map[string]int)}
	for _, w := range searchWords(server + " " + d.Name + " " + d.Description + " " + argumentWords(d.InputSchema)) {
		one.words[w]++
		one.length++
	}
	p.documents[key] = one
	return one
}

// best are the tools that have most of the words.
func (s *toolSearch) best(want string) (found []searched) {
	const k, b = 1.5, 0.75
	scores := make(map[string]float64)
	n := float64(len(s.documents))
	words := searchWords(want)
	for _, d := range s.documents {
		for _, w := range words {
			if f := float64(d.words[w]); f > 0 {
				in := float64(s.in[w])
				scores[d.key] += math.Log(1+(n-in+0.5)/(in+0.5)) * f * (k + 1) / (f + k*(1-b+b*d.length/s.length))
			}
		}
		if scores[d.key] > 0 {
			found = append(found, d)
		}
	}
	slices.SortStableFunc(found, func(a, b searched) int { return cmp.Compare(scores[b.key], scores[a.key]) })
	return found[:min(loaded, len(found))]
}

// definition is that of a tool.
func (s *toolSearch) definition(key string) string {
	return s.documents[slices.IndexFunc(s.documents, func(d searched) bool { return d.key == key })].definition
}

var (
	camel    = regexp.MustCompile(`([a-z0-9])([A-Z])`)
	wordLike = regexp.MustCompile(`[\pL\pN]+`)
)

// searchWords are the words of a text in lower case, without those that every text
// has, and without the s of a plural.
func searchWords(text string) (words []string) {
	text = strings.ToLower(camel.ReplaceAllString(text, "$1 $2"))
	for _, w := range wordLike.FindAllString(text, -1) {
		if slices.Contains(stopWords, w) {
			continue
		}
		if len(w) > 3 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") {
			w = w[:len(w)-1]
		}
		words = append(words, w)
	}
	return words
}

var stopWords = strings.Fields(`a an and are as at be by for from in is it of on or that the this to with`)

// argumentWords are the names and the descriptions of arguments.
func argumentWords(schema json.RawMessage) string {
	var s struct {
		Properties map[string]struct{ Description string }
	}
	_ = json.Unmarshal(schema, &s)
	var all []string
	for name, p := range s.Properties {
		all = append(all, name+" "+p.Description)
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}
