package uses

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/words"
)

const (
	// longText is from how many words on a text was pasted, but for its first and last
	// lines, and longSentence from how many on a sentence was not said by a person.
	longText     = 120
	longSentence = 40
	// longWant and longSaid are the lengths of what is taken, in bytes.
	longWant = 240
	longSaid = 160
)

var (
	fence    = regexp.MustCompile("(?s)```.*?(?:```|$)|~~~.*?(?:~~~|$)")
	tagged   = regexp.MustCompile(`(?s)<([a-zA-Z][\w-]*)\b[^>]*>.*?(?:</[a-zA-Z][\w-]*>|$)`)
	quoted   = regexp.MustCompile(`"[^"\n]{30,}"|“[^”\n]{30,}”|«[^»\n]{30,}»|` + "`[^`\n]{30,}`")
	logLine  = regexp.MustCompile(`^\W*(?:\d{4}-\d\d-\d\d|\d\d:\d\d:\d\d|at [\w.$]+\(|File "|\d+[:|] )`)
	sentence = regexp.MustCompile(`[.!?]+(?:\s+|$)|[。！？]+|\n+`)
)

// ownWords returns what a person wanted in a text that the person has sent: its first
// sentences and the last one. What was pasted is left out: code, logs, quotations,
// markup, tables, and whatever is too long to have been typed.
func ownWords(text string) string {
	lines := typedLines(text)
	if count(lines) > longText {
		kept := lines[:1:1]
		if last := len(lines) - 1; last > 0 {
			kept = append(kept, lines[last])
		}
		lines = kept
	}
	var said []string
	for _, line := range lines {
		said = append(said, sentences(line)...)
	}
	if len(said) > 3 {
		said = append(said[:2:2], said[len(said)-1])
	}
	return clean.Cut(clean.Line(strings.Join(said, ". ")), longWant)
}

// typedLines returns the lines of a text that a person may have typed.
func typedLines(text string) []string {
	text = fence.ReplaceAllString(text, "\n")
	text = tagged.ReplaceAllString(text, "\n")
	text = quoted.ReplaceAllString(text, " ")
	var lines []string
	for line := range strings.Lines(text) {
		indented := strings.HasPrefix(line, "\t") || strings.HasPrefix(line, "    ")
		line = strings.TrimSpace(line)
		if line == "" || indented || strings.ContainsRune(">|<$%{}[]#", rune(line[0])) || logLine.MatchString(line) || !isProse(line) {
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

// sentences returns the sentences of a line that are short enough.
func sentences(line string) []string {
	return slices.DeleteFunc(sentence.Split(line, -1), func(s string) bool {
		n := len(strings.Fields(s))
		return n == 0 || n > longSentence || len(s) > 2*longWant
	})
}

func count(lines []string) (n int) {
	for _, line := range lines {
		n += len(strings.Fields(line))
	}
	return n
}

// lastSentence returns what an agent said last.
func lastSentence(text string) string {
	lines := typedLines(text)
	for _, line := range slices.Backward(lines) {
		if all := sentences(line); len(all) > 0 {
			return clean.Cut(clean.Line(all[len(all)-1]), longSaid)
		}
	}
	return ""
}

// assents are words with which a person wants what was wanted before.
const assents = `
yes yep yeah y ok okay sure fine good great perfect go on ahead continue proceed do it please thanks thank you next again retry more right correct exactly that
`

// isAssent reports whether a text has no want of its own.
func isAssent(text string) bool {
	if len(text) > 60 {
		return false
	}
	known, all := words.Set(assents), true
	words.Split(text, func(w words.Word) { all = all && known[w.Text] })
	return all
}
