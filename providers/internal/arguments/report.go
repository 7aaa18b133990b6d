package arguments

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"ctxfs/providers/internal/nearest"
)

// report turns the library's verdict into an error for people.
type report struct {
	schema *Schema
	value  any
	words  []Word // the command line that it was made of
	whole  string // the name of the value
	// defaults is set if a default stands for a required name that is missing.
	defaults bool
	unknown  []string // names on the top level
	missing  []string
	faults   []*jsonschema.ValidationError // the others, each a leaf
}

func (r *report) read(verdict *jsonschema.ValidationError) {
	if verdict == nil {
		return
	}
	for _, leaf := range leaves(verdict) {
		top := len(leaf.InstanceLocation) == 0
		switch k := leaf.ErrorKind.(type) {
		case *kind.Required:
			k.Missing = slices.DeleteFunc(slices.Clone(k.Missing), func(name string) bool {
				return r.defaults && (r.schema.propertyHasDefault(leaf.SchemaURL, name) || top && r.schema.fieldHasDefault(name))
			})
			if len(k.Missing) == 0 {
				continue
			}
			if top {
				r.missing = append(r.missing, k.Missing...)
				continue
			}
		case *kind.AdditionalProperties:
			slices.Sort(k.Properties) // the library's order is random
			if top {
				r.unknown = append(r.unknown, k.Properties...)
				continue
			}
		case *kind.FalseSchema: // unevaluatedProperties
			if at := leaf.InstanceLocation; len(at) == 1 && r.schema.fields.exact(at[0]) == nil {
				r.unknown = append(r.unknown, at[0])
				continue
			}
		case *kind.RefCycle, *kind.InvalidJsonValue: // not the caller's fault
			continue
		}
		r.faults = append(r.faults, leaf)
	}
	slices.Sort(r.unknown)
	r.unknown = slices.Compact(r.unknown)
	r.missing = unique(r.missing)
	slices.SortStableFunc(r.faults, func(a, b *jsonschema.ValidationError) int {
		return cmp.Or(compareLocations(a.InstanceLocation, b.InstanceLocation), cmp.Compare(a.SchemaURL, b.SchemaURL),
			slices.Compare(a.ErrorKind.KeywordPath(), b.ErrorKind.KeywordPath()))
	})
}

