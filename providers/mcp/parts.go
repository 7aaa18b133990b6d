package mcp

import (
	"bytes"
	"encoding/json"
	"iter"
)

// The parts of large messages are found without decoding or copying anything:
// what is looked at is the outline alone, strings and nesting. Whoever takes a
// part decodes it, which is when it turns out whether it is JSON.

// partsOf are the members of the object that text is, as they came, or the
// elements of an array, which have no names. Of a text whose outline is
// something else there are as many as can be found.
func partsOf(text []byte) iter.Seq2[string, json.RawMessage] {
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

// isWhole tells whether text is one value in its outline: neither cut off nor
// followed by something else.
func isWhole(text []byte) bool {
	end := valueEnd(text, skipSpace(text, 0))
	return end >= 0 && skipSpace(text, end) == len(text)
}

// skipSpace is the first place from i on that is no white space.
func skipSpace(text []byte, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\t' || text[i] == '\n' || text[i] == '\r') {
		i++
	}
	return i
}

// stringEnd is where the string ends that begins at i, or -1.
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

// valueEnd is where the value ends that begins at i, or -1.
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

// requestPrefix begins the ids of our requests; the library's are numbers.
const requestPrefix = "raw-"

// answered tells which request of ours a message answers, by its id.
func answered(message []byte) (id string, ok bool) {
	if !isWhole(message) {
		return "", false
	}
	for name, value := range partsOf(message) {
		switch name {
		case "method":
			return "", false
		case "id":
			ok = json.Unmarshal(value, &id) == nil && len(id) > len(requestPrefix) && id[:len(requestPrefix)] == requestPrefix
		}
	}
	return id, ok
}

// response is a message that answers a request.
type response struct {
	result json.RawMessage
	fault  *struct {
		Code    int
		Message string
	}
}

// readResponse takes an answer apart; its result is part of the message.
func readResponse(message []byte) (r response, err error) {
	for name, value := range partsOf(message) {
		switch name {
		case "result":
			r.result = value
		case "error":
			err = json.Unmarshal(value, &r.fault)
		}
	}
	return r, err
}
