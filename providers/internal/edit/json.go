package edit

import (
	"bytes"
	"encoding/json"
	"strings"

	"ctxfs/providers/internal/jsonc"
	"ctxfs/providers/internal/syntax"
)

// putJSON sets the member, or appends the element.
func (e Edit) putJSON(text []byte) ([]byte, Edit, error) {
	original := text
	if jsonc.SkipSpace(text, 0) == len(text) {
		e.Created = true
		nl := newline(text)
		if len(text) > 0 && text[len(text)-1] != '\n' {
			text = append(bytes.Clone(text), nl...)
		}
		text = append(bytes.Clone(text), "{}"+nl...)
	}
	root, err := jsonc.Locate(text)
	if err != nil {
		return nil, e, err
	}
	d := document{text: text, root: root}
	at := root
	for i, name := range e.Path {
		if at.Kind != syntax.Object {
			return nil, e, conflict(text, at.Begin, "%s is %s, not an object", pathName(e.Path[:i]), at.Kind)
		}
		n, ok := at.Get(name)
		if !ok {
			value := e.Value
			if e.Kind == jsonElement {
				value = wrap(value)
				e.Made++
			}
			for j := len(e.Path) - 1; j > i; j-- {
				value = member(e.Path[j], value)
				e.Made++
			}
			return e.checked(original, d.insert(at, name, value), -1)
		}
		if i < len(e.Path)-1 || e.Kind == jsonElement {
			at = at.Items[n].Value
			continue
		}
		old := at.Items[n].Value
		switch was := text[old.Begin:old.End]; {
		case equalJSON(was, e.Value):
			e.Found = !e.Ours
			return original, e, nil
		case !e.Ours:
			return nil, e, conflict(text, old.Begin, "%s has another value already", pathName(e.Path))
		default:
			e.Was = string(was)
			return e.checked(original, d.replace(at, n, e.Value), -1)
		}
	}
	if at.Kind != syntax.Array {
		return nil, e, conflict(text, at.Begin, "%s is %s, not an array", pathName(e.Path), at.Kind)
	}
	for i, item := range at.Items {
		switch is := text[item.Begin:item.Value.End]; {
		case equalJSON(is, e.Value):
			e.Found = e.Mark == ""
			return original, e, nil
		case e.Mark != "" && d.marked(item.Value, e.Mark):
			return e.checked(original, d.replace(at, i, e.Value), i)
		}
	}
	return e.checked(original, d.insert(at, "", e.Value), -1)
}

// takeJSON is the reverse.
func (e Edit) takeJSON(text []byte) ([]byte, error) {
	if jsonc.SkipSpace(text, 0) == len(text) {
		return text, nil
	}
	root, err := jsonc.Locate(text)
	if err != nil {
		return text, err
	}
	d := document{text: text, root: root}
	steps, ok := d.walk(e.Path)
	if !ok {
		return text, nil
	}
	last := steps[len(steps)-1]
	switch is := last.parent.Items[last.at].Value; e.Kind {
	case jsonMember:
		if !e.Ours && !equalJSON(text[is.Begin:is.End], e.Value) {
			return text, nil
		}
		if e.Was != "" {
			return splice(text, is.Begin, is.End, e.Was), nil
		}
		d.remove(last.parent, last.at)
	default:
		if is.Kind != syntax.Array || !d.takeElement(is, e) {
			return text, nil
		}
	}
	d.prune(e.Path, e.Made, e.Kind == jsonElement)
	if root, err = jsonc.Locate(d.text); err != nil {
		return text, err // impossible: nothing is written that was not understood
	}
	if e.Created && root.Kind == syntax.Object && len(root.Items) == 0 {
		inner := bytes.TrimSpace(d.text[root.Begin+1 : root.End-1])
		before, after := bytes.TrimSpace(d.text[:root.Begin]), bytes.TrimSpace(d.text[root.End:])
		switch {
		case len(inner)+len(before)+len(after) == 0:
			return nil, nil
		case len(inner)+len(after) == 0:
			return d.text[:root.Begin], nil
		}
	}
	return d.text, nil
}

