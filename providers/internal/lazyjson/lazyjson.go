// Package lazyjson reads JSON of which only a few values are wanted, at the
// speed of skipping the rest: several times that of decoding into structures.
// Numbers keep their digits (Value.Raw).
package lazyjson

import (
	"bytes"

	"github.com/tidwall/gjson"
)

// Value is a JSON value, as text that is parsed where it is asked for. A value
// that is not there is one of kind Null that does not exist; asking it for
// anything is harmless. Keep in mind that Get takes a path: "." "*" "?" "|" "#"
// "@" and "!" in a foreign name mean something else there, so go through foreign
// names with ForEach.
type Value = gjson.Result

// The kinds of values: Value.Type.
const (
	Null   = gjson.Null
	False  = gjson.False
	Number = gjson.Number
	String = gjson.String
	True   = gjson.True
	JSON   = gjson.JSON // an object or an array
)

// Parse makes a value of text, which is copied. It does not check the text:
// what is no JSON gives values that are not there, or wrong ones. Ask Valid
// where that matters.
func Parse(text []byte) Value { return gjson.ParseBytes(text) }

// ParseString is Parse of a string, which is not copied.
func ParseString(text string) Value { return gjson.Parse(text) }

// deepest is how deep values may lie within each other.
const deepest = 10_000

// Valid tells whether text is one JSON value. One whose parts lie deeper than
// 10,000 within each other is not: foreign text must not use up the stack.
func Valid(text []byte) bool { return !deep(text) && gjson.ValidBytes(text) }

// deep tells whether more than deepest brackets are open somewhere in text.
func deep(text []byte) bool {
	if bytes.Count(text, []byte("["))+bytes.Count(text, []byte("{")) <= deepest {
		return false // as it is nearly always; counting is much faster than what follows
	}
	open, inString := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '[' || c == '{':
			if open++; open > deepest {
				return true
			}
		case c == ']' || c == '}':
			open--
		}
	}
	return false
}
