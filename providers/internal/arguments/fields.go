package arguments

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode"

	"ctxfs/providers/internal/nearest"
)

// field is a property that a schema lists.
type field struct {
	name     string
	places   []place // several where alternatives list it, none where it is only required
	required bool    // and has no default
	shape    shape
}

// fields are the properties of an object, in the order of the schema.
type fields struct {
	list  []field
	loose bool // other names are allowed
}

// fieldsOf returns the properties of the objects that a shape describes.
func (s *Schema) fieldsOf(of shape) fields {
	out := fields{loose: of.loose || len(of.objects) == 0 && !of.closed}
	index := map[string]int{}
	for _, p := range of.objects {
		in, _ := p.child("properties")
		list, _ := members(s.rawAt(in.at)) // for their order
		for _, m := range list {
			sub, ok := in.child(m.name)
			if !ok {
				continue
			}
			if i, ok := index[m.name]; ok {
				out.list[i].places = append(out.list[i].places, sub)
				continue
			}
			index[m.name] = len(out.list)
			out.list = append(out.list, field{name: m.name, places: []place{sub}, required: slices.Contains(of.required, m.name)})
		}
	}
	for _, name := range of.required { // some are required without being listed
		if _, ok := index[name]; !ok && len(out.list) > 0 {
			index[name] = len(out.list)
			out.list = append(out.list, field{name: name, required: true})
		}
	}
	for i := range out.list {
		out.list[i].shape = s.shapeOf(out.list[i].places)
		out.list[i].required = out.list[i].required && !slices.ContainsFunc(out.list[i].places, s.hasDefault)
	}
	return out
}

func (s *Schema) hasDefault(p place) bool {
	_, ok := s.defaultAt(p)
	return ok
}

// propertyHasDefault reports whether the schema at an address of the library has a
// default for a property.
func (s *Schema) propertyHasDefault(url, name string) bool {
	at, ok := tokens(url)
	if !ok {
		return false
	}
	p, ok := s.root.child(append(slices.Clone(at), "properties", name)...)
	return ok && s.hasDefault(p)
}

// fieldHasDefault reports whether there is a property with a name and a default on
// the top level.
func (s *Schema) fieldHasDefault(name string) bool {
	f := s.fields.exact(name)
	return f != nil && slices.ContainsFunc(f.places, s.hasDefault)
}

func (f *fields) names() []string {
	names := make([]string, len(f.list))
	for i, one := range f.list {
		names[i] = one.name
	}
	return names
}

// exact returns the field with exactly that name, or nil.
func (f *fields) exact(name string) *field {
	if i := slices.IndexFunc(f.list, func(one field) bool { return one.name == name }); i >= 0 {
		return &f.list[i]
	}
	return nil
}

// find returns the fields that a flag names: by its own name, by the name in another
// case ("issue-number" for "issueNumber"), or by the singular of a list's name.
func (f *fields) find(flag string) []*field {
	if one := f.exact(flag); one != nil {
		return []*field{one}
	}
	plain := plainName(flag)
	if plain == "" {
		return nil
	}
	var same, plural []*field
	for i := range f.list {
		one := &f.list[i]
		switch name := plainName(one.name); {
		case name == plain:
			same = append(same, one)
		case one.shape.kinds.has(array) && (name == plain+"s" || name == plain+"es" ||
			strings.HasSuffix(plain, "y") && name == plain[:len(plain)-1]+"ies"):
			plural = append(plural, one)
		}
	}
	if len(same) > 0 {
		return same
	}
	return plural
}

// nearest returns the field that was probably meant, or nil.
func (f *fields) nearest(name string) *field {
	const longest = 100 // comparing takes time proportional to the product of the lengths
	if len(name) > longest {
		return nil
	}
	if found := f.find(name); len(found) > 0 {
		return found[0]
	}
	known := slices.DeleteFunc(f.names(), func(s string) bool { return len(s) > longest })
	if meant := nearest.Of(name, known); meant != "" {
		return f.exact(meant)
	}
	return nil
}

// plainName returns a name without case and separators.
func plainName(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == ' ' {
			return -1
		}
		return unicode.ToLower(r)
	}, name)
}

// annotation returns the first string with a key in a field's schemas or in those
// that they refer to.
func (s *Schema) annotation(f *field, name string) string {
	for _, p := range f.places {
		for range 5 { // references of references
			if v := p.text(name); v != "" {
				return v
			}
			to, ok := s.refer(p)
			if !ok {
				break
			}
			p = to
		}
	}
	return ""
}

// part returns the field's schema under its name, in at most maxPart bytes: its
// longest members are left out.
func (s *Schema) part(f *field) json.RawMessage {
	if f == nil || len(f.places) == 0 {
		return nil
	}
	return s.partAt(f.name, f.places[0].at)
}

func (s *Schema) partAt(name string, at []string) json.RawMessage {
	raw := compact(s.rawAt(at))
	if len(raw) == 0 || len(name) > maxPart/2 {
		return nil
	}
	if len(raw) > maxPart {
		raw = shorten(raw)
	}
	return object1(name, raw)
}

// maxPart is the largest part of a schema that comes with an error, in bytes.
const maxPart = 2000

// shorten leaves out the longest members of an object until it is short enough.
func shorten(raw json.RawMessage) json.RawMessage {
	list, err := members(raw)
	if err != nil {
		return json.RawMessage("{}")
	}
	size := 0
	for _, m := range list {
		size += len(m.name) + len(m.raw) + 4
	}
	for size > maxPart {
		long := 0
		for i, m := range list {
			if len(m.name)+len(m.raw) > len(list[long].name)+len(list[long].raw) {
				long = i
			}
		}
		size -= len(list[long].name) + len(list[long].raw) + 4
		list = slices.Delete(list, long, long+1)
	}
	return objectOf(list)
}

func compact(raw json.RawMessage) json.RawMessage {
	var out bytes.Buffer
	if len(raw) == 0 || json.Compact(&out, raw) != nil {
		return nil
	}
	return out.Bytes()
}
