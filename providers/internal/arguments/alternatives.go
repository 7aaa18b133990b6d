package arguments

import (
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// alternatives are the faults of a value that fits none of several schemas: those
// of the schema that was meant. It is the one whose type and whose fixed members
// (such as "type": "text") fit; where none is, the value is of a wrong type or
// none of the allowed ones, and that is the fault.
func alternatives(v *jsonschema.ValidationError) []*jsonschema.ValidationError {
	var best []*jsonschema.ValidationError
	least := -1
	depth := len(v.InstanceLocation)
	var types []string
	var values []any
	var marks []*jsonschema.ValidationError // of each schema, the fixed member that does not fit
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

// markError is the fault of a value whose fixed member fits no schema: it is one
// of those that they have.
func markError(marks []*jsonschema.ValidationError) []*jsonschema.ValidationError {
	var values []any
	for _, mark := range marks {
		if slices.Equal(mark.InstanceLocation, marks[0].InstanceLocation) {
			values = append(values, mark.ErrorKind.(*kind.Const).Want)
		}
	}
	return []*jsonschema.ValidationError{with(marks[0], &kind.Enum{Want: values})}
}

// with is a fault at the same place, of another kind.
func with(v *jsonschema.ValidationError, k jsonschema.ErrorKind) *jsonschema.ValidationError {
	return &jsonschema.ValidationError{SchemaURL: v.SchemaURL, InstanceLocation: slices.Clone(v.InstanceLocation), ErrorKind: k}
}
