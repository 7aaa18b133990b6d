package jsonc

import (
	"bytes"
	"errors"
	"strings"

	"github.com/tailscale/hujson"

	"ctxfs/providers/internal/syntax"
)

// Node is a value with its place in the text, for those who change the text itself.
type Node struct {
	Kind syntax.Kind
	// Begin and End are where the value is, as offsets.
	Begin, End int
	// Items are the elements of an array, or the values of the members of an object.
	Items []Item
}

// Item is what an object or an array has.
type Item struct {
	// Name is the name of a member, "" for elements of arrays; Begin is where the member
	// begins: its name, or the element itself.
	Name  string
	Begin int
	Value Node
}

// Get returns the last member of an object that has the name.
func (n Node) Get(name string) (at int, ok bool) {
	for at = len(n.Items) - 1; at >= 0; at-- {
		if n.Kind == syntax.Object && n.Items[at].Name == name {
			return at, true
		}
	}
	return 0, false
}

// Locate is [Parse] for a text without a byte order mark, with the places of all values.
func Locate(text []byte) (Node, error) {
	if _, err := Parse(text); err != nil {
		return Node{}, err
	}
	root, err := hujson.Parse(text)
	if err != nil {
		return Node{}, errors.New(strings.TrimPrefix(err.Error(), "hujson: "))
	}
	return locate(&root), nil
}

func locate(v *hujson.Value) Node {
	n := Node{Begin: v.StartOffset, End: v.EndOffset}
	switch inner := v.Value.(type) {
	case *hujson.Object:
		n.Kind = syntax.Object
		for i := range inner.Members {
			m := &inner.Members[i]
			n.Items = append(n.Items, Item{Name: m.Name.Value.(hujson.Literal).String(), Begin: m.Name.StartOffset, Value: locate(&m.Value)})
		}
	case *hujson.Array:
		n.Kind = syntax.Array
		for i := range inner.Elements {
			e := locate(&inner.Elements[i])
			n.Items = append(n.Items, Item{Begin: e.Begin, Value: e})
		}
	case hujson.Literal:
		n.Kind = map[hujson.Kind]syntax.Kind{'"': syntax.Text, '0': syntax.Number, 'n': syntax.Null}[inner.Kind()]
		if n.Kind == "" {
			n.Kind = syntax.Bool
		}
	}
	return n
}

// SkipSpace returns the offset of the first byte from at on that is neither white space
// nor of a comment; the length of the text if there is none.
func SkipSpace(text []byte, at int) int {
	for at < len(text) {
		rest := text[at:]
		switch {
		case bytes.IndexByte([]byte(" \t\r\n"), rest[0]) >= 0:
			at++
		case bytes.HasPrefix(rest, []byte("//")), bytes.HasPrefix(rest, []byte("/*")):
			at += 1 + commentLen(rest)
		default:
			return at
		}
	}
	return len(text)
}
