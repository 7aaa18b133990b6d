// Package rawjson takes JSON texts apart without decoding them into Go values,
// so that nothing of foreign definitions and results is lost to the types of a
// library, and large messages are not copied.
//
//   - [Parts] (parts.go) finds the members or elements of a text by its outline.
//   - [Object] (object.go) keeps the members of an object in their order.
//   - [FingerprintOf] (value.go) identifies a value however it is written, and
//     [InOrderOf] gives one text the key order of another.
package rawjson

import (
	"bytes"
	"encoding/json"
	"iter"
)

// Parts returns the members of the object that text is, or the elements of the
// array, which have no names. Each value is a part of text. Nothing is decoded
// or copied: only the outline is looked at, strings and nesting, so a value may
// turn out not to be JSON when the caller decodes it. Of a text with another
// outline as many parts are returned as can be found.
func Parts(text []byte) iter.Seq2[string, json.RawMessage] {
	return func(yield func(string, json.RawMessage) bool) {
		i := skipSpace(text, 0)
		if i == len(text) || text[i] != '{' && text[i] != '[' {
			return
		}
		object := text[i] == '{'
		for i = skipSpace(text, i+1); i < len(text); i = skipSpace(text, i+1) {
			name := ""
			if object {
				end := stringEnd(text, i)
				if end < 0 {
					return
				}
				if json.Unmarshal(text[i:end], &name) != nil {
					return
				}
				if i = skipSpace(text, end); i == len(text) || text[i] != ':' {
					return
				}
				i = skipSpace(text, i+1)
			}
			end := valueEnd(text, i)
			if end < 0 || !yield(name, text[i:end:end]) {
				return
			}
			if i = skipSpace(text, end); i == len(text) || text[i] != ',' {
				return
			}
		}
	}
}

// IsWhole reports whether text is one value by its outline: neither cut off nor
// followed by anything else.
func IsWhole(text []byte) bool {
	end := valueEnd(text, skipSpace(text, 0))
	return end >= 0 && skipSpace(text, end) == len(text)
}

// skipSpace returns the first index from i on that is not white space.
func skipSpace(text []byte, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\t' || text[i] == '\n' || text[i] == '\r') {
		i++
	}
	return i
}

// stringEnd returns the end of the string that begins at i, or -1.
func stringEnd(text []byte, i int) int {
	if i >= len(text) || text[i] != '"' {
		return -1
	}
	for from := i + 1; ; {
		n := bytes.IndexByte(text[from:], '"')
		if n < 0 {
			return -1
		}
		quote := from + n
		escapes := 0
		for quote-1-escapes > i && text[quote-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return quote + 1
		}
		from = quote + 1
	}
}

// valueEnd returns the end of the value that begins at i, or -1.
func valueEnd(text []byte, i int) int {
	if i >= len(text) {
		return -1
	}
	switch text[i] {
	case '"':
		return stringEnd(text, i)
	case '{', '[':
		for depth := 0; i < len(text); {
			switch text[i] {
			case '"':
				if i = stringEnd(text, i); i < 0 {
					return -1
				}
				continue
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			}
			i++
		}
		return -1
	}
	begin := i
	for i < len(text) && bytes.IndexByte([]byte(",]}: \t\r\n\""), text[i]) < 0 {
		i++
	}
	if i == begin {
		return -1
	}
	return i
}
