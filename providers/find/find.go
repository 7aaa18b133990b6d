// Package find searches all providers: their documents (tools, skills,
// terminals, titles of sessions) and the texts that some of them search by
// themselves, by words, names or whole sentences.
//
// The order of its parts: find.go, document.go, update.go and vocabulary.go (the
// index and what goes into it), passages.go, query.go, foreign.go, search.go (a
// query, and its matches in one index), finder.go, merge.go and scale.go (the
// [Finder]: the index of all providers, and how matches of all kinds are compared and
// chosen), list.go (how they are written), folder.go and aliases.go
// (the folder find/).
//
// Whatever kind a match is of, its score is the share of the query that it has: each
// word counts by how rare it is in all sources, less where it stands in a less telling
// place, and not at all where it is only a guess at a word that another source has. A
// few factors follow: for the kind, the time, the project, the user's own words.
//
// The ranking of documents uses no model and no network. It is BM25F (Robertson and
// Zaragoza, "The Probabilistic Relevance Framework", 2009): a word counts by
// how rare it is, how often it is in a document and in which field, with less
// and less for each repetition. To that it adds what descriptions of tools and
// questions about them need:
//
//   - Words are cut out of identifiers (create_issue, createIssue), stemmed,
//     and looked up joined and apart: "word cloud" is "wordcloud". Scripts
//     without spaces are looked up by pairs of characters.
//   - A word also stands for its synonyms in the field, at half the weight:
//     "delete" finds remove_file. A word that is not in the index stands for words
//     that begin with it, or that it misspells.
//   - A word of Chinese also stands for the English words for it, at nearly the full
//     weight; a text in Chinese is indexed by them, too.
//   - A document with exactly the name that is asked for comes first.
//   - Words that twenty tools of one server share are more distinctive than words
//     that tools of twenty servers share: each further document of one folder
//     counts less towards how common a word is.
//   - A name that the query covers completely ranks higher than one with a word
//     in common.
//   - In a sentence, file names, addresses and quotations are values. They count
//     for what they are (a file, an e-mail address) and little for their words.
//
// The same documents and the same query give the same matches in the same
// order, in whatever order the documents were added.
//
// # Why not
//
//   - Plain BM25: on the largest of four unseen corpora it has the right tool first
//     in 56 of 100 cases and among five in 77; the ranking here in 64 and 87.
//   - Embeddings: they need a model or a network at the first search. What the
//     ranking still misses shares no word with its tool.
package find

import (
	"hash/maphash"
	"sync"

	"ctxfs/providers/internal/words"
)

// index is an index of documents in memory: about 3 KB for a tool. It is safe for
// concurrent use; searches run in parallel and wait only while an update inserts
// documents that it has already analysed.
type index struct {
	lexicon
	scratch sync.Pool
	seed    maphash.Seed

	updating sync.Mutex // held by the one update at a time

	mu         sync.RWMutex
	ids        map[string]uint32 // by path
	docs       []document        // removed ones have no path
	freeDocs   []uint32
	terms      map[string]*term
	vocabulary []*term        // the terms, sorted by text
	words      [fields]int    // in all documents
	groups     groups         // folders of documents
	dirty      map[*term]bool // terms whose spread is out of date
	lessons    *lessons       // nil as long as nothing was learned
}

// newIndex returns an empty index.
func newIndex() *index {
	return &index{
		lexicon: newLexicon(),
		scratch: sync.Pool{New: func() any { return new(scratch) }},
		seed:    maphash.MakeSeed(),
		ids:     make(map[string]uint32),
		terms:   make(map[string]*term),
		groups:  groups{ids: make(map[string]uint32)},
		dirty:   make(map[*term]bool),
	}
}

// Len returns the number of documents.
func (x *index) Len() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return len(x.ids)
}

// lexicon has what is known about words without any document.
type lexicon struct {
	functionWords map[string]bool // without meaning in any text
	courtesies    map[string]bool // without meaning in a question: functionWords and more
	synonyms      map[string][]string
}

func newLexicon() lexicon {
	return lexicon{
		functionWords: words.Set(words.Function),
		courtesies:    words.Set(words.Function, words.Courtesies),
		synonyms:      synonyms(),
	}
}
