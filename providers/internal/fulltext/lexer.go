package fulltext

import (
	"unicode/utf8"

	"ctxfs/providers/internal/words"
)

// lexer cuts text into the terms that find it. It caches the terms of words, and is
// not safe for concurrent use.
type lexer struct {
	cache    map[string][]string
	function map[string]bool
	number   [1]string
}

// maxCached is how many words a lexer caches.
const maxCached = 1 << 16

func newLexer() *lexer {
	return &lexer{cache: make(map[string][]string), function: words.Set(words.Function)}
}

// longestCached is the longest run of characters that is cached, in bytes.
const longestCached = 64

// each calls yield with the terms of each word of a text, in order.
func (l *lexer) each(text []byte, yield func(terms []string)) {
	l.eachAt(text, func(terms []string, _ int) { yield(terms) })
}

// eachAt is each, with where the word begins.
func (l *lexer) eachAt(text []byte, yield func(terms []string, at int)) {
	for i := 0; i < len(text); {
		if !inRun(text[i]) {
			i++
			continue
		}
		start := i
		for i < len(text) && inRun(text[i]) {
			i++
		}
		if terms := l.run(text[start:i]); len(terms) > 0 {
			yield(terms, start)
		}
	}
}

// inRun reports whether a byte may belong to a word.
func inRun(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c >= utf8.RuneSelf
}

// isNumber reports whether a run of characters is a number, or an id in lower case:
// its only term is itself. Lower reports whether it is a number or lower case.
func isNumber(run []byte) (is, lower bool) {
	for _, c := range run {
		switch {
		case '0' <= c && c <= '9':
			is = true
		case c < 'a' || c > 'z':
			return false, false
		}
	}
	return is && len(run) > 1 && len(run) <= words.MaxLength, true
}

// run returns the terms of a run of characters, which are valid until the next call.
func (l *lexer) run(run []byte) []string {
	switch number, lower := isNumber(run); {
	case lower && len(run) > words.MaxLength:
		return nil
	case number: // there are too many of them to be cached
		l.number[0] = string(run)
		return l.number[:]
	}
	if len(run) > longestCached {
		return l.cut(string(run))
	}
	terms, ok := l.cache[string(run)]
	if !ok {
		if len(l.cache) >= maxCached {
			clear(l.cache)
		}
		terms = l.cut(string(run))
		l.cache[string(run)] = terms
	}
	return terms
}

// cut returns the terms of a run of characters: the stems of its words, and for
// scripts without spaces the pairs of neighbours and the last character, so that
// every character begins a term.
func (l *lexer) cut(run string) (terms []string) {
	var before, last string // the latest two characters that no pair has joined yet
	end := func() {
		for _, c := range []string{before, last} {
			if c != "" {
				terms = append(terms, c)
			}
		}
		before, last = "", ""
	}
	words.Split(run, func(w words.Word) {
		if w.Kind == words.Paired {
			if before != "" { // another text without spaces begins
				terms = append(terms, before)
			}
			before, last = last, w.Text
			return
		}
		if before+last == w.Text {
			before = ""
		} else {
			end()
		}
		if len(w.Text) < 2 || l.function[w.Text] {
			return
		}
		terms = append(terms, words.Stem(w.Text))
	})
	end()
	return terms
}
