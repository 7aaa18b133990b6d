package edit

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"ctxfs/providers/internal/jsonc"
	"ctxfs/providers/internal/syntax"
)

// verified returns a text after an edit, if its values are those of before with the
// edit's, and nothing else differs. For an element index is which one was replaced, or -1
// if it was appended; err is the parser's, about the text after the edit.
func (e Edit) verified(was, is syntax.Value, err error, index int, after []byte) ([]byte, Edit, error) {
	value, bad := jsonc.Parse(e.Value)
	if err == nil && bad == nil && same(e.with(was, e.Path, value, index), is) {
		return after, e, nil
	}
	return nil, e, e.byHand()
}

// byHand is the error of a text in which the edit cannot be done.
func (e Edit) byHand() error {
	if bytes.HasPrefix(e.Value, []byte("{")) { // as the entry of a server, which may have secrets
		return &Conflict{Reason: "it has a form that cannot be changed safely; write it by hand: " + strings.Join(e.Path, ".")}
	}
	return &Conflict{Reason: fmt.Sprintf("it has a form that cannot be changed safely; write it by hand: %s", e)}
}

// with returns the value v with that of the edit at a path in it.
func (e Edit) with(v syntax.Value, path []string, value syntax.Value, index int) syntax.Value {
	switch {
	case len(path) > 0:
		member, _ := v.Get(path[0])
		member = e.with(member, path[1:], value, index)
		v.Kind, v.Members = syntax.Object, append(slices.Clone(v.Members), syntax.Member{Name: path[0], Value: member})
		return v
	case !e.element():
		return value
	case index >= 0:
		v.Items = slices.Clone(v.Items)
		v.Items[index] = value
		return v
	}
	v.Kind, v.Items = syntax.Array, append(slices.Clone(v.Items), value)
	return v
}

// element reports whether the value is one of an array.
func (e Edit) element() bool { return e.Kind == jsonElement }

// String returns what the edit does, as people write it.
func (e Edit) String() string {
	switch {
	case e.Value == nil:
		return e.Text
	case e.element():
		return strings.Join(e.Path, ".") + " += " + string(e.Value)
	}
	return strings.Join(e.Path, ".") + " = " + string(e.Value)
}

// same reports whether two values are equal, wherever they are and whatever the order of
// their members.
func same(a, b syntax.Value) bool {
	if a.Kind == syntax.Null && b.Kind == syntax.Null {
		return true // however it is written
	}
	if a.Kind != b.Kind || a.Text != b.Text || len(a.Items) != len(b.Items) {
		return false
	}
	for i := range a.Items {
		if !same(a.Items[i], b.Items[i]) {
			return false
		}
	}
	first, second := members(a), members(b)
	if len(first) != len(second) {
		return false
	}
	for name, v := range first {
		if other, ok := second[name]; !ok || !same(v, other) {
			return false
		}
	}
	return true
}

// members returns the members of an object; the last of one name counts.
func members(v syntax.Value) map[string]syntax.Value {
	all := make(map[string]syntax.Value, len(v.Members))
	for _, m := range v.Members {
		all[m.Name] = m.Value
	}
	return all
}