// step is one name of a path: the object, and which of its members has it.
type step struct {
	parent jsonc.Node
	at     int
}

// walk returns the members on a path.
func (d *document) walk(path []string) (steps []step, ok bool) {
	at := d.root
	for _, name := range path {
		n, ok := at.Get(name)
		if !ok {
			return nil, false
		}
		steps = append(steps, step{at, n})
		at = at.Items[n].Value
	}
	return steps, true
}

// prune removes what was made around a value and has nothing in it, not even a comment.
func (d *document) prune(path []string, made int, element bool) {
	if !element {
		path = path[:len(path)-1]
	}
	for ; made > 0; made-- {
		root, err := jsonc.Locate(d.text)
		if err != nil {
			return
		}
		d.root = root
		steps, ok := d.walk(path)
		if !ok {
			return
		}
		last := steps[len(steps)-1]
		is := last.parent.Items[last.at].Value
		if is.Kind != syntax.Object && is.Kind != syntax.Array || len(bytes.TrimSpace(d.text[is.Begin+1:is.End-1])) > 0 {
			return
		}
		d.remove(last.parent, last.at)
		path = path[:len(path)-1]
	}
}

// takeElement removes the element; one that others have changed if it has the mark: then
// only the innermost object in it that has it, and what is empty without that.
func (d *document) takeElement(array jsonc.Node, e Edit) bool {
	for i, item := range array.Items {
		if equalJSON(d.text[item.Begin:item.Value.End], e.Value) {
			d.remove(array, i)
			return true
		}
	}
	if e.Mark == "" {
		return false
	}
	for i, item := range array.Items {
		if d.marked(item.Value, e.Mark) {
			if inner, at, ok := d.innermost(item.Value, e.Mark); ok && len(inner.Items) > 1 {
				d.remove(inner, at)
			} else {
				d.remove(array, i)
			}
			return true
		}
	}
	return false
}

// innermost returns the innermost array in a value with an element that has the mark.
func (d *document) innermost(v jsonc.Node, mark string) (array jsonc.Node, at int, ok bool) {
	for i, item := range v.Items {
		if !d.marked(item.Value, mark) {
			continue
		}
		if array, at, ok = d.innermost(item.Value, mark); ok {
			return array, at, true
		}
		if v.Kind == syntax.Array {
			return v, i, true
		}
	}
	return array, 0, false
}

// marked reports whether a string in the value contains the mark.
func (d *document) marked(v jsonc.Node, mark string) bool {
	if v.Kind == syntax.Text {
		var s string
		return json.Unmarshal(d.text[v.Begin:v.End], &s) == nil && strings.Contains(s, mark)
	}
	for _, item := range v.Items {
		if d.marked(item.Value, mark) {
			return true
		}
	}
	return false
}

// checked returns a text after an edit, if the edit changed nothing but the value. That
// is the element at index, or a new one if it is -1.
func (e Edit) checked(before, after []byte, index int) ([]byte, Edit, error) {
	was := syntax.Value{Kind: syntax.Object}
	if jsonc.SkipSpace(before, 0) < len(before) {
		was, _ = jsonc.Parse(before) // it was parsed before
	}
	is, err := jsonc.Parse(after)
	return e.verified(was, is, err, index, after)
}

func wrap(value json.RawMessage) json.RawMessage {
	return append(append(json.RawMessage("["), value...), ']')
}

func member(name string, value json.RawMessage) json.RawMessage {
	return append(append(append(append(json.RawMessage("{"), encode(name)...), ':'), value...), '}')
}

// pathName returns a path as people write it.
func pathName(path []string) string {
	if len(path) == 0 {
		return "the whole file"
	}
	return strings.Join(path, ".")
}

func equalJSON(a, b []byte) bool {
	first, err := jsonc.Parse(a)
	if err != nil {
		return false
	}
	second, err := jsonc.Parse(b)
	return err == nil && same(first, second)
}
