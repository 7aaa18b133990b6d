// Package lazyjson reads a few values of a JSON text at the speed of skipping the
// rest: several times that of decoding into structures. Numbers keep their digits
// (Value.Raw).
package lazyjson

import (
	"bytes"
	"iter"

	"github.com/tidwall/gjson"

	"ctxfs/fs/jsonscan"
)

// Value is a JSON value, as text that is parsed when it is used. A value that is
// missing is of kind Null and does not exist; all its methods are harmless. Get
// takes a path, in which "." "*" "?" "|" "#" "@" and "!" have a meaning: read
// members with foreign names with All.
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

// Parse returns the value of a text, which it copies. It does not check the text:
// what is not JSON yields missing or wrong values. If that matters, call Valid
// first.
func Parse(text []byte) Value { return gjson.ParseBytes(text) }

// ParseString is Parse for a string, which is not copied.
func ParseString(text string) Value { return gjson.Parse(text) }

// deepest is how deep values may be nested.
const deepest = 10_000

// Valid reports whether text is one JSON value. A value that is nested deeper than
// 10,000 levels is not: foreign text must not use up the stack.
func Valid(text []byte) bool { return !deep(text) && gjson.ValidBytes(text) }

// deep reports whether more than deepest brackets are open somewhere in text.
func deep(text []byte) bool {
	if bytes.Count(text, []byte("["))+bytes.Count(text, []byte("{")) <= deepest {
		return false // as it is nearly always; counting is much faster than what follows
	}
	open := 0
	for s := (jsonscan.Scanner{Text: text}); ; {
		switch s.Next().Kind {
		case '[', '{':
			if open++; open > deepest {
				return true
			}
		case ']', '}':
			open--
		case jsonscan.End, jsonscan.Open:
			return false
		}
	}
}

// All returns the members of an object, or the elements of an array; of any other value
// that exists itself.
func All(v Value) iter.Seq2[Value, Value] {
	return func(yield func(key, value Value) bool) { v.ForEach(yield) }
}
