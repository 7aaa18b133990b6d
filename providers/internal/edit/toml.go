package edit

import (
	"bytes"
	"slices"

	"ctxfs/providers/internal/jsonc"
	"ctxfs/providers/internal/settings"
	"ctxfs/providers/internal/syntax"
)

const tomlMember kind = "toml-key"

// TOMLKey sets a key in a table of a TOML file, which is nil for the keys above all tables.
// The table may be there in any form: with a header, as an inline table, or by dotted keys;
// where there is none it is made at the end. A value with members becomes a table of its
// own. Another value that stands there is a [Conflict], unless the edit is [Edit.Owned].
func TOMLKey(table []string, key string, value any) Edit {
	return valued(tomlMember, append(slices.Clone(table), key), value)
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
		case same(is, value):
			e.Found = !e.Ours
			return text, e, nil
		case !e.Ours:
			return nil, e, &Conflict{Line: is.Line, Reason: pathName(e.Path) + " has another value already"}
		}
		t = t.without(e.Path)
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
	value, _ := jsonc.Parse(e.Value) // it was made by package json
	if is, ok := was.At(e.Path...); !ok || !e.Ours && !same(is, value) {
		return text, nil
	}
	t := toml{text, scanTOML(text)}.without(e.Path)
	t = t.pruned(e)
	if e.Created && len(bytes.TrimSpace(t.text)) == 0 {
		return nil, nil
	}
	if _, err := settings.Document(t.text); err != nil {
		return text, e.byHand()
	}
	return t.text, nil
}
