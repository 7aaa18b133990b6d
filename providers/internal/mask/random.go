package mask

import (
	"slices"
	"strings"

	"ctxfs/providers/internal/regexps"
)

// leftOut stands for what Random hides: no rule knows what it was.
const leftOut = "…"

var (
	uuid      = regexps.Lazy(`[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}`)
	stretches = regexps.Lazy(`sha256:[0-9a-f]{64}|[0-9A-Za-z+/_-]{8,}`)
	pieces    = regexps.Lazy(`[0-9A-Za-z_-]{8,}`)
	runs      = regexps.Lazy(`[0-9A-Za-z]{8,}`)
)

// Random returns a word with an ellipsis for the parts of it that look
// generated: UUIDs, and long runs in which letters and digits, or large and
// small letters, alternate. Names of packages, versions, paths and digests
// stay. It recognizes less than Text, and trusts its evidence less: it is for
// words that lose their meaning if they are hidden by mistake.
func Random(word string) string {
	word = uuid().ReplaceAllString(word, leftOut)
	return stretches().ReplaceAllStringFunc(word, func(s string) string {
		if strings.HasPrefix(s, "sha256:") {
			return s // of an image
		}
		parts := pieces().ReplaceAllStringFunc(s, randomPiece)
		slashed := len(s) >= 24 && isMixed(s) && turns(s)*5 >= len(s)
		if slashed && (parts == s || turns(strings.ReplaceAll(parts, leftOut, "/")) > 0) { // not words of a path around it
			return leftOut
		}
		return parts
	})
}

// randomPiece is Random for a run of letters, digits and dashes.
func randomPiece(piece string) string {
	if len(piece) >= 16 && turns(piece)*3 >= len(piece) || slices.ContainsFunc(runs().FindAllString(piece, -1), isRandom) {
		return leftOut
	}
	return piece
}

// isRandom reports whether letters and digits look generated.
func isRandom(s string) bool {
	has, n := classesOf([]byte(s)), turns(s)
	switch {
	case has&digit == 0:
		return len(s) >= 20 && mixed(has, upper|lower) && n*5 >= len(s)
	case has&(upper|lower) == 0:
		return false
	case isMixed(s):
		return len(s) >= 10 && n >= 3
	}
	return len(s) >= 12 && n >= 4 || len(s) >= 20 && n >= 2
}

// isMixed reports whether a text has digits, and letters of both cases.
func isMixed(s string) bool { return mixed(classesOf([]byte(s)), alnum) }

// turns returns how often a letter follows a digit, a digit a letter, or a
// large letter a small one.
func turns(s string) (n int) {
	for i := 1; i < len(s); i++ {
		a, b := s[i-1], s[i]
		if is(a, digit) && is(b, upper|lower) || is(a, upper|lower) && is(b, digit) || is(a, lower) && is(b, upper) {
			n++
		}
	}
	return n
}
