// Package words splits text into the words that searches look up: all searches use
// the same ones.
package words

import (
	_ "embed"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
	"golang.org/x/text/unicode/norm"
)

// MaxLength is the longest word in bytes: anything longer is data.
const MaxLength = 40

// Word is a part of a text that is looked up as one: lower case, without
// accents, not stemmed.
type Word struct {
	Text string
	Kind Kind
}

// Kind is how a word was split off.
type Kind int

const (
	Whole  Kind = iota
	Part        // of an identifier
	Joined      // parts written as one, after them: "github" after "git" and "hub"
	Single      // a character that stands alone, of a script without spaces
	Paired      // two neighbours of such a script
)

// Split splits a text into words: at everything that is neither letter nor digit,
// and within an identifier (snake_case, camelCase, HTTPServer2Go). In scripts
// without spaces between words every character and every pair of neighbours is a
// word.
func Split(text string, yield func(Word)) {
	if !ASCII(text) {
		text = norm.NFKC.String(text)
	}
	for len(text) > 0 {
		start := strings.IndexFunc(text, inWord)
		if start < 0 {
			return
		}
		text = text[start:]
		r, _ := utf8.DecodeRuneInString(text)
		same := inWord
		if Spaceless(r) {
			same = Spaceless
		} else {
			same = func(r rune) bool { return inWord(r) && !Spaceless(r) }
		}
		end := strings.IndexFunc(text, func(r rune) bool { return !same(r) })
		if end < 0 {
			end = len(text)
		}
		if Spaceless(r) {
			pairs(text[:end], yield)
		} else {
			humps(text[:end], yield)
		}
		text = text[end:]
	}
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

// Spaceless reports whether a character belongs to a script that is written without
// spaces, or with spaces that do not separate words.
func Spaceless(r rune) bool {
	const longVowel = 'ー' // of Katakana, though Unicode says of no script
	return r == longVowel || r >= 0xe00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

func pairs(run string, yield func(Word)) {
	runes := []rune(run)
	if len(runes) == 1 {
		yield(Word{run, Single})
		return
	}
	for i, r := range runes {
		yield(Word{string(r), Paired})
		if i > 0 {
			yield(Word{string(runes[i-1 : i+1]), Whole})
		}
	}
}

// humps splits one identifier without separators.
func humps(s string, yield func(Word)) {
	if len(s) > 4*MaxLength {
		return
	}
	runes := []rune(s)
	var cuts []int
	for i := 1; i < len(runes); i++ {
		before, r := runes[i-1], runes[i]
		next := i+1 < len(runes) && unicode.IsLower(runes[i+1])
		if unicode.IsUpper(r) && (!unicode.IsUpper(before) || next) {
			cuts = append(cuts, i)
		}
	}
	tell := func(s string, k Kind) {
		if s = Fold(s); s != "" && len(s) <= MaxLength {
			yield(Word{s, k})
		}
	}
	if cuts == nil {
		tell(s, Whole)
		return
	}
	start := 0
	for _, end := range append(cuts, len(runes)) {
		tell(string(runes[start:end]), Part)
		start = end
	}
	tell(s, Joined)
}

// Fold returns text in lower case without accents.
func Fold(s string) string {
	s = strings.ToLower(s)
	if ASCII(s) {
		return s
	}
	return norm.NFC.String(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(s)))
}

func ASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Stem returns the common stem of the forms of a word. Words with digits in
// them and those of other scripts are unchanged.
func Stem(s string) string {
	for i := range len(s) {
		if s[i] < 'a' || s[i] > 'z' {
			return s
		}
	}
	return english.Stem(s, true)
}

// Function lists words that carry no meaning in any text.
//
//go:embed function.txt
var Function string

// Courtesies lists words that people wrap requests in.
//
//go:embed courtesies.txt
var Courtesies string

// Set returns the set of words in some texts.
func Set(texts ...string) map[string]bool {
	set := make(map[string]bool)
	for _, text := range texts {
		for _, w := range strings.Fields(text) {
			set[w] = true
		}
	}
	return set
}
