package arguments

import (
	"encoding/json"
	"fmt"
	"math/big"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"ctxfs/providers/internal/nearest"
)

// explain says in words what is wrong with the value of subject.
func explain(k jsonschema.ErrorKind, v any, subject string) (what, hint string) {
	is := func(format string, args ...any) string {
		return subject + " is " + valueWords(v) + "; it " + fmt.Sprintf(format, args...)
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
		return is("is %s", either(words)), ""
	case *kind.Enum:
		return explainEnum(k.Want, v, is)
	case *kind.Const:
		return is("is %s", bare(k.Want)), ""
	case *kind.MinLength:
		return is("has at least %s", count(k.Want, "character")), ""
	case *kind.MaxLength:
		return is("has at most %s", count(k.Want, "character")) + fmt.Sprintf(", not %d", k.Got), ""
	case *kind.Pattern:
		return is("matches the pattern %s", shown(k.Want)), ""
	case *kind.Minimum:
		return is("is at least %s", decimal(k.Want)), ""
	case *kind.Maximum:
		return is("is at most %s", decimal(k.Want)), ""
	case *kind.ExclusiveMinimum:
		return is("is more than %s", decimal(k.Want)), ""
	case *kind.ExclusiveMaximum:
		return is("is less than %s", decimal(k.Want)), ""
	case *kind.MultipleOf:
		return is("is a multiple of %s", decimal(k.Want)), ""
	case *kind.MinItems:
		return fmt.Sprintf("%s has %s; it has at least %d", subject, count(k.Got, "item"), k.Want), ""
	case *kind.MaxItems:
		return fmt.Sprintf("%s has %s; it has at most %d", subject, count(k.Got, "item"), k.Want), ""
	case *kind.AdditionalItems:
		return fmt.Sprintf("%s has %s too many", subject, count(k.Count, "item")), ""
	case *kind.UniqueItems:
		return fmt.Sprintf("%s has the same item twice: [%d] and [%d]", subject, k.Duplicates[0], k.Duplicates[1]), ""
	case *kind.MinProperties:
		return is("has at least %s", count(k.Want, "member")), ""
	case *kind.MaxProperties:
		return is("has at most %s", count(k.Want, "member")), ""
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
	return is("is not allowed to be that"), ""
}

func explainEnum(want []any, v any, is func(string, ...any) string) (what, hint string) {
	words := make([]string, len(want))
	for i, one := range want {
		words[i] = bare(one)
	}
	if len(words) == 1 {
		return is("is %s", words[0]), ""
	}
	if s, ok := v.(string); ok {
		if near := nearest.Of(shown(s), words); near != "" {
			hint = "did you mean " + quoted(near) + "?"
		}
	}
	return is("is one of %s", listed(words, func(s string) string { return s })), hint
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

func either(words []string) string {
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " or " + words[n-1]
	}
	return strings.Join(words, "")
}

func count(n int, of string) string {
	if n == 1 {
		return "1 " + of
	}
	return fmt.Sprintf("%d %ss", n, of)
}

// decimal is a limit as it was written, as far as decimals can say it.
func decimal(n *big.Rat) string {
	if n.IsInt() {
		return shown(n.Num().String())
	}
	f, _ := n.Float64()
	return fmt.Sprint(f)
}
