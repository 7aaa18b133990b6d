package call

import (
	"encoding/json"
	"testing"

	"ctxfs/fs/form"
)

func TestFieldPrompt(t *testing.T) {
	pets := []form.Choice{{Value: "cat"}, {Value: "dog"}}
	for want, c := range map[string]struct {
		field    form.Field
		standing string
	}{
		"a: ":                                    {form.Field{Name: "a", Type: "string"}, ""},
		"a, y or n [y]: ":                        {form.Field{Name: "a", Type: "boolean"}, "true"},
		"a, 1 to 2 [2]: ":                        {form.Field{Name: "a", Type: "string", Choices: pets}, `"dog"`},
		"a, numbers separated by commas [1,2]: ": {form.Field{Name: "a", Type: "string", Choices: pets, Several: true}, `["cat","dog"]`},
		"a, not shown [as before]: ":             {form.Field{Name: "a", Type: "string", Secret: true}, `"hunter2"`},
		"a?[31m [b?]: ":                          {form.Field{Name: "a\x1b[31m", Type: "string"}, `"b\u202e"`},
	} {
		var standing json.RawMessage
		if c.standing != "" {
			standing = json.RawMessage(c.standing)
		}
		if got := prompt(c.field, standing); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
