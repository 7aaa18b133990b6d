package arguments

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"ctxfs/providers/internal/clean"
)

// Limits of a schema that is used for checks. The largest of 700 real ones has
// 13 kB. Compiling takes time quadratic in the number of objects, and no server may
// block a caller with a schema.
const (
	maxSchema  = 256 << 10 // bytes
	maxObjects = 2000      // objects in it
)

// schemaURL is the address of the schema for the library. References to other
// documents are resolved against it, and refused.
const schemaURL = "ctxfs:///tool"

// checker is a schema compiled by the library. It has one counter of steps, so only
// one check at a time may use it.
type checker struct {
	schema *jsonschema.Schema
	left   int // steps that are left to the check
}

// exhausted is the panic value that ends a check with too many steps.
type exhausted struct{}

func newChecker(doc any, size int) (c *checker, err error) {
	defer func() {
		if p := recover(); p != nil {
			c, err = nil, fmt.Errorf("the input schema cannot be compiled: %s", clean.Sentence(fmt.Sprint(p), 200))
		}
	}()
	if size > maxSchema || countObjects(doc, maxObjects) > maxObjects {
		return nil, errors.New("the input schema is too large to be checked against")
	}
	schema, err := compileAs(doc, jsonschema.Draft2020)
	var invalid *jsonschema.SchemaValidationError
	if errors.As(err, &invalid) { // some are written as in draft 4 ("exclusiveMinimum": true) without saying so
		if old, err4 := compileAs(doc, jsonschema.Draft4); err4 == nil {
			schema, err = old, nil
		}
	}
	if err != nil {
		return nil, explainCompile(err)
	}
	c = &checker{schema: schema}
	if err := c.prepare(); err != nil {
		return nil, err
	}
	return c, nil
}

// compileAs compiles a schema with a draft, unless it names its own.
func compileAs(doc any, draft *jsonschema.Draft) (*jsonschema.Schema, error) {
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(draft)
	compiler.UseLoader(noLoader{})
	compiler.UseRegexpEngine(lenient)
	if err := compiler.AddResource(schemaURL, doc); err != nil {
		return nil, err
	}
	return compiler.Compile(schemaURL)
}

// check returns the library's verdict on a value: nil if it conforms, and also if
// there is no verdict, because the check needs too many steps or the library fails.
func (c *checker) check(v any, steps int) (verdict *jsonschema.ValidationError) {
	defer func() {
		if recover() != nil { // exhausted, or a fault of the library at a foreign schema: no verdict
			verdict = nil
		}
	}()
	c.left = steps
	err := c.schema.Validate(v)
	errors.As(err, &verdict)
	return verdict
}

// prepare walks the compiled schema once. Every part of it gets a "format" that
// counts a step (see counter), which replaces its own: formats are not enforced,
// since servers differ in what they accept as a date or an address.
func (c *checker) prepare() error {
	type part struct {
		schema *jsonschema.Schema
		exact  bool // an unchecked pattern here would turn a right value into a wrong one
	}
	seen := map[part]bool{}
	todo := []part{{c.schema, false}}
	for len(todo) > 0 {
		p := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if p.schema == nil || p.schema.Bool != nil || seen[p] {
			continue
		}
		seen[p] = true
		s := p.schema
		if s.DynamicRef != nil || s.RecursiveRef != nil {
			return errors.New("the input schema uses dynamic references, which are not followed")
		}
		if _, ok := s.Pattern.(anything); ok {
			if p.exact {
				return errors.New("the input schema decides by a pattern that cannot be read")
			}
		}
		for re := range s.PatternProperties {
			if _, ok := re.(anything); ok {
				return errors.New("the input schema names properties by a pattern that cannot be read")
			}
		}
		if s.Format == nil || s.Format.Name != stepFormat {
			s.Format = &jsonschema.Format{Name: stepFormat, Validate: c.counter(s)}
		}
		each := func(exact bool, list ...*jsonschema.Schema) {
			for _, sub := range list {
				todo = append(todo, part{sub, exact || p.exact})
			}
		}
		each(true, s.Not, s.If, s.Contains)
		each(true, s.OneOf...)
		each(false, s.Ref, s.Then, s.Else, s.PropertyNames, s.UnevaluatedProperties, s.UnevaluatedItems, s.Items2020)
		each(false, s.AllOf...)
		each(false, s.AnyOf...)
		each(false, s.PrefixItems...)
		for _, any := range []any{s.AdditionalProperties, s.Items, s.AdditionalItems} {
			switch sub := any.(type) {
			case *jsonschema.Schema:
				each(false, sub)
			case []*jsonschema.Schema:
				each(false, sub...)
			}
		}
		each(false, slices.Collect(maps.Values(s.Properties))...)
		each(false, slices.Collect(maps.Values(s.PatternProperties))...)
		each(false, slices.Collect(maps.Values(s.DependentSchemas))...)
		for _, sub := range s.Dependencies {
			if sub, ok := sub.(*jsonschema.Schema); ok {
				each(false, sub)
			}
		}
	}
	return nil
}

