// Package jsonscan finds the tokens of JSON text, in place. It is the only JSON
// scanner in this module: code that needs more of JSON than its values (positions
// for errors, parts of a message without a copy, the end of an object that arrives
// in pieces, indenting, masking) reads tokens here. JSON whose values alone matter
// is read with encoding/json, or with gjson (providers/internal/lazyjson). It writes no
// more than a value on a line: [Line].
//
// A [Scanner] sees only the outline: white space, brackets, commas, colons, strings
// and, between them, words. It neither checks that the tokens are in an order that
// JSON allows, nor what is in strings and words; callers that need that check what
// they use, or have encoding/json do it.
//
// The tokens are those of RFC 8259, section 2. Why not the readers that exist:
// json.Decoder.Token decodes each token and copies it, which takes 20 times as
// long for small values (BenchmarkTokens: 12 and 270 MB/s), cannot continue when
// more text arrives, and does not report where a token begins; gjson reads whole
// texts only, and skips what it does not expect, so that errors have no position.
package jsonscan

import "bytes"

// Kind is the kind of a token. A bracket, comma or colon is its own kind: '{',
// '}', '[', ']', ',' and ':'.
type Kind byte

// The kinds of the other tokens.
const (
	End    Kind = 0   // the end of the text
	String Kind = '"' // a string, with its quotes
	Open   Kind = 'o' // a string that does not end within the text
	Word   Kind = 'w' // a number, true, false, null, or what is not JSON
)

// Token is a token of a text: the bytes from Begin up to End.
type Token struct {
	Kind       Kind
	Begin, End int
}

// Scanner reads the tokens of Text from the offset At on. It reads each byte once
// or twice, however the text arrives. The zero Scanner is at the beginning of an
// empty text.
type Scanner struct {
	// Text is the text. Bytes may be appended to it at any time; the part that has
	// been read must not change.
	Text []byte
	// At is the end of the last token that was read. It may be set.
	At int

	open     int // where the string of the last Open begins
	searched int // up to where its end was searched, or 0
}

// Next reads the next token. It is one of:
//
//  1. A bracket, comma, colon or string.
//  2. A word, which ends at any other token, at white space or with the text:
//     a number that is cut off is a word.
//  3. Open, at a string that does not end yet. At stays at its beginning, so
//     that Next reads it again when there is more text.
//  4. End, when there is nothing but white space left.
func (s *Scanner) Next() Token {
	i := s.At
	for ; i < len(s.Text); i++ {
		switch c := s.Text[i]; c {
		case ' ', '\t', '\n', '\r':
		case '{', '}', '[', ']', ',', ':':
			s.At = i + 1
			return Token{Kind(c), i, i + 1}
		case '"':
			return s.string(i)
		default:
			return s.word(i)
		}
	}
	s.At = i
	return Token{End, i, i}
}

// word reads the word that begins at an offset.
func (s *Scanner) word(begin int) Token {
	for i := begin; i < len(s.Text); i++ {
		switch s.Text[i] {
		case ' ', '\t', '\n', '\r', '{', '}', '[', ']', ',', ':', '"':
			s.At = i
			return Token{Word, begin, i}
		}
	}
	s.At = len(s.Text)
	return Token{Word, begin, s.At}
}

// string reads the string that begins at an offset. A quote ends it unless an
// odd number of backslashes precedes it.
func (s *Scanner) string(begin int) Token {
	from := begin + 1
	if s.open == begin {
		from = max(from, s.searched)
	}
	for {
		n := bytes.IndexByte(s.Text[from:], '"')
		if n < 0 {
			s.At, s.open, s.searched = begin, begin, len(s.Text)
			return Token{Open, begin, len(s.Text)}
		}
		quote := from + n
		first := quote // of the backslashes that precede it
		for first-1 > begin && s.Text[first-1] == '\\' {
			first--
		}
		if from = quote + 1; (quote-first)%2 == 0 {
			s.At = from
			return Token{String, begin, from}
		}
	}
}

// Skip reads the rest of the value that begins with t, the last token read, and
// returns its end. It returns -1 if no value begins with t or the value does not
// end within the text.
func (s *Scanner) Skip(t Token) (end int) {
	switch t.Kind {
	case String, Word:
		return t.End
	case '{', '[':
		depth := 1
		for i := s.At; i < len(s.Text); i++ { // neither words nor white space matter here
			switch s.Text[i] {
			case '"':
				if s.string(i).Kind == Open {
					return -1
				}
				i = s.At - 1
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					s.At = i + 1
					return s.At
				}
			}
		}
		s.At = len(s.Text)
	}
	return -1
}
