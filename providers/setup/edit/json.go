package edit

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"

	"ctxfs/providers/internal/jsonc"
	"ctxfs/providers/internal/syntax"
)

// putJSON sets the member, or appends the element.
func (e Edit) putJSON(text []byte) ([]byte, Edit, error) {
	original := text
	if jsonc.IsBlank(text) {
		e.Created = true
		nl := newline(text)
		if len(text) > 0 && text[len(text)-1] != '\n' {
			text = append(bytes.Clone(text), nl...)
		}
		text = append(bytes.Clone(text), "{}"+nl...)
	}
	root, err := jsonc.Tree(text)
	if err != nil {
		return nil, e, err
	}
	t := &tree{text, root}
	changed := func(err error) ([]byte, Edit, error) {
		if err != nil {
			return nil, e, err
		}
		return root.Pack(), e, nil
	}
	at := root
	for i, name := range e.Path {
		if _, ok := at.Value.(*jsonc.Object); !ok {
			return nil, e, conflict(text, at.StartOffset, "%s is %s, not an object", pathName(e.Path[:i]), kindOf(at))
		}
		n, ok := get(at, name)
		if !ok {
			value := e.Value
			if e.Kind == jsonElement {
				value = json.RawMessage("[" + string(value) + "]")
				e.Made++
			}
			for j := len(e.Path) - 1; j > i; j-- {
				value = json.RawMessage("{" + string(encode(e.Path[j])) + ":" + string(value) + "}")
				e.Made++
			}
			return changed(t.insert(at, name, value))
		}
		_, old := item(at, n)
		if i < len(e.Path)-1 || e.Kind == jsonElement {
			at = old
			continue
		}
		switch was := t.of(old); {
		case equalJSON(was, e.Value):
			e.Found = !e.Ours
			return original, e, nil
		case !e.Ours:
			return nil, e, conflict(text, old.StartOffset, "%s has another value already", pathName(e.Path))
		default:
			e.Was = string(was)
			return changed(t.replace(at, n, e.Value))
		}
	}
	if _, ok := at.Value.(*jsonc.Array); !ok {
		return nil, e, conflict(text, at.StartOffset, "%s is %s, not an array", pathName(e.Path), kindOf(at))
	}
	for i := range count(at) {
		switch _, is := item(at, i); {
		case equalJSON(t.of(is), e.Value):
			e.Found = e.Mark == ""
			return original, e, nil
		case e.Mark != "" && marked(is, e.Mark):
			return changed(t.replace(at, i, e.Value))
		}
	}
	return changed(t.insert(at, "", e.Value))
}

// of returns a value as it is written.
func (t *tree) of(v *jsonc.Value) []byte { return t.text[v.StartOffset:v.EndOffset] }

// takeJSON is the reverse.
func (e Edit) takeJSON(text []byte) ([]byte, error) {
	if jsonc.IsBlank(text) {
		return text, nil
	}
	root, err := jsonc.Tree(text)
	if err != nil {
		return text, err
	}
	t := &tree{text, root}
	parent, at, ok := find(root, e.Path)
	if !ok {
		return text, nil
	}
	path := e.Path
	switch _, is := item(parent, at); e.Kind {
	case jsonMember:
		switch {
		case !e.Ours && !equalJSON(t.of(is), e.Value):
			return text, nil
		case e.Was != "":
			return splice(text, is.StartOffset, is.EndOffset, e.Was), nil
		}
		remove(parent, at)
		path = path[:len(path)-1]
	default:
		if _, isArray := is.Value.(*jsonc.Array); !isArray || !t.takeElement(is, e) {
			return text, nil
		}
	}
	for range e.Made { // what was made around it goes if it has nothing in it, not even a comment
		parent, at, ok := find(root, path)
		if !ok {
			break
		}
		_, is := item(parent, at)
		if _, isLiteral := is.Value.(jsonc.Literal); isLiteral || count(is) > 0 || len(content(*ending(is))) > 0 {
			break
		}
		remove(parent, at)
		path = path[:len(path)-1]
	}
	if e.Created && count(root) == 0 && len(content(*ending(root)))+len(content(root.AfterExtra)) == 0 {
		if len(content(root.BeforeExtra)) == 0 {
			return nil, nil
		}
		return root.BeforeExtra, nil
	}
	return root.Pack(), nil
}

// find returns the object and the place in it of the member at a path.
func find(root *jsonc.Value, path []string) (parent *jsonc.Value, at int, ok bool) {
	for next := root; len(path) > 0; path = path[1:] {
		parent = next
		if at, ok = get(parent, path[0]); !ok {
			return nil, 0, false
		}
		_, next = item(parent, at)
	}
	return parent, at, ok
}

// takeElement removes the element; one that others have changed if it has the mark: then
// only the innermost object in it that has it, and what is empty without that.
func (t *tree) takeElement(array *jsonc.Value, e Edit) bool {
	for i := range count(array) {
		if _, is := item(array, i); equalJSON(t.of(is), e.Value) {
			remove(array, i)
			return true
		}
	}
	for i := range count(array) {
		if _, is := item(array, i); e.Mark != "" && marked(is, e.Mark) {
			if inner, at := innermost(is, e.Mark); inner != nil && count(inner) > 1 {
				remove(inner, at)
			} else {
				remove(array, i)
			}
			return true
		}
	}
	return false
}

// innermost returns the innermost array in a value with an element that has the mark, or
// nil.
func innermost(v *jsonc.Value, mark string) (array *jsonc.Value, at int) {
	for i := range count(v) {
		first, value := item(v, i)
		if !marked(value, mark) {
			continue
		}
		if array, at = innermost(value, mark); array != nil {
			return array, at
		}
		if first == value {
			return v, i
		}
	}
	return nil, 0
}

// marked reports whether a string in the value contains the mark.
func marked(v *jsonc.Value, mark string) bool {
	if text, ok := v.Value.(jsonc.Literal); ok {
		return text.Kind() == '"' && strings.Contains(text.String(), mark)
	}
	for i := range count(v) {
		if _, value := item(v, i); marked(value, mark) {
			return true
		}
	}
	return false
}

// pathName returns a path as people write it.
func pathName(path []string) string {
	if len(path) == 0 {
		return "the whole file"
	}
	return strings.Join(path, ".")
}

// kindOf returns the kind of a value, in words.
func kindOf(v *jsonc.Value) syntax.Kind {
	is, _ := jsonc.Parse(v.Pack()) // it was parsed before
	return is.Kind
}

// equalJSON reports whether two texts have the same value, whatever the order of members.
func equalJSON(a, b []byte) bool {
	var first, second any
	for text, into := range map[*any][]byte{&first: a, &second: b} {
		v, err := jsonc.Parse(into)
		if err != nil || json.Unmarshal(v.JSON(), text) != nil {
			return false
		}
	}
	return reflect.DeepEqual(first, second)
}
