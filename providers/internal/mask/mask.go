// Package mask hides secrets in text: in the logs and records of terminals, in
// copies of transcripts, in long results, in the output of servers. It
// recognizes them
//
//   - by their shape: the tokens of well-known services (shapes.tsv, derived
//     from gitleaks, and rules.go), passwords in URLs, private keys over
//     several lines;
//   - by what precedes them: the name of a variable, a flag, a key of JSON or YAML,
//     a header (name.go decides which names are secret, value.go which values are
//     not a placeholder, code or prose);
//   - by the program that takes a password there (command.go);
//   - by their value, if a terminal knows it (Known).
//
// A secret becomes [REDACTED:<rule>]; everything else is unchanged, byte for
// byte. Masking a text again changes nothing.
//
// A text without secrets is scanned once, eight bytes at a time (see scan.go),
// and is not copied.
package mask

import (
	"bytes"
	"strings"
)

// maxLine is how many bytes of an unfinished line are kept to recognize what begins
// in it: more than the length of a token or of a private key on one line.
const maxLine = 4 << 10

// Masker hides the secrets of one stream of text. The zero value is ready to
// use. It is not safe for concurrent use.
type Masker struct {
	line []byte // the unfinished line of the text so far
	key  *block // the private key in which that line begins
	all  []span
	// known are the values of the terminal, nil for none.
	known *Known
}

// New returns a Masker for a new stream.
func New() *Masker { return new(Masker) }

// span is a secret's place in a text.
type span struct {
	from, to int
	rule     string
}

// These characters end the name of a rule whose replacement needs the quotes of its
// key: a number of JSON becomes a string.
const (
	inQuotes  = "\""
	inEscaped = "\\\""
)

// Mask returns the next text of the stream with its secrets hidden; it returns text
// itself if it has no secrets. It keeps the number of lines and does not retain
// text. If the end of a text cuts a secret, the rest is hidden if the first part is
// long enough to be recognized or the rest makes it so; what was returned before is
// not changed. It makes one pass, and a copy if there is a secret or the previous
// text ended within a line.
func (m *Masker) Mask(text []byte) []byte {
	whole, old := text, len(m.line)
	if old > 0 {
		whole = append(m.line, text...)
	}
	last := bytes.LastIndexByte(whole, '\n') + 1
	f := finder{text: whole, match: m.matcher(), last: last, spans: m.all[:0]}
	f.find(m.key)
	if m.known != nil {
		if l := m.known.current(); l != nil {
			l.find(&f)
		}
		m.known.learn(whole, f.assigns)
	}
	m.key, m.all = f.after, f.spans
	out := text
	if n := len(f.spans); n > 0 && f.spans[n-1].to > old {
		out = hide(whole, old, f.spans)
	}
	keep := whole[last:]
	m.line = append(m.line[:0], keep[max(0, len(keep)-maxLine):]...)
	return out
}

// Again returns lines that show the end of the stream once more, a screen, with
// their secrets hidden. They may begin within a private key that has not ended.
// The state of the stream does not change.
func (m *Masker) Again(text []byte) []byte {
	again := Masker{known: m.known}
	if m.key != nil {
		k := *m.key
		k.lines, k.short = max(k.lines, 1), 0
		again.key = &k
	}
	return again.Mask(text)
}

func (m *Masker) matcher() *matcher {
	if m.known == nil {
		return base()
	}
	return m.known.match
}

// hide returns a text from an offset with the spans hidden.
func hide(text []byte, from int, spans []span) []byte {
	out := make([]byte, 0, len(text)-from+32*len(spans))
	for _, s := range spans {
		if s.to <= from {
			continue
		}
		if s.from > from {
			out = append(out, text[from:s.from]...)
		}
		out = appendMarker(out, s.rule)
		from = s.to
	}
	return append(out, text[from:]...)
}

func appendMarker(out []byte, rule string) []byte {
	quote := ""
	for _, q := range []string{inEscaped, inQuotes} {
		if r, ok := strings.CutSuffix(rule, q); ok && quote == "" {
			rule, quote = r, q
		}
	}
	out = append(append(append(out, quote...), "[REDACTED:"...), rule...)
	return append(append(out, ']'), quote...)
}
