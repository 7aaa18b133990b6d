package translate

import (
	"embed"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"ctxfs/providers/internal/words"
)

// lists are the word lists: one meaning a line, in columns that | separates. The first
// has the English words, the best first, a_b for two that belong together; then come
// German, Chinese and Japanese. German nouns are capitalised, the particle of a
// separable verb is marked (an+legen); Japanese verbs stand in the form of a
// dictionary. Another language is another column. In function.txt, the words of each
// language that have no meaning of their own.
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

// meaning is a line of the lists: either words of which each will do, or parts that
// belong together, each with others.
type meaning [][]string

// table has the words of all languages, as they are looked up.
type table struct {
	meanings []meaning
	// nouns are German words but verbs, and those by their stems, by [plain].
	nouns, verbs map[string][]uint16
	// apart are separable verbs by the stem of the verb alone.
	apart map[string][]apart
	// particles are those of separable verbs.
	particles map[string]bool
	function  map[string]bool // German words without a meaning of their own

	// spaceless are words of languages without spaces in simplified characters;
	// stems are those of Japanese verbs and adjectives, after which an ending follows.
	spaceless, stems  map[string][]uint16
	spacelessFunction map[string]bool
	longest           int // of all of these, in characters

	homographs map[string]bool
	english    map[string]bool // words that are English as well, and their stems
	grammar    map[string]bool // words that can only be English
}

// apart is a separable verb: its particle and its meanings.
type apart struct {
	particle string
	means    []uint16
}

// load makes the table, in some milliseconds, when it is first needed.
var load = sync.OnceValue(newTable)

func newTable() *table {
	t := &table{
		nouns: make(map[string][]uint16), verbs: make(map[string][]uint16), apart: make(map[string][]apart),
		particles: make(map[string]bool), function: make(map[string]bool),
		spaceless: make(map[string][]uint16), stems: make(map[string][]uint16), spacelessFunction: make(map[string]bool),
		homographs: words.Set(homographs), english: words.Set(homographs), grammar: words.Set(surelyEnglish),
	}
	t.addFunctionWords(list("function"))
	for name := range strings.FieldsSeq(subjects) {
		for line := range strings.Lines(list(name)) {
			t.add(line)
		}
	}
	t.addIrregular()
	return t
}

// add adds a line of a list.
func (t *table) add(line string) {
	columns := strings.Split(line, "|")
	of := uint16(len(t.meanings))
	var m meaning
	for i, w := range strings.Fields(columns[0]) {
		for j, part := range strings.Split(w, "_") {
			t.english[part], t.english[words.Stem(part)] = true, true
			if i == 0 {
				m = append(m, nil)
			}
			m[min(j, len(m)-1)] = append(m[min(j, len(m)-1)], part)
		}
	}
	t.meanings = append(t.meanings, m)
	for w := range strings.FieldsSeq(columns[1]) {
		t.addGerman(w, of)
	}
	for w := range strings.FieldsSeq(columns[2]) {
		t.addSpaceless(t.spaceless, w, of)
	}
	for w := range strings.FieldsSeq(columns[3]) {
		t.addJapanese(w, of)
	}
}

func (t *table) addFunctionWords(text string) {
	german, rest, _ := strings.Cut(text, "|")
	for w := range strings.FieldsSeq(german) {
		t.function[plain(words.Fold(w))] = true
	}
	for w := range strings.FieldsSeq(strings.ReplaceAll(rest, "|", " ")) {
		w = simplified(norm.NFKC.String(w))
		t.spacelessFunction[w] = true
		t.longest = max(t.longest, len([]rune(w)))
	}
}

func (t *table) addGerman(w string, of uint16) {
	particle, rest, separable := strings.Cut(w, "+")
	if !separable {
		particle, rest = "", w
	}
	key := plain(words.Fold(rest))
	if capital, _ := utf8.DecodeRuneInString(w); unicode.IsUpper(capital) || !separable && !strings.HasSuffix(key, "n") {
		put(t.nouns, key, of)
		return
	}
	stem := strings.TrimSuffix(strings.TrimSuffix(key, "n"), "e")
	if !separable {
		put(t.verbs, stem, of)
		return
	}
	particle = plain(words.Fold(particle))
	put(t.verbs, particle+stem, of)
	t.particles[particle] = true
	all := t.apart[stem]
	if i := slices.IndexFunc(all, func(a apart) bool { return a.particle == particle }); i >= 0 {
		all[i].means = append(all[i].means, of)
	} else {
		t.apart[stem] = append(all, apart{particle, []uint16{of}})
	}
}

func (t *table) addSpaceless(to map[string][]uint16, w string, of uint16) {
	w = simplified(norm.NFKC.String(w))
	put(to, w, of)
	t.longest = max(t.longest, len([]rune(w)))
}

// addJapanese adds a word and, of a verb or an adjective, what is left of it before
// any ending.
func (t *table) addJapanese(w string, of uint16) {
	runes := []rune(w)
	n := len(runes)
	if last := runes[n-1]; n > 1 && strings.ContainsRune("るうくぐすつぬぶむい", last) {
		if stem := runes[:n-1]; n > 2 || !hiragana(stem[0]) {
			t.addSpaceless(t.stems, string(stem), of)
		}
	}
	if n > 1 && n < 3 && hiragana(runes[0]) && hiragana(runes[1]) {
		return // too short to be told from endings
	}
	t.addSpaceless(t.spaceless, w, of)
	if short, ok := strings.CutSuffix(w, "ー"); ok && n > 3 { // サーバ for サーバー
		t.addSpaceless(t.spaceless, short, of)
	}
}

func put(to map[string][]uint16, key string, of uint16) {
	if !slices.Contains(to[key], of) {
		to[key] = append(to[key], of)
	}
}

// senses returns what a word stands for that has some meanings: the first English
// words of each before the second ones. Share is how much of the word that is.
func (t *table) senses(of []string, means []uint16, share float64) (all []Sense) {
	for parts := range 3 {
		s := Sense{Of: of, Share: share}
		n := 1 // how many parts the first meaning has
		if len(means) > 0 {
			n = len(t.meanings[means[0]])
		}
		if parts >= n {
			break
		}
		s.Share /= float64(n)
		for rank := range maxMeanings {
			for i, id := range means {
				m := t.meanings[id]
				if n > 1 && i > 0 || n == 1 && len(m) > 1 { // of those with several parts only the first counts, alone
					continue
				}
				if rank < len(m[parts]) && len(s.English) < maxMeanings && !slices.Contains(s.English, m[parts][rank]) {
					s.English = append(s.English, m[parts][rank])
				}
			}
		}
		all = append(all, s)
	}
	return all
}
