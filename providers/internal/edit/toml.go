package edit

import (
	"bytes"
	"slices"
	"strings"

	"ctxfs/providers/internal/jsonc"
	"ctxfs/providers/internal/settings"
	"ctxfs/providers/internal/syntax"
)

const (
	tomlMember kind = "toml-key"
	tomlItem   kind = "toml-element"
)

// TOMLKey sets a key in a table of a TOML file, which is nil for the keys above all tables.
// The table may be there in any form: with a header, as an inline table, or by dotted keys;
// where there is none it is made at the end. A value with members becomes a table of its
// own. Another value that stands there is a [Conflict], unless the edit is [Edit.Owned].
func TOMLKey(table []string, key string, value any) Edit {
	return valued(tomlMember, append(slices.Clone(table), key), value)
}

// TOMLElement appends an element to an array in a table of a TOML file, unless an equal one
// is there. An element with members becomes a table under a header in double brackets,
// where the array is not written in brackets itself.
func TOMLElement(table []string, key string, value any) Edit {
	return valued(tomlItem, append(slices.Clone(table), key), value)
}

func (e Edit) putTOML(text []byte) ([]byte, Edit, error) {
	was, err := settings.Document(text)
	if err != nil {
		return nil, e, err
	}
	value, _ := jsonc.Parse(e.Value) // it was made by package json
	t := toml{text, scanTOML(text)}
	e.Created = len(bytes.TrimSpace(text)) == 0
	if is, ok := was.At(e.Path...); ok {
		switch {
		case e.Kind == tomlMember && same(is, value):
			e.Found = !e.Ours
			return text, e, nil
		case e.Kind == tomlMember && !e.Ours:
			return nil, e, &Conflict{Line: is.Line, Reason: pathName(e.Path) + " has another value already"}
		case e.Kind == tomlMember:
			t = t.without(e.Path)
		case is.Kind != syntax.Array:
			return nil, e, &Conflict{Line: is.Line, Reason: pathName(e.Path) + " is " + string(is.Kind) + ", not an array"}
		default:
			for i, item := range is.Items {
				if same(item, value) {
					e.Found = e.Mark == ""
					return text, e, nil
				}
				if e.Mark != "" && hasMark(item, e.Mark) {
					t = t.withoutElement(e.Path, i)
					break
				}
			}
		}
	}
	if was, err = settings.Document(t.text); err != nil {
		return nil, e, e.byHand()
	}
	after, made := t.with(e, value.Kind == syntax.Object && len(value.Members) > 0)
	e.Made = made
	is, err := settings.Document(after)
	return e.verified(was, is, err, -1, after)
}

// takeTOML is the reverse of putTOML.
func (e Edit) takeTOML(text []byte) ([]byte, error) {
	was, err := settings.Document(text)
	if err != nil {
		return text, err
	}
	is, ok := was.At(e.Path...)
	if !ok {
		return text, nil
	}
	value, _ := jsonc.Parse(e.Value) // it was made by package json
	t := toml{text, scanTOML(text)}
	switch {
	case e.Kind == tomlMember && (e.Ours || same(is, value)):
		t = t.without(e.Path)
	case e.Kind == tomlItem:
		i := slices.IndexFunc(is.Items, func(item syntax.Value) bool { return same(item, value) })
		if i < 0 && e.Mark != "" {
			i = slices.IndexFunc(is.Items, func(item syntax.Value) bool { return hasMark(item, e.Mark) })
		}
		if i < 0 {
			return text, nil
		}
		t = t.withoutElement(e.Path, i)
	default:
		return text, nil
	}
	t = t.pruned(e)
	if e.Created && len(bytes.TrimSpace(t.text)) == 0 {
		return nil, nil
	}
	if _, err := settings.Document(t.text); err != nil {
		return text, e.byHand()
	}
	return t.text, nil
}

// hasMark reports whether a string in the value contains the mark.
func hasMark(v syntax.Value, mark string) bool {
	return v.Kind == syntax.Text && strings.Contains(v.Text, mark) ||
		slices.ContainsFunc(v.Items, func(item syntax.Value) bool { return hasMark(item, mark) }) ||
		slices.ContainsFunc(v.Members, func(m syntax.Member) bool { return hasMark(m.Value, mark) })
}
