// Package rawjson takes JSON texts apart without decoding them into Go values,
// so that nothing of foreign definitions and results is lost to the types of a
// library, and large messages are not copied.
//
//   - [Parts] (parts.go) finds the members or elements of a text by its outline.
//   - [Object] (object.go) keeps the members of an object in their order.
//   - [FingerprintOf] (value.go) identifies a value however it is written, and
//     [InOrderOf] gives one text the key order of another.
//
// Numbers are never decoded, so that 9007199254740993 does not become
// 9007199254740992.
package rawjson

import (
	"bytes"
	"encoding/json"
	"iter"

	"ctxfs/fs/jsonscan"
)

// Parts returns the members of the object that text is, or the elements of the
// array, which have no names. Each value is a part of text. Nothing is decoded or
// copied: only the outline is looked at, strings and nesting, so a value may turn
// out not to be JSON when the caller decodes it. If the outline is another, it
// returns as many parts as it can find.
func Parts(text []byte) iter.Seq2[string, json.RawMessage] {
	return func(yield func(string, json.RawMessage) bool) { eachPart(text, yield) }
}

// Visit calls visit for each part of text, as [Parts] returns them, and reports
// whether text is one value by its outline: neither cut off nor followed by
// anything else.
func Visit(text []byte, visit func(name string, value json.RawMessage)) (whole bool) {
	ended := eachPart(text, func(name string, value json.RawMessage) bool {
		visit(name, value)
		return true
	})
	return ended || isWhole(text)
}

// eachPart yields the parts of text until yield returns false, and reports whether
// it reached the end of an object or array that is the whole text.
func eachPart(text []byte, yield func(string, json.RawMessage) bool) (ended bool) {
	s := jsonscan.Scanner{Text: text}
	object, end := true, jsonscan.Kind('}')
	switch s.Next().Kind {
	case '{':
	case '[':
		object, end = false, ']'
	default:
		return false
	}
	t := s.Next()
	if t.Kind == end {
		return s.Next().Kind == jsonscan.End
	}
	for {
		name, ok := "", true
		if object {
			if name, ok = memberName(text[t.Begin:t.End]); !ok || s.Next().Kind != ':' {
				return false
			}
			t = s.Next()
		}
		to := s.Skip(t)
		if to < 0 || !yield(name, text[t.Begin:to:to]) {
			return false
		}
		switch s.Next().Kind {
		case ',':
			t = s.Next()
		case end:
			return s.Next().Kind == jsonscan.End
		default:
			return false
		}
	}
}

// memberName decodes the name of a member. Most have no escapes.
func memberName(token []byte) (name string, ok bool) {
	if len(token) > 1 && token[0] == '"' && !bytes.ContainsFunc(token, func(r rune) bool { return r < ' ' || r == '\\' || r > '~' }) {
		return string(token[1 : len(token)-1]), token[len(token)-1] == '"'
	}
	err := json.Unmarshal(token, &name)
	return name, err == nil && token[0] == '"'
}

// isWhole reports whether text is one value by its outline.
func isWhole(text []byte) bool {
	s := jsonscan.Scanner{Text: text}
	return s.Skip(s.Next()) >= 0 && s.Next().Kind == jsonscan.End
}
