// Package jsonc reads JSON as people write it: with comments and trailing
// commas. It knows where each value stands, so that a fault in a configuration
// can be told with its line.
package jsonc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

// maxDepth bounds the nesting of objects and arrays, as encoding/json does:
// the parser is recursive.
const maxDepth = 10000

// Value is one value of a document, with its place.
type Value struct {
	node *hujson.Value
	text []byte // the whole document
}

// Member is one member of an object.
type Member struct {
	Name  string
	Value Value
}

// Parse reads a whole document. Its errors begin with the place of the fault:
// "line 3, column 7: ...". The text must not be written to again.
func Parse(text []byte) (Value, error) {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if at := tooDeep(text); at >= 0 {
		line, column := place(text, at)
		return Value{}, fmt.Errorf("line %d, column %d: nested more than %d deep", line, column, maxDepth)
	}
	node, err := hujson.Parse(text)
	if err != nil {
		return Value{}, errors.New(strings.TrimPrefix(err.Error(), "hujson: "))
	}
	return Value{node: &node, text: text}, nil
}

// Kind names what the value is: "an object", "an array", "a text",
// "a number", "true or false" or "null".
func (v Value) Kind() string {
	switch v.node.Value.Kind() {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a text"
	case '0':
		return "a number"
	case 'n':
		return "null"
	}
	return "true or false"
}

// IsNull tells whether the value is null.
func (v Value) IsNull() bool { return v.node.Value.Kind() == 'n' }

// Members gives an object's members in their order; ok says whether the value
// is an object.
func (v Value) Members() (members []Member, ok bool) {
	obj, ok := v.node.Value.(*hujson.Object)
	if !ok {
		return nil, false
	}
	for i := range obj.Members {
		m := &obj.Members[i]
		name := m.Name.Value.(hujson.Literal).String()
		members = append(members, Member{Name: name, Value: Value{node: &m.Value, text: v.text}})
	}
	return members, true
}

// Get gives the member of that name; of several the last, as encoding/json
// does.
func (v Value) Get(name string) (member Value, ok bool) {
	members, _ := v.Members()
	for _, m := range members {
		if m.Name == name {
			member, ok = m.Value, true
		}
	}
	return member, ok
}

// Literal is a text, number, truth value or null as it is written; "" for
// objects and arrays.
func (v Value) Literal() string {
	literal, _ := v.node.Value.(hujson.Literal)
	return string(literal)
}

// Place is where the value begins, both counted from one, the column in bytes.
func (v Value) Place() (line, column int) { return place(v.text, v.node.StartOffset) }

// Decode is json.Unmarshal of the value.
func (v Value) Decode(into any) error {
	node := v.node.Clone()
	node.Minimize()
	return json.Unmarshal(node.Pack(), into)
}

func place(text []byte, offset int) (line, column int) {
	before := text[:offset]
	return 1 + bytes.Count(before, []byte("\n")), offset - bytes.LastIndexByte(before, '\n')
}

// tooDeep is the offset of the bracket that goes deeper than maxDepth, or -1.
func tooDeep(text []byte) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{', '[':
			if depth++; depth > maxDepth {
				return i
			}
		case '}', ']':
			depth--
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '/':
			i += commentLen(text[i:])
		}
	}
	return -1
}

// commentLen is how far a comment that text may begin with goes on after its
// first byte.
func commentLen(text []byte) int {
	end := -1
	switch {
	case bytes.HasPrefix(text, []byte("//")):
		end = bytes.IndexByte(text, '\n')
	case bytes.HasPrefix(text, []byte("/*")):
		if end = bytes.Index(text[2:], []byte("*/")); end >= 0 {
			end += 3
		}
	default:
		return 0
	}
	if end < 0 {
		return len(text)
	}
	return end
}
