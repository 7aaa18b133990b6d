package arguments

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
)

// Check reports whether arguments, one JSON object, fit the schema; nil if they
// do. The error is an *[Error]; it tells the first few faults, the same for the
// same arguments. Long texts are read at 100 MB a second and more, lists of
// small items at 5 to 15. It holds the arguments once more in memory while it
// works, small items at several times their size. The number of steps is limited: a schema that asks for
// more is given up, and the arguments are taken as they are. Words are those of
// which [Schema.Parse] has made the arguments, if it has: the error names what was
// given as a flag so.
func (s *Schema) Check(args json.RawMessage, words ...Word) error {
	if first := bytes.TrimLeft(args, " \t\r\n"); len(first) == 0 {
		return errorf("the arguments are empty").hint("write {} for none")
	}
	v, values, err := decodeCount(args)
	if err != nil {
		return errorf("the arguments are no JSON: %s", err)
	}
	obj, ok := v.(map[string]any)
	if !ok {
		return errorf("the arguments are %s", valueWords(v)).hint("they are one JSON object")
	}
	if s.fault != "" {
		return nil
	}
	return s.hold(&report{schema: s, value: obj, words: words, whole: "the arguments", unknown: s.unknown(obj)}, values)
}

// Fits checks any value as JSON Schema does, such as a result against a tool's
// output schema: names that the schema does not list are none of its business.
// Whole is what the value is called in the error. Otherwise it is like [Schema.Check].
func (s *Schema) Fits(value json.RawMessage, whole string) error {
	v, values, err := decodeCount(value)
	if err != nil {
		return errorf("%s is no JSON: %s", whole, err)
	}
	if s.fault != "" {
		return nil
	}
	return s.hold(&report{schema: s, value: v, whole: whole}, values)
}

// hold holds a value, which consists of some number of values, against the
// schema.
func (s *Schema) hold(r *report, values int) error {
	const ( // the steps that a check may make
		free = 100_000
		each = 6 // more for each value in it
	)
	c, _ := s.idle.Get().(*checker)
	if c == nil { // several checks at once, or some time since the last
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

// unknown are the names that the schema neither lists nor says that it allows.
func (s *Schema) unknown(obj map[string]any) []string {
	if s.fields.loose || len(s.fields.list) == 0 { // the schema itself decides
		return nil
	}
	known := map[string]bool{}
	for _, f := range s.fields.list {
		known[f.name] = true
	}
	var unknown []string
	for _, name := range slices.Sorted(maps.Keys(obj)) {
		if !known[name] {
			unknown = append(unknown, name)
		}
	}
	return unknown
}
