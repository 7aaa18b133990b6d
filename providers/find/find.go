// Package find finds what all the folders hold: tools, skills and whatever
// else has documents, by words, names or whole sentences.
//
// The ranking uses no model and no network. It is BM25F (Robertson and
// Zaragoza, "The Probabilistic Relevance Framework", 2009): a word counts by
// how rare it is, how often it is in a document and in which field, with less
// and less for each repetition. To that it adds what descriptions of tools and
// questions about them need:
//
//   - Words are cut out of identifiers (create_issue, createIssue), stemmed,
//     and looked up joined and apart: "word cloud" is "wordcloud". Scripts
//     without spaces are looked up by pairs of characters.
//   - A word stands for its synonyms of the trade as well, at half the weight:
//     "delete" finds remove_file. A word that nobody uses stands for those
//     that it begins, or is a misspelling of.
//   - What bears just the name that is asked for comes first.
//   - Words that twenty tools of one server share tell more than words that
//     tools of twenty servers share: the documents of one folder count less
//     and less towards how common a word is.
//   - A name that a query covers whole is better than one of which it meets a
//     word by chance.
//   - In a sentence, file names, addresses and what is in quotes are values.
//     They count for what they are (a file, an e-mail address) and little for
//     what they say.
//
// The same documents and the same query give the same matches in the same
// order, however the documents came in.
package find

import (
	"hash/maphash"
	"sync"

	"ctxfs/providers/internal/words"
)

// Index holds what can be found, in memory: about 3 KB a tool. It is safe for
// concurrent use; searches run side by side and wait only while an update
// moves documents that were analysed before into their places.
type Index struct {
	lexicon
	scratch sync.Pool
	seed    maphash.Seed

	updating sync.Mutex // held by the one update at a time

	mu         sync.RWMutex
	ids        map[string]uint32 // by path
	docs       []document        // those that are gone have no path
	freeDocs   []uint32
	terms      map[string]*term
	vocabulary []*term        // the same, by text
	words      [fields]int    // in all documents
	groups     groups         // folders of documents
	dirty      map[*term]bool // their spread is not known
}

// New is an empty index.
func New() *Index {
	return &Index{
		lexicon: newLexicon(),
		scratch: sync.Pool{New: func() any { return new(scratch) }},
		seed:    maphash.MakeSeed(),
		ids:     make(map[string]uint32),
		terms:   make(map[string]*term),
		groups:  groups{ids: make(map[string]uint32)},
		dirty:   make(map[*term]bool),
	}
}

// Len is the number of documents.
func (x *Index) Len() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return len(x.ids)
}

// lexicon is what is known of words before any document is.
type lexicon struct {
	functionWords map[string]bool // of no meaning in any text
	courtesies    map[string]bool // nor in a question: these and functionWords
	synonyms      map[string][]string
}

func newLexicon() lexicon {
	return lexicon{
		functionWords: words.Set(words.Function),
		courtesies:    words.Set(words.Function, words.Courtesies),
		synonyms:      synonyms(),
	}
}
