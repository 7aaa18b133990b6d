package form

import (
	"testing"

	"ctxfs/fs/fstest"
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
		got, err := c.field.Parse(c.typed)
		if string(got) != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%+v, %q: %s, %v", c.field, c.typed, got, err)
		}
	}
}

func TestNamed(t *testing.T) {
	fields := []Field{{Name: "age"}, {Name: "name"}}
	for message, want := range map[string]string{`"age" must be at least 18`: "age", "--name must be a date": "name", "it is odd": "age name"} {
		got := ""
		for _, f := range Named(fields, message) {
			got += " " + f.Name
		}
		fstest.Equal(t, got, " "+want, message)
	}
}
