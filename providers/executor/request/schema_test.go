package request

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/arguments"
)

// accepts reports whether a JSON Schema library finds a value valid.
func accepts(t *testing.T, schema json.RawMessage, value string) bool {
	t.Helper()
	s := arguments.Compile(schema)
	if s.Fault() != "" {
		t.Fatalf("the schema: %s", s.Fault())
	}
	return s.Fits(json.RawMessage(value), "the value") == nil
}

// A JSON Schema library accepts the examples of the schemas, and so does Parse.
func TestSchemaExamples(t *testing.T) {
	for name, schema := range map[string]json.RawMessage{"request": Schema([]string{"claude-code", "explore"}), "result": ResultSchema()} {
		var s struct {
			Schema     string `json:"$schema"`
			Properties map[string]struct{ Description string }
			Examples   []json.RawMessage
		}
		if err := json.Unmarshal(schema, &s); err != nil || s.Schema == "" || len(s.Examples) < 2 {
			t.Fatalf("%s: %v, %s", name, err, schema)
		}
		for key, p := range s.Properties {
			if p.Description == "" {
				t.Errorf("%s: %s is not described", name, key)
			}
		}
		for _, e := range s.Examples {
			if !accepts(t, schema, string(e)) {
				t.Errorf("the example of a %s is refused: %s", name, e)
			}
			if name == "result" {
				continue
			}
			if r, err := Parse(e); err != nil || r.Check() != nil {
				t.Errorf("%s: %v, %v", e, err, r.Check())
			}
		}
	}
}

// The schemas have the keys that the types have.
func TestSchemaKeys(t *testing.T) {
	type schema struct {
		Properties map[string]json.RawMessage
		Required   []string
	}
	read := func(text json.RawMessage) (s schema) {
		fstest.Must(t, json.Unmarshal(text, &s))
		return s
	}
	result := read(ResultSchema())
	for _, c := range []struct {
		value  any
		schema schema
		always bool // a key without omitempty is required
	}{{Request{}, read(Schema(nil)), false}, {Result{}, result, true}, {Usage{}, read(result.Properties["usage"]), true}} {
		fields := reflect.TypeOf(c.value)
		fstest.Equal(t, fields.NumField(), len(c.schema.Properties), "fields, its schema", fields)
		for i := range fields.NumField() {
			name, options, _ := strings.Cut(fields.Field(i).Tag.Get("json"), ",")
			required := slices.Contains(c.schema.Required, name)
			switch {
			case c.schema.Properties[name] == nil:
				t.Errorf("%v: %s is not in the schema", fields, name)
			case c.always && required == (options == "omitempty"):
				t.Errorf("%v: %s is required: %v", fields, name, required)
			}
		}
	}
}

// examples returns those of the schema of a request.
func examples(t testing.TB) []json.RawMessage {
	var s struct{ Examples []json.RawMessage }
	fstest.Must(t, json.Unmarshal(Schema(nil), &s))
	return s.Examples
}

func TestSchemaNamesAgents(t *testing.T) {
	if with, none := string(Schema([]string{"claude", `a"b`})), string(Schema(nil)); !strings.Contains(with, `Names here: claude, a\"b.`) || strings.Contains(none, "Names") {
		t.Errorf("%s\n%s", with, none)
	}
}

