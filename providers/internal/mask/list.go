package mask

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed words.txt
var listed string

// wordList is a list of words.txt.
type wordList struct {
	words []string
	has   map[string]bool
}

// lists are those of words.txt, by name. They are read when the first text is masked.
var lists = sync.OnceValue(func() map[string]wordList {
	all := make(map[string]wordList)
	for line := range strings.SplitSeq(listed, "\n") {
		if name, words, ok := strings.Cut(line, ": "); ok && line[0] != '#' {
			l := wordList{strings.Split(words, "|"), make(map[string]bool)}
			for _, w := range l.words {
				l.has[w] = true
			}
			all[name] = l
		}
	}
	return all
})

func list(name string) []string { return lists()[name].words }

func isOneOf(name, word string) bool { return lists()[name].has[word] }
