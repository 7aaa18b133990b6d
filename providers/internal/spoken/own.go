// Package spoken tells which words of a message are a person's own: what was pasted,
// quoted, forwarded or said by a program is not.
package spoken

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// longText is from how many words on a text was pasted, but for its first and last
	// lines, and longSentence from how many on a sentence was not said by a person.
	longText     = 120
	longSentence = 40
	// longQuote is from how many bytes on what stands in quotation marks was not said by
	// the one who quotes it.
	longQuote = 32
	// maxRead is how much is read of the beginning and of the end of a text, in bytes.
	maxRead = 32 << 10
	// longBytes is the length of the longest sentence of a script without spaces.
	longBytes = 480
)

// Own returns the lines of a text in words of the person who has sent it. What was
// pasted is left out: code, logs, quotations, markup, tables, and whatever is too long
// to have been typed.
func Own(text string) []string {
	lines := proseOf(text, unquoted)
	words := 0
	for _, line := range lines {
		words += len(strings.Fields(line))
	}
	if last := len(lines) - 1; words > longText && last > 0 {
		lines = []string{lines[0], lines[last]}
	}
	return lines
}

// proseOf returns the lines of a text that may be a person's or an agent's own words,
// without the marks of lists. Without is applied to each before.
func proseOf(text string, without func(string) string) (lines []string) {
	if len(text) > 2*maxRead {
		text = text[:maxRead] + "\n" + text[len(text)-maxRead:]
	}
	fence := ""
	for line := range strings.Lines(withoutMarkup(text)) {
		indented := strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "    ")
		line = strings.TrimSpace(line)
		mark := line[:min(3, len(line))]
		switch {
		case fence != "":
			if mark == fence {
				fence = ""
			}
			continue
		case mark == "```" || mark == "~~~":
			if !strings.Contains(line[3:], mark) {
				fence = mark
			}
			continue
		}
		line = strings.TrimSpace(without(line))
		if line == "" || indented || strings.ContainsRune(">|<$%{}[]#", rune(line[0])) || isLog(line) || !isProse(line) {
			continue
		}
		lines = append(lines, strings.TrimRight(strings.TrimLeft(line, "-*• "), ": "))
	}
	return lines
}

// withoutMarkup returns a text without elements such as <log>…</log>, and without what
// follows one at the beginning of a line that is never closed: <name> within a line is a
// placeholder.
func withoutMarkup(text string) string {
	var out []byte
	closed := len(text) - strings.LastIndex(text, "</") // from the end
	for {
		at := strings.IndexByte(text, '<')
		if at < 0 || !strings.Contains(text[at:], ">") {
			return string(append(out, text...))
		}
		out = append(out, text[:at]...)
		text = text[at+1:]
		switch {
		case !unicode.IsLetter(rune(text[0])):
			out = append(out, '<')
		case len(text) >= closed:
			end := strings.Index(text, "</")
			_, text, _ = strings.Cut(text[end:], ">")
			out = append(out, '\n')
		case strings.TrimSpace(string(out[bytes.LastIndexByte(out, '\n')+1:])) == "":
			return string(out)
		default:
			out = append(out, '<')
		}
	}
}

func isName(r rune) bool {
	return r == '-' || r == '_' || r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// unquoted returns a line without long quotations.
func unquoted(line string) string {
	for _, marks := range []string{`""`, "“”", "„“", "«»", "「」", "``"} {
		_, size := utf8.DecodeRuneInString(marks)
		open, closing := marks[:size], marks[size:]
		for from := 0; ; {
			start := strings.Index(line[from:], open)
			if start < 0 {
				break
			}
			start += from
			length := strings.Index(line[start+len(open):], closing)
			if length < 0 {
				break
			}
			end := start + len(open) + length + len(closing)
			if from = end; end-start >= longQuote {
				line, from = line[:start]+" "+line[end:], start
			}
		}
	}
	return line
}

// isLog reports whether a line is one of a log, a trace or a listing: it begins with a date,
// a time or its number.
func isLog(line string) bool {
	line = strings.TrimLeftFunc(line, func(r rune) bool { return !isName(r) || r == '-' })
	rest := strings.TrimLeft(line, "0123456789")
	mark := func(at int, of byte) bool { return len(rest) > 5 && rest[at] == of }
	call, _, called := strings.Cut(strings.TrimPrefix(line, "at "), "(")
	switch digits := len(line) - len(rest); {
	case digits == 4 && mark(0, '-') && mark(3, '-'), digits == 2 && mark(0, ':') && mark(3, ':'):
		return true
	case digits > 0:
		return strings.HasPrefix(rest, ": ") || strings.HasPrefix(rest, "| ")
	}
	return strings.HasPrefix(line, `File "`) || called && call != "" && strings.HasPrefix(line, "at ") && !strings.Contains(call, " ")
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

// Last returns the last sentence of a text, without marks, or "".
func Last(text string) string {
	for _, line := range slices.Backward(proseOf(text, func(line string) string { return line })) {
		if all := Sentences(line); len(all) > 0 {
			return Bare(all[len(all)-1])
		}
	}
	return ""
}