// stepFormat is the name of the formats that count steps.
const stepFormat = "ctxfs-step"

// wrongType is the error of a value whose type is not among the types.
type wrongType struct{ types *jsonschema.Types }

func (w wrongType) Error() string { return "not one of " + w.types.String() }

// counter returns the function that the library calls for each value that it checks
// against a part of the schema. It counts steps, since a few lines of schema can
// demand more of them than there are atoms (alternatives of alternatives by
// reference), and the library cannot be stopped otherwise; it counts more for what
// the library does in a loop. It also checks types: the library's check takes a
// microsecond for an integer.
func (c *checker) counter(s *jsonschema.Schema) func(any) error {
	cost, perItem := 1, 0
	var allowed kinds
	types := s.Types
	if types != nil {
		for _, name := range types.ToStrings() {
			allowed |= kindOf(name)
		}
		s.Types = nil
	}
	if s.Enum != nil {
		cost += len(s.Enum.Values)
	}
	for _, items := range []any{s.Items, s.Items2020, s.Contains} {
		if items, ok := items.(*jsonschema.Schema); ok && items != nil && items.Enum != nil {
			perItem += len(items.Enum.Values)
		}
	}
	if s.UnevaluatedItems != nil || s.UnevaluatedProperties != nil {
		perItem++
	}
	return func(v any) error {
		c.left -= cost
		if list, ok := v.([]any); ok {
			c.left -= perItem * len(list)
		}
		if c.left < 0 {
			panic(exhausted{})
		}
		if allowed != 0 && !allowed.has(kindOfValue(v)) && !(allowed.has(integer) && integral(v)) {
			return wrongType{types}
		}
		return nil
	}
}

// integral reports whether a value is a whole number, as 1.0 and 1e3 are.
func integral(v any) bool {
	n, ok := v.(json.Number)
	if !ok || !strings.ContainsAny(string(n), ".eE") {
		return ok
	}
	exact, ok := new(big.Rat).SetString(string(n))
	return ok && exact.IsInt()
}

// noLoader refuses every document other than the schema itself and the library's
// copies of the drafts.
type noLoader struct{}

func (noLoader) Load(string) (any, error) { return nil, errors.New("nothing is fetched") }

// anything stands for a pattern that Go cannot express; it matches everything.
type anything struct{ pattern string }

func (a anything) String() string        { return a.pattern }
func (anything) MatchString(string) bool { return true }

// lenient compiles a pattern. The patterns of JSON Schema are those of JavaScript,
// with features that Go leaves out because they take exponential time.
func lenient(pattern string) (jsonschema.Regexp, error) {
	re, err := regexp.Compile(pattern)
	if err != nil {
		return anything{pattern}, nil
	}
	return re, nil
}