// unique returns the names, each once.
func unique(names []string) []string {
	var out []string
	for _, name := range names {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// compareLocations compares places in the arguments, items by their index.
func compareLocations(a, b []string) int {
	return slices.CompareFunc(a, b, func(x, y string) int {
		i, err1 := strconv.Atoi(x)
		j, err2 := strconv.Atoi(y)
		if err1 == nil && err2 == nil {
			return cmp.Compare(i, j)
		}
		return cmp.Compare(x, y)
	})
}

// error returns the first few faults, or nil.
func (r *report) error() *Error {
	const most = 3
	var found []*Error
	if len(r.unknown) > 0 {
		found = append(found, r.unknownError())
	}
	if len(r.missing) > 0 {
		found = append(found, r.missingError())
	}
	count := len(found)
	seen := map[string]bool{}
	for _, fault := range r.faults {
		if len(found) >= most {
			count++
			continue
		}
		if one := r.fault(fault); !seen[one.What] {
			seen[one.What] = true
			found = append(found, one)
			count++
		}
	}
	if count == 0 {
		return nil
	}
	out := found[0]
	for _, one := range found[1:] {
		out.What += "; also " + one.What
		out.Hint = cmp.Or(out.Hint, one.Hint)
		if out.Part == nil {
			out.Part = one.Part
		}
	}
	if more := count - len(found); more > 0 {
		out.What += "; and " + strconv.Itoa(more) + " more"
	}
	return out
}

func (r *report) unknownError() *Error {
	in := &r.schema.fields
	err := errorf("unknown %s", listed(r.unknown, quoted))
	if len(in.list) == 0 {
		return err.hint("the tool takes no arguments")
	}
	for _, name := range r.unknown {
		if meant := in.nearest(name); meant != nil {
			r.missing = slices.DeleteFunc(r.missing, func(m string) bool { return m == meant.name })
			return err.hint("did you mean %s?", quoted(meant.name)).part(r.schema.part(meant))
		}
	}
	return err.hint("the arguments are %s", listed(in.names(), quoted))
}

func (r *report) missingError() *Error {
	err := errorf("missing %s", listed(r.missing, quoted))
	var parts []member
	size := 0
	for _, name := range r.missing {
		if f := r.schema.fields.exact(name); f != nil && len(f.places) > 0 {
			raw := compact(r.schema.rawAt(f.places[0].at))
			if size += len(name) + len(raw); size > maxPart {
				break
			}
			parts = append(parts, member{name, raw})
		}
	}
	if len(parts) > 0 {
		return err.part(objectOf(parts))
	}
	if f := r.schema.fields.exact(r.missing[0]); f != nil {
		return err.part(r.schema.part(f))
	}
	return err
}

// fault returns one fault within the arguments.
func (r *report) fault(f *jsonschema.ValidationError) *Error {
	at := r.path(f.InstanceLocation)
	inside := func(name string) string { return quotedPath(joinPath(at, name)) }
	var err *Error
	switch k := f.ErrorKind.(type) {
	case *kind.Required:
		err = errorf("missing %s", listed(k.Missing, inside))
	case *kind.AdditionalProperties:
		err = errorf("unknown %s", listed(k.Properties, inside))
		r.hintMember(err, k.Properties[0], f)
	default:
		subject := r.whole
		if at != "" {
			subject = r.subject(f.InstanceLocation)
		}
		what, hint := explain(f.ErrorKind, r.at(f.InstanceLocation), subject)
		err = &Error{What: what, Hint: hint}
	}
	if at == "" {
		return err
	}
	if tokens, ok := tokens(f.SchemaURL); ok {
		err.Part = r.schema.partAt(at, tokens)
	}
	return err
}

// hintMember suggests the members of a nested object.
func (r *report) hintMember(err *Error, name string, f *jsonschema.ValidationError) {
	place, ok := tokens(f.SchemaURL)
	if !ok {
		return
	}
	list, _ := members(r.schema.rawAt(append(slices.Clone(place), "properties")))
	names := make([]string, len(list))
	for i, m := range list {
		names[i] = m.name
	}
	if meant := nearest.Of(shown(name), names); meant != "" {
		err.Hint = "did you mean " + quoted(meant) + "?"
	} else if len(names) > 0 {
		err.Hint = "the members are " + listed(names, quoted)
	}
}

// at returns the value at a place in the arguments.
func (r *report) at(location []string) any {
	p, _ := place{node: r.value}.child(location...)
	return p.node
}

// path returns a place in the arguments: filter.state, labels[2].
func (r *report) path(location []string) string {
	var path string
	p := place{node: r.value}
	for _, token := range location {
		if _, list := p.node.([]any); list {
			path += "[" + token + "]"
		} else {
			path = joinPath(path, token)
		}
		p, _ = p.child(token)
	}
	return path
}

// subject returns the name of a place in the arguments: its flag if one set it, or
// else its path.
func (r *report) subject(location []string) string {
	path := r.path(location)
	p, err := r.schema.read(r.words)
	if err != nil {
		return quotedPath(path)
	}
	longest := 0
	subject := quotedPath(path)
	for _, g := range p.given {
		if n := len(g.names); n > longest && n <= len(location) && slices.Equal(g.names, location[:n]) {
			longest, subject = n, flagName(g.flag)+strings.TrimPrefix(path, r.path(location[:n]))
		}
	}
	return subject
}

func joinPath(path, name string) string {
	if path == "" {
		return shown(name)
	}
	return path + "." + shown(name)
}

// quotedPath returns a path whose names are clean already, quoted.
func quotedPath(path string) string { return `"` + path + `"` }

// leaves returns the faults of a verdict, without those that only name the place.
func leaves(v *jsonschema.ValidationError) []*jsonschema.ValidationError {
	var out []*jsonschema.ValidationError
	switch k := v.ErrorKind.(type) {
	case *kind.AnyOf:
		return alternatives(v)
	case *kind.OneOf:
		if k.Subschemas == nil {
			return alternatives(v)
		}
	case *kind.Format:
		var wrong wrongType
		if errors.As(k.Err, &wrong) {
			v.ErrorKind = &kind.Type{Want: wrong.types.ToStrings()}
		}
	case *kind.Schema, *kind.Group, *kind.AllOf, *kind.Reference:
		for _, cause := range v.Causes {
			out = append(out, leaves(cause)...)
		}
		return out
	}
	return []*jsonschema.ValidationError{v}
}

// jsonText returns a value as JSON, for a message.
func jsonText(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return "…"
	}
	return shown(string(b))
}
