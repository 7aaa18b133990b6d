package arguments

import (
	"slices"
	"strings"
)

// target is the property that a flag names.
type target struct {
	flag    string   // the name as it was written
	names   []string // the property, and the members within it
	shape   shape
	field   *field // the listed property, nil for a name that the schema does not list
	negated bool   // --no-draft
}

func (t target) name() string { return strings.Join(t.names, ".") }

// target is the property that a flag names.
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

// resolve finds name among some fields; the target has no names where there is
// none. flag is the whole as it was written.
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

// unknownFlag is the error for a name that is not among some fields; before is
// what stands before it in the flag.
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
	if near := in.nearest(name); near != nil {
		return err.hint("did you mean %s? %s", show(near.name), all).part(s.part(near))
	}
	return err.hint("%s", all)
}
