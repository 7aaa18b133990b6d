package arguments

import (
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// place is a part of a schema: its value and location.
type place struct {
	at   []string // a JSON pointer's tokens
	node any
}

// child returns the place of a member or an item, if it exists.
func (p place) child(tokens ...string) (place, bool) {
	node := p.node
	for _, token := range tokens {
		switch v := node.(type) {
		case map[string]any:
			sub, ok := v[token]
			if !ok {
				return place{}, false
			}
			node = sub
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(v) {
				return place{}, false
			}
			node = v[i]
		default:
			return place{}, false
		}
	}
	return place{slices.Concat(p.at, tokens), node}, true
}

// list returns the places of the schemas in an array such as "anyOf".
func (p place) list(name string) []place {
	in, ok := p.child(name)
	if !ok {
		return nil
	}
	items, _ := in.node.([]any)
	places := make([]place, len(items))
	for i, item := range items {
		places[i] = place{slices.Concat(in.at, []string{strconv.Itoa(i)}), item}
	}
	return places
}

// text returns a member that is a string, or "".
func (p place) text(name string) string {
	m, _ := p.node.(map[string]any)
	s, _ := m[name].(string)
	return s
}

// tokens returns the tokens of a reference into the same document, "#/$defs/x".
// Other references (by name, to other documents) are not resolved.
func tokens(ref string) ([]string, bool) {
	_, pointer, ok := strings.Cut(ref, "#")
	if !ok {
		return nil, false
	}
	pointer, err := url.PathUnescape(pointer)
	if err != nil || pointer != "" && pointer[0] != '/' {
		return nil, false
	}
	if pointer == "" {
		return nil, true
	}
	list := strings.Split(pointer[1:], "/")
	for i, token := range list {
		list[i] = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
	}
	return list, true
}

// refer returns the place in the same schema that p refers to with "$ref".
func (s *Schema) refer(p place) (place, bool) {
	ref := p.text("$ref")
	list, ok := tokens(ref)
	if !ok || ref[0] != '#' {
		return place{}, false
	}
	return s.root.child(list...)
}

// rawAt returns the text of a part of the schema, or nil. It reads the schema up to
// that part.
func (s *Schema) rawAt(at []string) json.RawMessage {
	raw := s.raw
	for _, token := range at {
		if list, err := members(raw); err == nil {
			i := slices.IndexFunc(list, func(m member) bool { return m.name == token })
			if i < 0 {
				return nil
			}
			raw = list[i].raw
			continue
		}
		var list []json.RawMessage
		i, err := strconv.Atoi(token)
		if err != nil || json.Unmarshal(raw, &list) != nil || i < 0 || i >= len(list) {
			return nil
		}
		raw = list[i]
	}
	return raw
}

// target is the property that a flag names.
type target struct {
	flag    string   // the name as it was written
	names   []string // the property, and the members within it
	shape   shape
	field   *field // the listed property, nil for a name that the schema does not list
	negated bool   // --no-draft
}

func (t target) name() string { return strings.Join(t.names, ".") }

// target returns the property that a flag names.
func (s *Schema) target(flag string) (target, *Error) {
	t, err := s.resolve(&s.fields, flag, flag, 0)
	if err != nil || t.names != nil {
		return t, err
	}
	if positive, ok := strings.CutPrefix(flag, "no-"); ok {
		if t, err := s.resolve(&s.fields, positive, flag, 0); err == nil && t.names != nil && t.shape.kinds.has(boolean) {
			t.negated = true
			return t, nil
		}
	}
	if s.fields.loose && flag != "" {
		return target{flag: flag, names: []string{flag}}, nil
	}
	return t, s.unknownFlag(&s.fields, flag, "")
}

// resolve finds a name among fields; the target has no names if no field is found.
// Flag is the whole flag as it was written.
func (s *Schema) resolve(in *fields, name, flag string, depth int) (target, *Error) {
	switch found := in.find(name); {
	case len(found) == 1:
		return target{flag: flag, names: []string{found[0].name}, shape: found[0].shape, field: found[0]}, nil
	case len(found) > 1:
		names := make([]string, len(found))
		for i, one := range found {
			names[i] = one.name
		}
		return target{}, errorf("%s can be one of several", flagName(flag)).hint("write the name in full: %s", listed(names, flagName))
	}
	const deepest = 10
	for i := 1; i < len(name)-1 && depth < deepest; i++ {
		if name[i] != '.' {
			continue
		}
		found := in.find(name[:i])
		if len(found) != 1 || found[0].shape.kinds != 0 && !found[0].shape.kinds.has(object) {
			continue
		}
		outer, rest := found[0], name[i+1:]
		inner := s.fieldsOf(outer.shape)
		t, err := s.resolve(&inner, rest, flag, depth+1)
		switch {
		case err != nil:
			return t, err
		case t.names != nil:
		case inner.loose:
			t = target{flag: flag, names: strings.Split(rest, ".")}
		default:
			return t, s.unknownFlag(&inner, rest, strings.TrimSuffix(flag, rest))
		}
		t.names = slices.Concat([]string{outer.name}, t.names)
		return t, nil
	}
	return target{}, nil
}

// unknownFlag returns the error for a name that is not among fields; before is the
// part of the flag before it.
func (s *Schema) unknownFlag(in *fields, name, before string) *Error {
	err := errorf("unknown flag %s", flagName(before+name))
	show := func(name string) string { return flagName(before + name) }
	if len(in.list) == 0 {
		if before != "" {
			return err.hint("%s has no members", flagName(strings.TrimSuffix(before, ".")))
		}
		return err.hint("the tool takes no arguments")
	}
	all := "the flags are " + listed(in.names(), show)
	if meant := in.nearest(name); meant != nil {
		return err.hint("did you mean %s? %s", show(meant.name), all).part(s.part(meant))
	}
	return err.hint("%s", all)
}
