package call

import (
	"encoding/json"
	"testing"
)

func TestFieldParse(t *testing.T) {
	pets := []Choice{{Value: "cat", Title: "Cats"}, {Value: "dog"}, {Value: "3"}}
	for _, c := range []struct {
		field Field
		typed string
		want  string // "" where it does not fit
	}{
		{Field{Type: "string"}, "true", `"true"`},
		{Field{Type: "integer"}, "9007199254740993", "9007199254740993"},
		{Field{Type: "integer"}, "99999999999999999999", "99999999999999999999"},
		{Field{Type: "integer"}, "1.5", ""},
		{Field{Type: "integer"}, `"5"`, ""},
		{Field{Type: "number"}, "-1.5e3", "-1.5e3"},
		{Field{Type: "number"}, "NaN", ""},
		{Field{Type: "number"}, "1 2", ""},
		{Field{Type: "boolean"}, "Y", "true"},
		{Field{Type: "boolean"}, "no", "false"},
		{Field{Type: "boolean"}, "maybe", ""},
		{Field{}, "{\"a\":1}", `{"a":1}`},
		{Field{}, "plain", `"plain"`},
		{Field{Type: "string", Choices: pets}, "1", `"cat"`},
		{Field{Type: "string", Choices: pets}, "3", `"3"`},
		{Field{Type: "string", Choices: pets}, "CATS", `"cat"`},
		{Field{Type: "string", Choices: pets}, "4", ""},
		{Field{Type: "string", Choices: pets}, "0", ""},
		{Field{Type: "string", Choices: pets, Several: true}, "1, dog,", `["cat","dog"]`},
		{Field{Type: "string", Choices: pets, Several: true}, "1,9", ""},
		{Field{Type: "integer", Several: true}, "[1,2]", "[1,2]"},
		{Field{Type: "integer", Several: true}, "1,2", "[1,2]"},
		{Field{Type: "string", Several: true}, ",", "[]"},
	} {
		got, err := c.field.parse(c.typed)
		if string(got) != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%+v, %q: %s, %v", c.field, c.typed, got, err)
		}
	}
}

func TestFieldPrompt(t *testing.T) {
	pets := []Choice{{Value: "cat"}, {Value: "dog"}}
	for want, c := range map[string]struct {
		field    Field
		standing string
	}{
		"a: ":                                    {Field{Name: "a", Type: "string"}, ""},
		"a, y or n [y]: ":                        {Field{Name: "a", Type: "boolean"}, "true"},
		"a, 1 to 2 [2]: ":                        {Field{Name: "a", Type: "string", Choices: pets}, `"dog"`},
		"a, numbers separated by commas [1,2]: ": {Field{Name: "a", Type: "string", Choices: pets, Several: true}, `["cat","dog"]`},
		"a, not shown [as before]: ":             {Field{Name: "a", Type: "string", Secret: true}, `"hunter2"`},
		"a?[31m [b?]: ":                          {Field{Name: "a\x1b[31m", Type: "string"}, `"b\u202e"`},
	} {
		var standing json.RawMessage
		if c.standing != "" {
			standing = json.RawMessage(c.standing)
		}
		if got := c.field.prompt(standing); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestConcerned(t *testing.T) {
	fields := []Field{{Name: "age"}, {Name: "name"}}
	for message, want := range map[string]string{`"age" must be at least 18`: "age", "--name must be a date": "name", "it is odd": "age name"} {
		got := ""
		for _, f := range concerned(fields, message) {
			got += " " + f.Name
		}
		if got != " "+want {
			t.Errorf("%q: %q", message, got)
		}
	}
}
