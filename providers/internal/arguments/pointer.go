package arguments

import (
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// place is a part of a schema: its value, and where it stands.
type place struct {
	at   []string // a JSON pointer's tokens
	node any
}

// down is the place of a member or an item, if there is one.
func (p place) down(tokens ...string) (place, bool) {
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

// list are the places of the schemas in an array such as "anyOf".
func (p place) list(name string) []place {
	in, ok := p.down(name)
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

// text is a member that is a string, or "".
func (p place) text(name string) string {
	m, _ := p.node.(map[string]any)
	s, _ := m[name].(string)
	return s
}

// tokens are those of a reference into the same document, "#/$defs/x". Other
// references (by name, to other documents) are not resolved.
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

// refer is the place in the same schema that p refers to with "$ref".
func (s *Schema) refer(p place) (place, bool) {
	ref := p.text("$ref")
	list, ok := tokens(ref)
	if !ok || ref[0] != '#' {
		return place{}, false
	}
	return s.root.down(list...)
}

// rawAt is the text of a part of the schema, nil where there is none. It costs
// going over what stands before it: O(the schema's size).
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