// What the schema accepts, Parse and Check accept; what it refuses, they refuse, but for
// keys that are missing, which flags may have.
func TestParseAgrees(t *testing.T) {
	schema := Schema(nil)
	for value, want := range map[string]bool{
		`{"agent":"a","prompt":"x"}`:                                    true,
		`{"prompt":"x","agent":"a","timeoutMs":0}`:                      true,
		`{"prompt":"x","agent":"a","timeoutMs":1000.0}`:                 true,
		`{"prompt":"x","agent":"a","timeoutMs":1e3}`:                    true,
		`{"prompt":"x","agent":"a","timeoutMs":2147483647}`:             true,
		`{"prompt":"x","agent":"a","timeoutMs":2147483648}`:             false,
		`{"prompt":"x","agent":"a","timeoutMs":1e300}`:                  false,
		`{"prompt":"x","agent":"a","timeoutMs":-1}`:                     false,
		`{"prompt":"x","agent":"a","timeoutMs":1.5}`:                    false,
		`{"prompt":"x","agent":"a","timeoutMs":"1000"}`:                 false,
		`{"prompt":"x","agent":"a","readOnly":true,"worktree":false}`:   true,
		`{"prompt":"x","agent":"a","readOnly":"yes"}`:                   false,
		`{"prompt":"x","agent":"a","readonly":true}`:                    false,
		`{"prompt":"x","agent":"a","PROMPT":"y"}`:                       false,
		`{"prompt":"x","agent":"a","schema":{"type":"object"}}`:         true,
		`{"prompt":"x","agent":"a","schema":{}}`:                        true,
		`{"prompt":"x","agent":"a","schema":true}`:                      false,
		`{"prompt":"x","agent":"a","schema":[]}`:                        false,
		`{"prompt":"x","agent":"a","promt":"x"}`:                        false,
		`{"prompt":5,"agent":"a"}`:                                      false,
		`{"prompt":"","agent":"a"}`:                                     false,
		`{"prompt":["x"],"agent":"a"}`:                                  false,
		`{"prompt":"x","agent":{}}`:                                     false,
		`{"prompt":"x","agent":"a","repoDir":"/home/me","timeoutMs":5}`: true,
		`{"prompt":"x","agent":"a","repoDir":7}`:                        false,
		`["x"]`:                                                         false,
		`null`:                                                          false,
		`5`:                                                             false,
	} {
		r, err := Parse([]byte(value))
		if err == nil {
			err = r.Check()
		}
		if got := accepts(t, schema, value); got != want || (err == nil) != want {
			t.Errorf("%s: the schema accepts it: %v, Parse: %v", value, got, err)
		}
	}
}

// A strict function of OpenAI gives all keys, and null for those that it leaves out.
func TestOpenAI(t *testing.T) {
	var f struct {
		Type     string
		Function struct {
			Name, Description string
			Strict            bool
			Parameters        struct {
				Properties           map[string]map[string]any
				Required             []string
				AdditionalProperties *bool
			}
		}
	}
	if err := json.Unmarshal(OpenAI(nil), &f); err != nil || f.Type != "function" || !f.Function.Strict || f.Function.Name != Name || f.Function.Description == "" {
		t.Fatalf("%v: %s", err, OpenAI(nil))
	}
	p := f.Function.Parameters
	if len(p.Required) != len(p.Properties) || p.AdditionalProperties == nil || *p.AdditionalProperties {
		t.Errorf("not strict: %s", OpenAI(nil))
	}
	for name, property := range p.Properties {
		for keyword := range property {
			if keyword != "type" && keyword != "description" {
				t.Errorf("%s has %q", name, keyword)
			}
		}
	}
	r, err := Parse([]byte(`{"agent":"a","prompt":"x","repoDir":null,"readOnly":null,"worktree":null,"timeoutMs":null,"schema":"{\"type\": \"object\"}"}`))
	if want := (Request{Agent: "a", Prompt: "x", Schema: json.RawMessage(`{"type": "object"}`)}); err != nil || !reflect.DeepEqual(r, want) {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err := Parse([]byte(`{"schema":null}`)); err != nil || r.Schema != nil {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestAnthropic(t *testing.T) {
	var f struct {
		Name, Description string
		InputSchema       json.RawMessage `json:"input_schema"`
	}
	if err := json.Unmarshal(Anthropic(nil), &f); err != nil || f.Name != Name || f.Description == "" {
		t.Fatalf("%v: %s", err, Anthropic(nil))
	}
	for _, e := range examples(t) {
		if !accepts(t, f.InputSchema, string(e)) {
			t.Errorf("refused: %s", e)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, e := range examples(f) {
		f.Add([]byte(e))
	}
	f.Add([]byte(`{"prompt":null,"timeoutMs":1e400,"schema":"{"}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := Parse(body)
		if err != nil {
			return
		}
		if text, err := json.Marshal(r); err != nil {
			t.Errorf("%s: %v, %s", body, err, text)
		}
	})
}
