// Package lazyjson reads JSON of which only a few values are wanted, at the
// speed of skipping the rest: several times that of decoding into structures.
// Numbers keep their digits (Value.Raw).
package lazyjson

import "github.com/tidwall/gjson"

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

// Valid tells whether text is one JSON value.
func Valid(text []byte) bool { return gjson.ValidBytes(text) }
