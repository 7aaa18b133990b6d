// Package mask hides secrets in the text of terminals, by their shape alone: the
// tokens of well-known services, passwords in URLs, bearer tokens in headers and
// private keys over several lines. A secret becomes [REDACTED:<rule>]; all else
// stays as it is, byte for byte. What has no shape of its own, such as a password
// that is typed as an argument, is not found.
//
// A text without secrets is looked at once, two bytes at a time (see scan.go),
// and is not copied: 0.7 to 1.6 GB/s. The shapes are those that the services document and
// that scanners for secrets (gitleaks) use; they are strict where a prefix is also
// an ordinary word.
package mask

import "bytes"

// maxLine is how much of an unfinished line is kept to find what it begins, in
// bytes: more than a token or a private key on one line has.
const maxLine = 4 << 10

// Masker hides the secrets of one stream of text. The zero value is ready. It is
// not safe for concurrent use.
type Masker struct {
	line []byte // of the text so far, the line that is not finished
	key  *block // the private key in which that line begins
	all  []span
}

// New returns a Masker for a stream that begins.
func New() *Masker { return new(Masker) }

// span is a secret's place in a text.
type span struct {
	from, to int
	rule     string
}

// Mask returns the next text of the stream with its secrets hidden: text itself
// where it has none. The number of lines stays. It does not keep text. Of a
// secret that is cut by the end of a text, the rest is hidden if the first part
// is long enough to be recognised or the rest makes it so; what was handed out
// stays. Cost: one pass; a copy if there is a secret, or the text before ended
// within a line.
func (m *Masker) Mask(text []byte) []byte {
	whole, old := text, len(m.line)
	if old > 0 {
		whole = append(m.line, text...)
	}
	last := bytes.LastIndexByte(whole, '\n') + 1
	f := finder{text: whole, match: base(), last: last, spans: m.all[:0]}
	f.find(m.key)
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
// their secrets hidden. They may begin within the private key that has not ended.
// The stream stays where it is.
func (m *Masker) Again(text []byte) []byte {
	again := Masker{}
	if m.key != nil {
		k := *m.key
		k.lines, k.short = max(k.lines, 1), 0
		again.key = &k
	}
	return again.Mask(text)
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
		out = append(append(append(out, "[REDACTED:"...), s.rule...), ']')
		from = s.to
	}
	return append(out, text[from:]...)
}
