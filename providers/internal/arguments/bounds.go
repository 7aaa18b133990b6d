package arguments

import (
	"encoding/json"
	"math"
	"slices"
	"strings"

	"ctxfs/providers/internal/clean"
)

// aspects returns the schemas that a value must fit for certain: p, what it refers to
// and combines, and the only alternative to null.
func (s *Schema) aspects(p place) []map[string]any {
	const most = 20 // no real schema combines more
	var all []map[string]any
	for next := []place{p}; len(next) > 0 && len(all) < most; next = next[1:] {
		p := next[0]
		m, ok := p.node.(map[string]any)
		if !ok {
			continue
		}
		all = append(all, m)
		if to, ok := s.refer(p); ok {
			next = append(next, to)
		}
		next = append(next, p.list("allOf")...)
		for _, name := range []string{"anyOf", "oneOf"} {
			if list := slices.DeleteFunc(p.list(name), func(p place) bool { return p.text("type") == "null" }); len(list) == 1 {
				next = append(next, list[0])
			}
		}
	}
	return all
}

// bounds describes the format and the limits of a field's values, a few words for
// each. Of alternatives it says nothing.
func (s *Schema) bounds(f *field) (all []string) {
	if len(f.places) != 1 {
		return nil
	}
	is := make(map[string]any)
	for _, m := range s.aspects(f.places[0]) {
		for name, v := range m {
			if _, ok := is[name]; !ok {
				is[name] = v
			}
		}
	}
	if format, _ := is["format"].(string); format != "" && f.shape.kinds.only(str|null) {
		all = append(all, "format: "+clean.Cut(clean.Line(format), 40))
	}
	for _, by := range []struct{ least, most, of string }{
		{"minimum", "maximum", ""}, {"minLength", "maxLength", "characters"}, {"minItems", "maxItems", "items"},
	} {
		if words := span(is, by.least, by.most, by.of); words != "" {
			all = append(all, words)
		}
	}
	return all
}

// span describes the least and the most that a schema names: "18 to 120", "at most 3
// items".
func span(is map[string]any, least, most, of string) string {
	low, high := limit(is[least]), limit(is[most])
	if of != "" && low == "0" {
		low = ""
	}
	lowest, highest := "at least ", "at most "
	if of == "" { // a number may have to be beyond its limit
		if v, exclusive := beyond(is["exclusiveMinimum"], low); exclusive {
			low, lowest = v, "more than "
		}
		if v, exclusive := beyond(is["exclusiveMaximum"], high); exclusive {
			high, highest = v, "less than "
		}
	}
	words := ""
	switch {
	case low == "" && high == "":
		return ""
	case low == high:
		words = "exactly " + low
	case low != "" && high != "" && lowest == "at least " && highest == "at most ":
		words = low + " to " + high
	case high == "":
		words = lowest + low
	case low == "":
		words = highest + high
	default:
		words = lowest + low + ", " + highest + high
	}
	if of == "" {
		return words
	}
	if high == "1" || high == "" && low == "1" {
		of = strings.TrimSuffix(of, "s")
	}
	return words + " " + of
}

// beyond returns a limit that values must not reach: its own number, or, up to draft
// 4, whether the other limit is one.
func beyond(v any, other string) (string, bool) {
	if is, ok := v.(bool); ok {
		return other, is && other != ""
	}
	text := limit(v)
	return text, text != ""
}

// limit returns a number as it is written, or "" for what limits nothing: generators
// of schemas write the bounds of integers that JavaScript can represent.
func limit(v any) string {
	n, ok := v.(json.Number)
	if !ok {
		return ""
	}
	if x, err := n.Float64(); err != nil || math.Abs(x) >= 1<<53-1 {
		return ""
	}
	return shown(string(n))
}

// titles returns what the values of an enumeration are called, "" for those without
// a title, or nil if no value has a title.
func (s *Schema) titles(f *field, values []any) []string {
	called := make(map[string]string)
	for _, p := range f.places {
		for _, m := range s.aspects(p) {
			titlesIn(m, called)
		}
		items, _ := p.child("items")
		for _, m := range s.aspects(items) {
			titlesIn(m, called)
		}
	}
	if len(called) == 0 {
		return nil
	}
	all := make([]string, len(values))
	for i, v := range values {
		all[i] = called[bare(v)]
	}
	return all
}

// titlesIn adds the titles of values, by the values as they are written, that a
// schema lists as constants, or beside its enumeration.
func titlesIn(m map[string]any, called map[string]string) {
	add := func(value any, title any) {
		is, text := bare(value), ""
		if title, ok := title.(string); ok {
			text = clean.Cut(clean.Line(title), 60)
		}
		if _, ok := called[is]; !ok && text != "" && text != is {
			called[is] = text
		}
	}
	for _, name := range []string{"oneOf", "anyOf"} {
		list, _ := m[name].([]any)
		for _, one := range list {
			if one, ok := one.(map[string]any); ok && one["const"] != nil {
				add(one["const"], one["title"])
			}
		}
	}
	values, _ := m["enum"].([]any)
	names, _ := m["enumNames"].([]any)
	for i := range min(len(values), len(names)) {
		add(values[i], names[i])
	}
}
