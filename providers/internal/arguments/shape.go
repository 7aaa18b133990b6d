package arguments

import (
	"cmp"
	"encoding/json"
	"slices"
)

// kinds is a set of JSON types; the empty set stands for any.
type kinds uint8

const (
	null kinds = 1 << iota
	boolean
	number
	integer
	str
	array
	object
)

// kindNames are in the order in which messages list them.
func kindNames() []string {
	return []string{"null", "boolean", "number", "integer", "string", "array", "object"}
}

func kindOf(name string) kinds {
	if i := slices.Index(kindNames(), name); i >= 0 {
		return 1 << i
	}
	return 0
}

func kindOfValue(v any) kinds {
	switch v.(type) {
	case nil:
		return null
	case bool:
		return boolean
	case json.Number:
		return number
	case string:
		return str
	case []any:
		return array
	}
	return object
}

func (k kinds) has(of kinds) bool { return k&of != 0 }

// only reports whether the set is not empty and has no other than the given kinds.
func (k kinds) only(of kinds) bool { return k != 0 && k&^of == 0 }

func (k kinds) names() []string {
	var list []string
	for i, name := range kindNames() {
		if k.has(1 << i) {
			list = append(list, name)
		}
	}
	return list
}

// shape describes the values that a schema allows, as far as it matters for
// converting text. Combinations (anyOf, allOf, $ref) are resolved.
type shape struct {
	kinds    kinds
	enum     []any    // the allowed values; nil allows others
	items    []place  // schemas of an array's items
	objects  []place  // schemas with "properties"
	required []string // names that are required in every combination that is an object
	closed   bool     // names that are not in properties are forbidden
	loose    bool     // names that are not in properties are explicitly allowed, or not known
}

// shapeOf returns the shape of values that conform to any of the schemas. Its cost is
// limited for any schema.
func (s *Schema) shapeOf(places []place) shape {
	const steps = 2000 // no real schema combines more
	w := shaper{s: s, left: steps}
	return w.any(places, 0)
}

type shaper struct {
	s    *Schema
	left int
}

// any returns the shape of values that conform to any of the schemas.
func (w *shaper) any(places []place, depth int) (out shape) {
	for i, p := range places {
		if one := w.shape(p, depth); i == 0 {
			out = one
		} else {
			out = either(out, one)
		}
	}
	return out
}

func (w *shaper) shape(p place, depth int) shape {
	const maxDepth = 20 // of combinations and references
	m, ok := p.node.(map[string]any)
	if w.left--; !ok || w.left < 0 || depth > maxDepth {
		return shape{loose: true}
	}
	out := w.declared(p, m)
	if _, ok := m["$ref"]; ok {
		one := shape{loose: true}
		if to, ok := w.s.refer(p); ok {
			one = w.shape(to, depth+1)
		}
		out = both(out, one)
	}
	for _, sub := range p.list("allOf") {
		out = both(out, w.shape(sub, depth+1))
	}
	for _, name := range []string{"anyOf", "oneOf"} {
		out = both(out, w.any(p.list(name), depth+1))
	}
	for _, name := range []string{"if", "then", "else"} { // they may apply: only their names are used
		if sub, ok := p.child(name); ok {
			one := w.shape(sub, depth+1)
			out.objects = append(out.objects, one.objects...)
		}
	}
	return out
}

// declared returns the shape of a schema without those that it combines.
func (w *shaper) declared(p place, m map[string]any) shape {
	var out shape
	switch t := m["type"].(type) {
	case string:
		out.kinds = kindOf(t)
	case []any:
		for _, name := range t {
			name, _ := name.(string)
			out.kinds |= kindOf(name)
		}
	}
	if list, ok := m["enum"].([]any); ok {
		out.enum = list
	} else if v, ok := m["const"]; ok {
		out.enum = []any{v}
	}
	if out.kinds == 0 {
		for _, v := range out.enum {
			out.kinds |= kindOfValue(v)
		}
	}
	for _, name := range []string{"items", "prefixItems"} {
		if sub, ok := p.child(name); ok {
			if _, tuple := sub.node.([]any); tuple {
				out.items = append(out.items, p.list(name)...)
			} else {
				out.items = append(out.items, sub)
			}
		}
	}
	if len(out.items) > 0 && out.kinds == 0 {
		out.kinds = array
	}
	if _, ok := m["properties"].(map[string]any); ok {
		out.objects = []place{p}
		out.kinds = cmp.Or(out.kinds, object)
	}
	if list, ok := m["required"].([]any); ok {
		for _, name := range list {
			if name, ok := name.(string); ok {
				out.required = append(out.required, name)
			}
		}
	}
	for _, name := range []string{"additionalProperties", "unevaluatedProperties"} {
		switch v, ok := m[name]; {
		case v == false:
			out.closed = true
		case ok:
			out.loose = true
		}
	}
	for _, name := range []string{"patternProperties", "dependentSchemas", "dependencies", "$dynamicRef", "$recursiveRef"} {
		if _, ok := m[name]; ok {
			out.loose = true
		}
	}
	return out
}

// both returns the shape of values that have both shapes.
func both(a, b shape) shape {
	out := a
	switch both := a.kinds & b.kinds; {
	case a.kinds == 0:
		out.kinds = b.kinds
	case b.kinds == 0:
	case both != 0:
		out.kinds = both
	case a.kinds.has(number) && b.kinds.has(integer):
		out.kinds = integer
	}
	if out.enum == nil {
		out.enum = b.enum
	}
	out.items = slices.Concat(a.items, b.items)
	out.objects = slices.Concat(a.objects, b.objects)
	out.required = slices.Concat(a.required, b.required)
	out.closed = a.closed || b.closed
	out.loose = a.loose || b.loose
	return out
}

// either returns the shape of values with one of the two shapes. Null does not
// count for the values of an enumeration.
func either(a, b shape) shape {
	out := shape{
		items: slices.Concat(a.items, b.items), objects: slices.Concat(a.objects, b.objects),
		closed: a.closed && b.closed, loose: a.loose || b.loose,
	}
	if a.kinds != 0 && b.kinds != 0 {
		out.kinds = a.kinds | b.kinds
	}
	switch noObject := func(s shape) bool { return s.kinds != 0 && !s.kinds.has(object) }; {
	case noObject(a):
		out.required = b.required
	case noObject(b):
		out.required = a.required
	default:
		for _, name := range a.required {
			if slices.Contains(b.required, name) {
				out.required = append(out.required, name)
			}
		}
	}
	switch {
	case a.enum != nil && b.enum != nil:
		out.enum = slices.Concat(a.enum, b.enum)
	case a.enum != nil && b.kinds == null:
		out.enum = a.enum
	case b.enum != nil && a.kinds == null:
		out.enum = b.enum
	}
	return out
}
