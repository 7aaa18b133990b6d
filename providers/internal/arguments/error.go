package arguments

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"ctxfs/fs/jsonscan"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/nearest"
)

// Error reports why arguments cannot be used. Its texts are clean: foreign names and
// values in them are shortened and have no control characters.
type Error struct {
	What string          // one sentence in lower case without a full stop
	Hint string          // what was probably meant or what to write; may be ""
	Part json.RawMessage // the relevant part of the schema, an object with one or a few members, at most some 2 kB; may be nil
}

func (e *Error) Error() string {
	if e.Hint == "" {
		return e.What
	}
	return e.What + "; " + e.Hint
}

func errorf(format string, args ...any) *Error { return &Error{What: fmt.Sprintf(format, args...)} }

func (e *Error) hint(format string, args ...any) *Error {
	e.Hint = fmt.Sprintf(format, args...)
	return e
}

func (e *Error) part(part json.RawMessage) *Error {
	e.Part = part
	return e
}

// quoted returns a foreign text for a sentence.
func quoted(s string) string { return `"` + shown(s) + `"` }

func shown(s string) string {
	const longest = 60
	return clean.Cut(clean.Line(clean.Prefix(s, 4*longest)), longest)
}

// flagName returns a name as a flag.
func flagName(name string) string { return "--" + shown(name) }

// listed returns a list of names, shortened if it is long.
func listed(names []string, show func(string) string) string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = show(name)
	}
	return wording.List(list, 30)
}

// object1 returns a JSON object with one member.
func object1(name string, raw json.RawMessage) json.RawMessage {
	return objectOf([]member{{name, raw}})
}

// objectOf returns a JSON object with some members. Hidden characters are escaped.
func objectOf(list []member) json.RawMessage { return clean.JSON(joinMembers(list)) }

// quoteJSON returns a text as a JSON string. Invalid UTF-8 is replaced.
func quoteJSON(s string) json.RawMessage {
	line, _ := jsonscan.Line(s) // a string always encodes
	return bytes.TrimSuffix(line, []byte("\n"))
}

// explain returns what is wrong with the value of a subject, in words.
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
		if meant := nearest.Of(shown(s), words); meant != "" {
			hint = "did you mean " + quoted(meant) + "?"
		}
	}
	return must("be one of %s", listed(words, func(s string) string { return s })), hint
}

// valueWords returns a value for a message. Long ones are shortened.
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
	return jsonText(v)
}

// bare returns a value as it is written on a command line.
func bare(v any) string {
	if s, ok := v.(string); ok && s != "" {
		return shown(s)
	}
	return jsonText(v)
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

// decimal returns a limit in decimal notation.
func decimal(n *big.Rat) string {
	if n.IsInt() {
		return shown(n.Num().String())
	}
	f, _ := n.Float64()
	return fmt.Sprint(f)
}
