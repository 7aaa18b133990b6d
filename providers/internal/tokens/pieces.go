package tokens

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// piece returns the length of the first piece of a text that is not empty. Tokens do not go
// over the ends of pieces. They are the matches of this expression, whose first alternative
// that matches counts:
//
//	[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	\p{N}{1,3}
//	 ?[^\s\p{L}\p{N}]+[\r\n/]*
//	\s*[\r\n]+
//	\s+(?!\S)
//	\s+
func piece(text string) int {
	first, after := runeAt(text, 0)
	starts := []int{0}
	if first != '\r' && first != '\n' && !unicode.IsLetter(first) && !unicode.IsNumber(first) {
		starts = []int{after, 0}
	}
	for _, need := range []func(string, int) int{lowerWord, upperWord} {
		for _, start := range starts {
			if end := need(text, start); end > start {
				return end + contraction(text[end:])
			}
		}
	}
	if unicode.IsNumber(first) {
		return run(text, 0, 3, unicode.IsNumber)
	}
	start := 0
	if first == ' ' {
		start = after
	}
	if end := run(text, start, -1, isSign); end > start {
		return run(text, end, -1, func(r rune) bool { return r == '\r' || r == '\n' || r == '/' })
	}
	end := run(text, 0, -1, unicode.IsSpace)
	if last := strings.LastIndexAny(text[:end], "\r\n"); last >= 0 {
		return last + 1
	}
	if end < len(text) { // the last one goes with what follows, if it is not the only one
		if last := strings.LastIndexFunc(text[:end], unicode.IsSpace); last > 0 {
			return last
		}
	}
	return end
}

// lowerWord returns the end of capitals and then at least one small letter; what it returns is start if there
// is no such word. Some letters and marks are both.
func lowerWord(text string, start int) int {
	capitals := run(text, start, -1, isUpper)
	if end := run(text, capitals, -1, isLower); end > capitals {
		return end
	}
	if last := strings.LastIndexFunc(text[start:capitals], isLower); last >= 0 {
		_, end := runeAt(text, start+last)
		return end
	}
	return start
}

// upperWord returns the end of at least one capital, and small letters.
func upperWord(text string, start int) int {
	capitals := run(text, start, -1, isUpper)
	if capitals == start {
		return start
	}
	return run(text, capitals, -1, isLower)
}

// contraction returns the length of an ending such as 's at the start of a text.
func contraction(text string) int {
	if !strings.HasPrefix(text, "'") {
		return 0
	}
	for _, ending := range []string{"s", "t", "re", "ve", "m", "ll", "d"} {
		if len(text) > len(ending) && strings.EqualFold(text[1:1+len(ending)], ending) {
			return 1 + len(ending)
		}
	}
	return 0
}

// run returns the end of the runes from an index on that are of a class, of at most limit of them.
func run(text string, i, limit int, class func(rune) bool) int {
	for ; i < len(text) && limit != 0; limit-- {
		r, after := runeAt(text, i)
		if !class(r) {
			break
		}
		i = after
	}
	return i
}

func isUpper(r rune) bool {
	if r < utf8.RuneSelf {
		return 'A' <= r && r <= 'Z'
	}
	return unicode.In(r, unicode.Lu, unicode.Lt, unicode.Lm, unicode.Lo, unicode.M)
}

func isLower(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z'
	}
	return unicode.In(r, unicode.Ll, unicode.Lm, unicode.Lo, unicode.M)
}

func isSign(r rune) bool { return !unicode.IsSpace(r) && !unicode.IsLetter(r) && !unicode.IsNumber(r) }