// countObjects counts the objects and arrays in a value, up to a limit.
func countObjects(v any, limit int) int {
	n := 0
	count := func(sub any) {
		if n <= limit {
			n += countObjects(sub, limit-n)
		}
	}
	switch v := v.(type) {
	case map[string]any:
		n++
		for _, sub := range v {
			count(sub)
		}
	case []any:
		n++
		for _, sub := range v {
			count(sub)
		}
	case bool: // a schema, perhaps
		n++
	}
	return n
}

// explainCompile returns why a schema cannot be compiled, as one sentence.
func explainCompile(err error) error {
	var load *jsonschema.LoadURLError
	var invalid *jsonschema.SchemaValidationError
	var verdict *jsonschema.ValidationError
	switch {
	case errors.As(err, &load):
		return fmt.Errorf("the input schema refers to %s, and nothing is fetched", quoted(load.URL))
	case errors.As(err, &invalid) && errors.As(invalid.Err, &verdict):
		for len(verdict.Causes) > 0 {
			verdict = verdict.Causes[0]
		}
		return fmt.Errorf("the input schema is not a JSON Schema: there is a fault at %s",
			quoted("/"+strings.Join(verdict.InstanceLocation, "/")))
	}
	return fmt.Errorf("the input schema cannot be compiled: %s", clean.Sentence(err.Error(), 200))
}

// alternatives returns the faults of a value that conforms to none of several
// schemas: those of the intended schema, which is the one whose type and constant
// members (such as "type": "text") match. If none matches, the fault is that the
// value has a wrong type or is not among the allowed ones.
func alternatives(v *jsonschema.ValidationError) []*jsonschema.ValidationError {
	var best []*jsonschema.ValidationError
	least := -1
	depth := len(v.InstanceLocation)
	var types []string
	var values []any
	var marks []*jsonschema.ValidationError // of each schema, the constant member that does not match
	for _, cause := range v.Causes {
		list := leaves(cause)
		foreign := 0
		var mark *jsonschema.ValidationError
		for _, leaf := range list {
			here := len(leaf.InstanceLocation) == depth
			switch k := leaf.ErrorKind.(type) {
			case *kind.Type:
				if here {
					foreign += 2
					types = append(types, k.Want...)
				}
			case *kind.Const:
				if here {
					foreign += 2
					values = append(values, k.Want)
				} else if len(leaf.InstanceLocation) == depth+1 {
					foreign++
					mark = leaf
				}
			case *kind.Enum:
				if here {
					foreign += 2
					values = append(values, k.Want...)
				}
			}
		}
		if mark != nil {
			marks = append(marks, mark)
		}
		if cost := foreign*1000 + min(len(list), 999); least < 0 || cost < least {
			best, least = list, cost
		}
	}
	switch {
	case least >= 1000 && least < 2000 && len(marks) == len(v.Causes):
		return markError(marks)
	case least >= 0 && least < 2000:
		return best
	case len(values) > 0:
		return []*jsonschema.ValidationError{with(v, &kind.Enum{Want: values})}
	case len(types) > 0:
		return []*jsonschema.ValidationError{with(v, &kind.Type{Want: unique(types)})}
	}
	return []*jsonschema.ValidationError{v}
}

// markError returns the fault of a value whose constant member matches no schema:
// it must be one of those that the schemas have.
func markError(marks []*jsonschema.ValidationError) []*jsonschema.ValidationError {
	var values []any
	for _, mark := range marks {
		if slices.Equal(mark.InstanceLocation, marks[0].InstanceLocation) {
			values = append(values, mark.ErrorKind.(*kind.Const).Want)
		}
	}
	return []*jsonschema.ValidationError{with(marks[0], &kind.Enum{Want: values})}
}

// with returns a fault of another kind at the same place.
func with(v *jsonschema.ValidationError, k jsonschema.ErrorKind) *jsonschema.ValidationError {
	return &jsonschema.ValidationError{SchemaURL: v.SchemaURL, InstanceLocation: slices.Clone(v.InstanceLocation), ErrorKind: k}
}
