package arguments

import (
	"bytes"
	"encoding/json"
	"slices"
)

// Limits of filling in, beyond any real use.
const (
	maxFilledDepth = 20      // levels of objects
	maxFilled      = 1000    // objects
	maxAlone       = 16      // defaults that are tried one by one
	maxRetried     = 1 << 20 // bytes of arguments with which that is done
)

// Complete returns checked arguments with the defaults of the required arguments
// that are missing, on the top level and in objects that are given. Servers that
// check their schema strictly refuse arguments without them; the others accept both.
// A default that violates the schema itself is left out. All that is given stays as
// it is written.
func (s *Schema) Complete(args json.RawMessage) json.RawMessage {
	if s.fault != "" || !s.fills {
		return args
	}
	fill := func(chosen func(n int) bool) (json.RawMessage, int) {
		f := &filler{schema: s, chosen: chosen, left: maxFilled}
		return f.value(args, []place{s.root}, 0), f.count
	}
	filled, count := fill(func(int) bool { return true })
	switch {
	case count == 0:
		return args
	case s.Check(filled) == nil:
		return filled
	case count > maxAlone || len(args) > maxRetried:
		return args
	}
	var right []int
	for i := range count { // each default by itself
		if one, _ := fill(func(n int) bool { return n == i }); s.Check(one) == nil {
			right = append(right, i)
		}
	}
	if filled, _ = fill(func(n int) bool { return slices.Contains(right, n) }); s.Check(filled) == nil {
		return filled
	}
	return args
}

// filler fills in defaults.
type filler struct {
	schema *Schema
	chosen func(n int) bool // reports whether the n-th missing default is filled in
	count  int              // of the defaults that are missing
	left   int              // objects that may still be looked at
}

// value returns the text of a value, which conforms to the places, with its
// defaults.
func (f *filler) value(raw json.RawMessage, places []place, depth int) json.RawMessage {
	raw = bytes.TrimSpace(raw)
	if depth > maxFilledDepth || f.left <= 0 || len(raw) == 0 {
		return raw
	}
	switch raw[0] {
	case '{':
		f.left--
		return f.object(raw, f.schema.shapeOf(places), depth)
	case '[':
		return f.array(raw, f.schema.shapeOf(places), depth)
	}
	return raw
}

func (f *filler) object(raw json.RawMessage, of shape, depth int) json.RawMessage {
	list, err := members(raw)
	if err != nil {
		return raw
	}
	before := f.count
	fields := f.schema.fieldsOf(of)
	for i := range fields.list {
		one := &fields.list[i]
		at := slices.IndexFunc(list, func(m member) bool { return m.name == one.name })
		if at >= 0 {
			list[at].raw = f.value(list[at].raw, one.places, depth+1)
			continue
		}
		if !slices.Contains(of.required, one.name) {
			continue
		}
		if value := f.schema.defaultOf(one); value != nil {
			if f.chosen(f.count) {
				list = append(list, member{one.name, value})
			}
			f.count++
		}
	}
	if f.count == before {
		return raw
	}
	return joinMembers(list)
}

func (f *filler) array(raw json.RawMessage, of shape, depth int) json.RawMessage {
	items, ok := elements(string(raw))
	if !ok || len(of.items) == 0 {
		return raw
	}
	before := f.count
	for i, item := range items {
		items[i] = f.value(item, of.items, depth+1)
	}
	if f.count == before {
		return raw
	}
	return joinItems(items)
}

// defaultOf returns the default of a field as it is written, or nil.
func (s *Schema) defaultOf(f *field) json.RawMessage {
	for _, p := range f.places {
		if at, ok := s.defaultAt(p); ok {
			return compact(s.rawAt(at.at))
		}
	}
	return nil
}

// defaultAt returns the place of a schema's default: its own, or that of a schema
// that it refers to.
func (s *Schema) defaultAt(p place) (place, bool) {
	for range 5 { // references of references
		if at, ok := p.child("default"); ok {
			return at, true
		}
		to, ok := s.refer(p)
		if !ok {
			break
		}
		p = to
	}
	return place{}, false
}

// mayFill reports whether a schema requires a name, anywhere, that has a default,
// anywhere.
func (s *Schema) mayFill() bool {
	required, known := map[string]bool{}, map[string]bool{}
	var walk func(node any)
	walk = func(node any) {
		switch v := node.(type) {
		case map[string]any:
			list, _ := v["required"].([]any)
			for _, name := range list {
				if name, ok := name.(string); ok {
					required[name] = true
				}
			}
			properties, _ := v["properties"].(map[string]any)
			for name, sub := range properties {
				if _, ok := s.defaultAt(place{node: sub}); ok {
					known[name] = true
				}
			}
			for _, sub := range v {
				walk(sub)
			}
		case []any:
			for _, sub := range v {
				walk(sub)
			}
		}
	}
	walk(s.root.node)
	for name := range known {
		if required[name] {
			return true
		}
	}
	return false
}
