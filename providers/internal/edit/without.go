package edit

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"

	"ctxfs/providers/internal/jsonc"
	"ctxfs/providers/internal/settings"
	"ctxfs/providers/internal/syntax"
)

const (
	jsonWithout kind = "without-member"
	tomlWithout kind = "without-toml-key"
	yamlWithout kind = "without-yaml"
)

// Without takes a member out of a JSON object. Reverting sets it again, unless there is one
// by then; comments in its value are lost where others have edited the text since.
func Without(path []string) Edit { return Edit{Kind: jsonWithout, Path: slices.Clone(path)} }

// TOMLWithout is [Without] for TOML, whatever form the value has.
func TOMLWithout(path []string) Edit { return Edit{Kind: tomlWithout, Path: slices.Clone(path)} }

// YAMLWithout is [Without] for YAML.
func YAMLWithout(path []string) Edit { return Edit{Kind: yamlWithout, Path: slices.Clone(path)} }

// set returns the edit that sets what one of these takes out.
func (e Edit) set() Edit {
	e.Kind = map[kind]kind{jsonWithout: jsonMember, tomlWithout: tomlMember, yamlWithout: yamlMember}[e.Kind]
	e.Ours = true
	return e
}

// parse returns the values of a text in the syntax of the edit.
func (e Edit) parse(text []byte) (syntax.Value, error) {
	switch {
	case e.Kind == tomlWithout:
		return settings.Document(text)
	case e.Kind == yamlWithout:
		return parseYAML(text)
	case jsonc.SkipSpace(text, 0) == len(text):
		return syntax.Value{Kind: syntax.Object}, nil
	}
	return jsonc.Parse(text)
}

func (e Edit) take(text []byte) ([]byte, Edit, error) {
	was, err := e.parse(text)
	if err != nil {
		return nil, e, err
	}
	value, there := was.At(e.Path...)
	if !there {
		e.Found = true
		return text, e, nil
	}
	e.Value = asJSON(value)
	out := e.set()
	if e.Kind == yamlWithout {
		out.Before = " {}" // what is left of a mapping with nothing in it
	}
	after, err := out.revert(text)
	if err != nil {
		var c *Conflict
		if errors.As(err, &c) && c.Line == 0 {
			err = e.byHand()
		}
		return nil, e, err
	}
	is, err := e.parse(after)
	if err != nil || !same(outOf(was, e.Path), outOf(is, e.Path)) {
		return nil, e, e.byHand()
	}
	return after, e, nil
}

func (e Edit) putBack(text []byte) ([]byte, error) {
	is, err := e.parse(text)
	if err != nil {
		return text, err
	}
	if _, there := is.At(e.Path...); there {
		return text, nil
	}
	after, _, err := e.set().apply(text)
	if err != nil {
		return text, err
	}
	return after, nil
}

// outOf returns a value without the member at a path in it, and without the objects around
// that which have nothing else: TOML does not write them.
func outOf(v syntax.Value, path []string) syntax.Value {
	members := slices.Clone(v.Members)
	v.Members = members[:0]
	for _, m := range members {
		if m.Name == path[0] {
			if len(path) == 1 {
				continue
			}
			if m.Value = outOf(m.Value, path[1:]); m.Value.Kind == syntax.Object && len(m.Value.Members) == 0 {
				continue
			}
		}
		v.Members = append(v.Members, m)
	}
	return v
}

// asJSON returns a value as compact JSON.
func asJSON(v syntax.Value) json.RawMessage {
	var out bytes.Buffer
	switch v.Kind {
	case syntax.Object:
		for i, m := range v.Members {
			out.WriteString([]string{"{", ","}[min(i, 1)])
			out.Write(encode(m.Name))
			out.WriteByte(':')
			out.Write(asJSON(m.Value))
		}
		if len(v.Members) == 0 {
			out.WriteByte('{')
		}
		out.WriteByte('}')
	case syntax.Array:
		out.WriteByte('[')
		for i, item := range v.Items {
			if i > 0 {
				out.WriteByte(',')
			}
			out.Write(asJSON(item))
		}
		out.WriteByte(']')
	case syntax.Null:
		out.WriteString("null")
	case syntax.Text:
		return encode(v.Text)
	default:
		if !json.Valid([]byte(v.Text)) { // as "0x10" of YAML
			return encode(v.Text)
		}
		out.WriteString(v.Text)
	}
	return out.Bytes()
}
