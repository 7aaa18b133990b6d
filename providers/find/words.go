package find

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
	"golang.org/x/text/unicode/norm"
)

// maxWord is the longest word that counts, in bytes: what is longer is data.
const maxWord = 40

// word is a part of a text that is looked up as one: lower case, without
// accents, not stemmed.
type word struct {
	text string
	kind kind
}

type kind int

const (
	whole  kind = iota
	part        // of an identifier
	joined      // parts written as one, after them: "github" after "git" and "hub"
	single      // a character that stands alone, of a script without spaces
	paired      // one that has neighbours, of which the pairs are words too
)

// split cuts a text into words: at whatever is no letter and no digit, and
// within an identifier (snake_case, camelCase, HTTPServer2Go). Of scripts that
// put no spaces between words it makes every character and every pair of
// neighbours a word.
func split(text string, yield func(word)) {
	if !ascii(text) {
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
		if spaceless(r) {
			same = spaceless
		} else {
			same = func(r rune) bool { return inWord(r) && !spaceless(r) }
		}
		end := strings.IndexFunc(text, func(r rune) bool { return !same(r) })
		if end < 0 {
			end = len(text)
		}
		if spaceless(r) {
			pairs(text[:end], yield)
		} else {
			humps(text[:end], yield)
		}
		text = text[end:]
	}
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

// spaceless tells whether a character is of a script that is written without
// spaces, or with spaces that do not help.
func spaceless(r rune) bool {
	return r >= 0xe00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

func pairs(run string, yield func(word)) {
	runes := []rune(run)
	if len(runes) == 1 {
		yield(word{run, single})
		return
	}
	for i, r := range runes {
		yield(word{string(r), paired})
		if i > 0 {
			yield(word{string(runes[i-1 : i+1]), whole})
		}
	}
}

// humps cuts one identifier without separators.
func humps(s string, yield func(word)) {
	if len(s) > 4*maxWord {
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
	tell := func(s string, k kind) {
		if s = fold(s); s != "" && len(s) <= maxWord {
			yield(word{s, k})
		}
	}
	if cuts == nil {
		tell(s, whole)
		return
	}
	start := 0
	for _, end := range append(cuts, len(runes)) {
		tell(string(runes[start:end]), part)
		start = end
	}
	tell(s, joined)
}

// fold makes lower case and takes accents away.
func fold(s string) string {
	s = strings.ToLower(s)
	if ascii(s) {
		return s
	}
	return norm.NFC.String(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(s)))
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// stem is what the forms of a word have in common. Words with digits in them
// and those of other scripts stay.
func stem(s string) string {
	for i := range len(s) {
		if s[i] < 'a' || s[i] > 'z' {
			return s
		}
	}
	return english.Stem(s, true)
}
