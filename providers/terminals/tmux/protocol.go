package tmux

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"strings"
)

// decode undoes the escapes of %output: a backslash and three octal digits. It
// works in place.
func decode(text []byte) []byte {
	out := text[:0]
	for i := 0; i < len(text); i++ {
		if rest := text[i:]; len(rest) >= 4 && rest[0] == '\\' && octal(rest[1]) && octal(rest[2]) && octal(rest[3]) {
			out = append(out, (rest[1]-'0')<<6|(rest[2]-'0')<<3|(rest[3]-'0'))
			i += 3
			continue
		}
		out = append(out, text[i])
	}
	return out
}

func octal(c byte) bool { return '0' <= c && c <= '7' }

// output parses a line of output: "%extended-output %1 5 : text".
func output(line []byte) (pane string, text []byte, ok bool) {
	rest, ok := bytes.CutPrefix(line, []byte("%extended-output "))
	head, text, found := bytes.Cut(rest, []byte(": "))
	id, _, _ := bytes.Cut(head, []byte(" "))
	if !ok || !found || len(id) < 2 || id[0] != '%' {
		return "", nil, false
	}
	return string(id), decode(text), true
}

// newToken returns a word that no program can predict: text between two of them is
// an answer to ctxfs, whatever it looks like.
func newToken() string {
	random := make([]byte, 12)
	_, _ = rand.Read(random) // never fails
	return "ctxfs" + hex.EncodeToString(random)
}

// question is a line of commands and its answers.
type question struct {
	token    string
	commands []string
	// answered is called by the goroutine that reads, with the output of the
	// first format and the answer of each command; ok is false if tmux refused,
	// or the connection ended.
	answered func(first string, answers []string, ok bool)

	started bool
	first   string
	answers []string
	lines   []string // of the current answer, and what frames it
	frame   string   // the arguments of the %begin of the last token
}

// line returns what is sent. tmux runs all commands of a line at once.
func (q *question) line(format string) string {
	all := []string{format}
	for _, c := range q.commands {
		all = append(all, c, "display-message -p "+q.token)
	}
	return strings.Join(all, " ; ") + "\n"
}

// take processes a line of the answer, and reports whether it was the last one.
func (q *question) take(line string) bool {
	if line != q.token {
		q.lines = append(q.lines, line)
		return false
	}
	// %end of the token before, %begin, the answer, %end, %begin of this token.
	answer := ""
	if n := len(q.lines); n >= 4 {
		answer = strings.Join(q.lines[2:n-2], "\n")
		q.frame = strings.TrimPrefix(q.lines[n-1], "%begin ")
	}
	q.answers, q.lines = append(q.answers, answer), nil
	return len(q.answers) == len(q.commands)
}
