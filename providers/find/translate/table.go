package translate

import (
	"embed"
	"slices"
	"strings"
	"sync"

	"golang.org/x/text/unicode/norm"
)

// lists are the word lists: one meaning a line, in two columns that | separates. The first
// has the English words, the best first, a_b for two that belong together, the second the
// Chinese ones. function.txt has words that have no meaning of their own, variants.txt
// pairs of a traditional character, or one of Japan, and the simplified one.
//
// They were written for ctxfs by hand, from the words of tools, and are under its
// licence.
//
//go:embed lists/*.txt
var lists embed.FS

// subjects are the lists in the order in which the meanings of a word come.
const subjects = "actions documents web computing business travel everyday qualities"

func list(name string) string {
	text, err := lists.ReadFile("lists/" + name + ".txt")
	if err != nil {
		panic(err) // it is a part of the program
	}
	return string(text)
}

// maxMeanings is how many English words a word may stand for.
const maxMeanings = 5

// meaning is a line of the lists: either alternative words, or parts that belong
// together, each with alternatives.
type meaning [][]string

// table has the words as they are looked up, in simplified characters.
type table struct {
	words   map[string][]meaning // none for a word without a meaning of its own
	longest int                  // in characters
	forms   map[rune]rune        // variants by character
}

// load makes the table, in some milliseconds, when it is first needed.
var load = sync.OnceValue(newTable)

func newTable() *table {
	t := &table{words: make(map[string][]meaning), forms: make(map[rune]rune)}
	for pair := range strings.FieldsSeq(list("variants")) {
		r := []rune(pair)
		t.forms[r[0]] = r[1]
	}
	for name := range strings.FieldsSeq(subjects) {
		for line := range strings.Lines(list(name)) {
			english, chinese, _ := strings.Cut(line, "|")
			m := readMeaning(english)
			seen := make(map[string]bool)
			for w := range strings.FieldsSeq(chinese) {
				if w = t.key(w); !seen[w] { // two spellings of one
					seen[w], t.words[w] = true, append(t.words[w], m)
				}
			}
		}
	}
	for w := range strings.FieldsSeq(list("function")) {
		t.words[t.key(w)] = nil
	}
	return t
}

// key returns the form in which a word is looked up.
func (t *table) key(w string) string {
	runes := []rune(norm.NFKC.String(w))
	for i, r := range runes {
		runes[i] = t.simplify(r)
	}
	t.longest = max(t.longest, len(runes))
	return string(runes)
}

// simplify returns the simplified form of a character, which stands for all of its forms.
func (t *table) simplify(r rune) rune {
	if s, ok := t.forms[r]; ok {
		return s
	}
	return r
}

// readMeaning reads the English words of a line.
func readMeaning(english string) (m meaning) {
	for i, w := range strings.Fields(english) {
		for j, part := range strings.Split(w, "_") {
			if i == 0 {
				m = append(m, nil)
			}
			at := min(j, len(m)-1)
			m[at] = append(m[at], part)
		}
	}
	return m
}

// senses returns what a word stands for that has some meanings: the first English words of
// each before the second ones. Of meanings with several parts only the first of all counts,
// alone.
func senses(of []string, means []meaning) (all []Sense) {
	parts := len(means[0])
	if parts > 1 {
		means = means[:1]
	}
	for part := range parts {
		s := Sense{Of: of, Share: 1 / float64(parts)}
		for rank := range maxMeanings {
			for _, m := range means {
				if len(m) == parts && rank < len(m[part]) && len(s.English) < maxMeanings && !slices.Contains(s.English, m[part][rank]) {
					s.English = append(s.English, m[part][rank])
				}
			}
		}
		all = append(all, s)
	}
	return all
}
