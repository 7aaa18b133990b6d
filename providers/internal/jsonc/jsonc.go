// Package jsonc parses JSON as people write it: with comments and trailing
// commas. It records the position of each value, so that a fault in a
// configuration can be reported with its line.
package jsonc

import (
	"bytes"
	"errors"
	"strings"

	"github.com/tailscale/hujson"

	"ctxfs/fs/jsonscan"
	"ctxfs/providers/internal/syntax"
)

// maxDepth bounds the nesting of objects and arrays, as encoding/json does: the
// parser is recursive.
const maxDepth = 10000

// Parse parses a whole document. Its errors begin with the place of the fault:
// "line 3, column 7: ...".
func Parse(text []byte) (syntax.Value, error) {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if at := tooDeep(text); at >= 0 {
		v := syntax.Value{Line: 1 + bytes.Count(text[:at], []byte("\n")), Column: at - bytes.LastIndexByte(text[:at], '\n')}
		return syntax.Value{}, v.Errorf("nested more than %d deep", maxDepth)
	}
	node, err := hujson.Parse(text)
	if err != nil {
		return syntax.Value{}, errors.New(strings.TrimPrefix(err.Error(), "hujson: "))
	}
	r := reader{text: text, line: 1}
	return r.value(&node), nil
}

// reader turns syntax into values. It counts lines as it goes.
type reader struct {
	text []byte
	at   int // offset up to which lines are counted
	line int
}

func (r *reader) value(node *hujson.Value) syntax.Value {
	begin := node.StartOffset
	r.line += bytes.Count(r.text[r.at:begin], []byte("\n"))
	r.at = begin
	v := syntax.Value{Line: r.line, Column: begin - bytes.LastIndexByte(r.text[:begin], '\n')}
	switch inner := node.Value.(type) {
	case *hujson.Object:
		v.Kind = syntax.Object
		for i := range inner.Members {
			m := &inner.Members[i]
			name := m.Name.Value.(hujson.Literal).String()
			v.Members = append(v.Members, syntax.Member{Name: name, Value: r.value(&m.Value)})
		}
	case *hujson.Array:
		v.Kind = syntax.Array
		for i := range inner.Elements {
			v.Items = append(v.Items, r.value(&inner.Elements[i]))
		}
	case hujson.Literal:
		v.Text = string(inner)
		switch inner.Kind() {
		case '"':
			v.Kind, v.Text = syntax.Text, inner.String()
		case '0':
			v.Kind = syntax.Number
		case 'n':
			v.Kind = syntax.Null
		default:
			v.Kind = syntax.Bool
		}
	}
	return v
}

// tooDeep returns the offset of the bracket that nests deeper than maxDepth, or -1.
// The scanner does not know comments: to it they begin within a word, and are
// skipped here.
func tooDeep(text []byte) int {
	depth := 0
	for s := (jsonscan.Scanner{Text: text}); ; {
		switch t := s.Next(); t.Kind {
		case '{', '[':
			if depth++; depth > maxDepth {
				return t.Begin
			}
		case '}', ']':
			depth--
		case jsonscan.Word:
			if n := bytes.IndexByte(text[t.Begin:t.End], '/'); n >= 0 {
				slash := t.Begin + n
				s.At = min(slash+1+commentLen(text[slash:]), len(text))
			}
		case jsonscan.End, jsonscan.Open:
			return -1
		}
	}
}

// commentLen returns the length, after its first byte, of a comment that text
// may begin with.
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
