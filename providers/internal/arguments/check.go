package arguments

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
)

// Check checks arguments, which must be one JSON object, against the schema. A
// required name that has a default may be missing (see [Schema.Complete]). The error is an *[Error] with the first few faults, in a stable order. Words are the
// command line that [Schema.Parse] has made the arguments from, if any: the error
// then refers to flags.
//
// Long strings are read at 100 MB/s and more, lists of small items at 5 to 15 MB/s.
// Meanwhile a copy of the arguments is in memory; small items take several times
// their size. The number of steps is limited: if a schema needs more, the arguments
// are accepted unchecked.
func (s *Schema) Check(args json.RawMessage, words ...Word) error {
	if first := bytes.TrimLeft(args, " \t\r\n"); len(first) == 0 {
		return errorf("the arguments are empty").hint("write {} for none")
	}
	v, values, err := decodeCount(args)
	if err != nil {
		return errorf("the arguments are not JSON: %s", err)
	}
	obj, ok := v.(map[string]any)
	if !ok {
		return errorf("the arguments are %s", valueWords(v)).hint("they are one JSON object")
	}
	if s.fault != "" {
		return nil
	}
	return s.validate(&report{schema: s, value: obj, words: words, whole: "the arguments", defaults: true, unknown: s.unknown(obj)}, values)
}

// Fits checks any value, such as a result, against the schema, as JSON Schema
// does: names that the schema does not list are allowed, and a default does not stand
// for what is required. Whole is the name of the
// value in the error. Otherwise it is like [Schema.Check].
func (s *Schema) Fits(value json.RawMessage, whole string) error {
	v, values, err := decodeCount(value)
	if err != nil {
		return errorf("%s is not JSON: %s", whole, err)
	}
	if s.fault != "" {
		return nil
	}
	return s.validate(&report{schema: s, value: v, whole: whole}, values)
}

// validate checks a value, which consists of count values, against the schema.
func (s *Schema) validate(r *report, values int) error {
	const ( // the number of steps of a check
		free = 100_000
		each = 6 // for each value in it
	)
	c, _ := s.idle.Get().(*checker)
	if c == nil { // concurrent checks, or the pool was cleared
		var err error
		if c, err = newChecker(s.root.node, len(s.raw)); err != nil {
			return nil // it could be compiled once: not the caller's fault
		}
	}
	defer s.idle.Put(c)
	r.read(c.check(r.value, free+each*values))
	if e := r.error(); e != nil {
		return e
	}
	return nil
}

// unknown returns the names that the schema neither lists nor explicitly allows.
func (s *Schema) unknown(obj map[string]any) []string {
	if s.fields.loose || len(s.fields.list) == 0 { // the schema itself decides
		return nil
	}
	known := map[string]bool{}
	for _, f := range s.fields.list {
		known[f.name] = true
	}
	return slices.DeleteFunc(slices.Sorted(maps.Keys(obj)), func(name string) bool { return known[name] })
}
