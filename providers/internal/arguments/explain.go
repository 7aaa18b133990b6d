package arguments

import (
	"encoding/json"
	"fmt"
	"math/big"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"ctxfs/fs/wording"
	"ctxfs/providers/internal/nearest"
)

// explain says in words what is wrong with the value of subject.
func explain(k jsonschema.ErrorKind, v any, subject string) (what, hint string) {
	must := func(format string, args ...any) string {
		return subject + " must " + fmt.Sprintf(format, args...) + ", not " + valueWords(v)
	}
	have := func(most string, want, got int, of string) string {
		return fmt.Sprintf("%s must have at %s %s, not %d", subject, most, wording.Count(want, of), got)
	}
	switch k := k.(type) {
	case *kind.Type:
		var words []string
		for _, name := range k.Want {
			if name != "null" {
				words = append(words, typeWords(name))
			}
		}
		if len(words) < len(k.Want) {
			words = append(words, "null")
		}
		return must("be %s", wording.Or(words)), ""
	case *kind.Enum:
		return explainEnum(k.Want, v, must)
	case *kind.Const:
		return must("be %s", bare(k.Want)), ""
	case *kind.MinLength:
		return have("least", k.Want, k.Got, "characters"), ""
	case *kind.MaxLength:
		return have("most", k.Want, k.Got, "characters"), ""
	case *kind.Pattern:
		return must("match the pattern %s", shown(k.Want)), ""
	case *kind.Minimum:
		return must("be at least %s", decimal(k.Want)), ""
	case *kind.Maximum:
		return must("be at most %s", decimal(k.Want)), ""
	case *kind.ExclusiveMinimum:
		return must("be more than %s", decimal(k.Want)), ""
	case *kind.ExclusiveMaximum:
		return must("be less than %s", decimal(k.Want)), ""
	case *kind.MultipleOf:
		return must("be a multiple of %s", decimal(k.Want)), ""
	case *kind.MinItems:
		return have("least", k.Want, k.Got, "items"), ""
	case *kind.MaxItems:
		return have("most", k.Want, k.Got, "items"), ""
	case *kind.AdditionalItems:
		return fmt.Sprintf("%s has %s too many", subject, wording.Count(k.Count, "items")), ""
	case *kind.UniqueItems:
		return fmt.Sprintf("%s has the same item twice: [%d] and [%d]", subject, k.Duplicates[0], k.Duplicates[1]), ""
	case *kind.MinProperties:
		return have("least", k.Want, k.Got, "members"), ""
	case *kind.MaxProperties:
		return have("most", k.Want, k.Got, "members"), ""
	case *kind.PropertyNames:
		return fmt.Sprintf("%s has a name that is not allowed: %s", subject, quoted(k.Property)), ""
	case *kind.Dependency:
		return fmt.Sprintf("%s needs %s with it", quoted(k.Prop), listed(k.Missing, quoted)), ""
	case *kind.DependentRequired:
		return fmt.Sprintf("%s needs %s with it", quoted(k.Prop), listed(k.Missing, quoted)), ""
	case *kind.Contains, *kind.MinContains:
		return subject + " lacks an item that it needs", ""
	case *kind.MaxContains:
		return subject + " has too many items of a kind", ""
	case *kind.FalseSchema:
		return subject + " is not allowed", ""
	case *kind.OneOf:
		return subject + " fits more than one of the forms that it can have", "leave out what belongs to another form"
	case *kind.AnyOf:
		return subject + " fits none of the forms that it can have", ""
	}
	return subject + " must not be " + valueWords(v), ""
}

func explainEnum(want []any, v any, must func(string, ...any) string) (what, hint string) {
	words := make([]string, len(want))
	for i, one := range want {
		words[i] = bare(one)
	}
	if len(words) == 1 {
		return must("be %s", words[0]), ""
	}
	if s, ok := v.(string); ok {
		if near := nearest.Of(shown(s), words); near != "" {
			hint = "did you mean " + quoted(near) + "?"
		}
	}
	return must("be one of %s", listed(words, func(s string) string { return s })), hint
}

// valueWords says what a value is. Long ones are cut.
func valueWords(v any) string {
	switch v := v.(type) {
	case string:
		if v == "" {
			return "empty"
		}
		return quoted(v)
	case []any:
		if len(v) == 0 {
			return "an empty array"
		}
		return "an array"
	case map[string]any:
		return "an object"
	case json.Number:
		return shown(string(v))
	}
	return raw(v)
}

// bare is a value as it is written on a command line.
func bare(v any) string {
	if s, ok := v.(string); ok && s != "" {
		return shown(s)
	}
	return raw(v)
}

func typeWords(name string) string {
	switch name {
	case "boolean":
		return "true or false"
	case "string", "number":
		return "a " + name
	}
	return "an " + name
}

// decimal is a limit as it was written, as far as decimals can say it.
func decimal(n *big.Rat) string {
	if n.IsInt() {
		return shown(n.Num().String())
	}
	f, _ := n.Float64()
	return fmt.Sprint(f)
}
