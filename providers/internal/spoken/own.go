// Package spoken tells which words of a message are a person's own: what was pasted,
// quoted, forwarded or said by a program is not.
package spoken

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"ctxfs/providers/internal/regexps"
)

const (
	// longText is from how many words on a text was pasted, but for its first and last
	// lines, and longSentence from how many on a sentence was not said by a person.
	longText     = 120
	longSentence = 40
	// longQuote is from how many bytes on what stands in quotation marks was not said by
	// the one who quotes it.
	longQuote = 32
	// longBytes is the length of the longest sentence of a script without spaces.
	longBytes = 480
)

var (
	fence    = regexps.Lazy("(?s)```.*?(?:```|$)|~~~.*?(?:~~~|$)")
	tagged   = regexps.Lazy(`(?s)<[a-zA-Z][\w-]*\b[^>]*>.*?</[a-zA-Z][\w-]*>`)
	unclosed = regexps.Lazy(`(?ms)^[ \t]*<[a-zA-Z][\w-]*\b[^>\n]*>.*\z`) // <name> within a line is a placeholder
	quoted   = regexps.Lazy(`"[^"\n]*"|“[^”\n]*”|„[^“\n]*“|«[^»\n]*»|「[^」\n]*」|` + "`[^`\n]*`")
	logLine  = regexps.Lazy(`^\W*(?:\d{4}-\d\d-\d\d|\d\d:\d\d:\d\d|at [\w.$]+\(|File "|\d+[:|] )`)
)

// Own returns the lines of a text in words of the person who has sent it. What was
// pasted is left out: code, logs, quotations, markup, tables, and whatever is too long
// to have been typed.
func Own(text string) []string {
	lines := Lines(quoted().ReplaceAllStringFunc(fence().ReplaceAllString(text, "\n"), func(quote string) string {
		if len(quote) < longQuote {
			return quote
		}
		return " "
	}))
	words := 0
	for _, line := range lines {
		words += len(strings.Fields(line))
	}
	if last := len(lines) - 1; words > longText && last > 0 {
		lines = []string{lines[0], lines[last]}
	}
	return lines
}

// Lines returns the lines of a text that may be somebody's own words, a person's or
// an agent's, without the marks of lists.
func Lines(text string) []string {
	text = fence().ReplaceAllString(text, "\n")
	text = tagged().ReplaceAllString(text, "\n")
	text = unclosed().ReplaceAllString(text, "\n")
	var lines []string
	for line := range strings.Lines(text) {
		indented := strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "    ")
		line = strings.TrimSpace(line)
		if line == "" || indented || strings.ContainsRune(">|<$%{}[]#", rune(line[0])) || logLine().MatchString(line) || !isProse(line) {
			continue
		}
		lines = append(lines, strings.TrimRight(strings.TrimLeft(line, "-*• "), ": "))
	}
	return lines
}

// isProse reports whether most of a line is words.
func isProse(line string) bool {
	letters, all := 0, 0
	for _, r := range line {
		all++
		if unicode.IsLetter(r) || r == ' ' || r == ',' || r == '.' || r == '?' || r == '\'' {
			letters++
		}
	}
	return letters*5 >= all*4
}

// Sentences returns the sentences of a line that are short enough to have been said,
// each with the marks that it ends with.
func Sentences(line string) (all []string) {
	for start := 0; start < len(line); {
		end := start + sentenceEnd(line[start:])
		all = append(all, strings.TrimSpace(line[start:end]))
		start = end
	}
	return slices.DeleteFunc(all, func(s string) bool {
		n := len(strings.Fields(Bare(s)))
		return n == 0 || n > longSentence || len(s) > longBytes
	})
}

// sentenceEnd returns where the first sentence of a text ends, behind its marks and what
// separates it from the next.
func sentenceEnd(text string) int {
	for i := 0; i < len(text); {
		if next := strings.IndexAny(text[i:], ".!?。！？\n"); next < 0 {
			break
		} else {
			i += next
		}
		rest := text[i:]
		var end string // what is behind the marks
		switch {
		case rest[0] == '\n':
			end = strings.TrimLeft(rest, "\n")
		case rest[0] < utf8.RuneSelf:
			end = strings.TrimLeft(rest, ".!?")
			if space := strings.TrimLeft(end, " \t\n\f\r"); space != end || end == "" {
				end = space
			} else if dots := strings.TrimLeft(rest, "."); len(rest)-len(dots) >= 3 {
				end = dots
			} else {
				i++ // v1.2
				continue
			}
		default:
			end = strings.TrimLeft(rest, "。！？")
		}
		return len(text) - len(end)
	}
	return len(text)
}

// Bare returns a sentence without the marks that it ends with.
func Bare(s string) string { return strings.TrimRight(s, ".!?。！？ ") }

// Last returns the last sentence of a text, without marks; "" if there is none.
func Last(text string) string {
	for _, line := range slices.Backward(Lines(text)) {
		if all := Sentences(line); len(all) > 0 {
			return Bare(all[len(all)-1])
		}
	}
	return ""
}
