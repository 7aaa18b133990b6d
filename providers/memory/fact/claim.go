package fact

import (
	_ "embed"
	"strings"
	"sync"
	"unicode"

	"ctxfs/fs"
)

// claim is what a memory says, for comparing it with others.
type claim struct {
	// key is equal for texts that differ in letter case, punctuation and white space
	// only; about is the same of the description.
	key, about uint64
	// words are the telling words of the description, in their order and each as often
	// as it occurs. Before[i] is the small word that stands before words[i], or "".
	words, before []string
	// mask has a bit for each word: two words may have the same one.
	mask    uint64
	negated bool
	// ordered reports whether it puts one thing over another.
	ordered bool
}

// maxWords bounds the words of a claim.
const maxWords = 24

func claimOf(m *Memory) claim {
	c := claim{key: keyOf(m.Text), about: keyOf(m.Description)}
	last := ""
	for word := range wordsOf(m.Description) {
		switch {
		case is("negation", word):
			c.negated = true
			last = ""
		case is("comparison", word):
			c.ordered = true
			last = word
		case isSmall(word):
			if !is("article", word) {
				last = word
			}
		case len(c.words) < maxWords:
			word = singular(word)
			c.words = append(c.words, word)
			c.mask |= 1 << (fs.BytesVersion([]byte(word)) % 64)
			c.before = append(c.before, last)
			last = ""
		}
	}
	return c
}

// singular returns a word without the "s" of an English plural or verb.
func singular(word string) string {
	if len(word) > 3 && strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") && word[0] < 0x80 {
		return word[:len(word)-1]
	}
	return word
}

// keyOf returns a sum of the words of a text.
func keyOf(text string) uint64 {
	var b strings.Builder
	for word := range wordsOf(text) {
		b.WriteString(word)
		b.WriteByte(' ')
	}
	return fs.BytesVersion([]byte(b.String()))
}

// wordsOf yields the words of a text in small letters. A Chinese or Japanese character
// is a word; in a number, a version or a path "." and other punctuation do not end it.
func wordsOf(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		text = strings.ToLower(strings.ReplaceAll(text, "’", "'"))
		start := -1
		flush := func(end int) bool {
			if start < 0 {
				return true
			}
			word := strings.TrimRight(text[start:end], ".'-_/:@")
			start = -1
			return word == "" || yield(word)
		}
		for i, r := range text {
			switch {
			case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
				if !flush(i) || !yield(string(r)) {
					return
				}
			case isWord(r) || unicode.IsMark(r):
				if start < 0 {
					start = i
				}
			case start >= 0 && strings.ContainsRune(".'-_/:@", r):
			default:
				if !flush(i) {
					return
				}
			}
		}
		flush(len(text))
	}
}

// words.txt has lists of words in small letters, a list or a part of one a line, behind its
// name.
//
//go:embed words.txt
var wordsText string

// lists are the lists by their names, each word with the number of its line.
var lists = sync.OnceValue(func() map[string]map[string]int {
	all := make(map[string]map[string]int)
	number := 0
	for line := range strings.Lines(wordsText) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		if all[name] == nil {
			all[name] = make(map[string]int)
		}
		number++
		for word := range strings.FieldsSeq(rest) {
			all[name][word] = number
		}
	}
	return all
})

// is reports whether a word is in a list: "negation", words that turn a statement into its
// opposite; "comparison", those between what is preferred and what is not; "article", those
// that may stand between a verb and its object; "link", after which a value follows, but
// for "way" a number, too; "counted", what has numbers for names; "small", words that tell
// nothing by themselves.
func is(list, word string) bool { return lists()[list][word] > 0 }

// isSmall reports whether a word tells nothing by itself.
func isSmall(word string) bool { return is("small", word) || is("article", word) || is("link", word) }

// isSlot reports whether a word is one after which a number is a value that something has
// one of.
func isSlot(word string) bool { return is("link", word) && !is("way", word) }
