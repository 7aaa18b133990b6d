package arguments

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

func TestComplete(t *testing.T) {
	for _, c := range []struct{ schema, args, want string }{
		{`{"properties":{"a":{"default":1},"b":{"type":"string"}},"required":["a","b"]}`, `{ "b" : "x\u0041" }`, `{"b":"x\u0041","a":1}`},
		{`{"properties":{"a":{"default":"x"}},"required":["a"]}`, ` {} `, `{"a":"x"}`},
		{`{"properties":{"a":{"default":"x"}},"required":["a"]}`, `{"a":"y"}`, `{"a":"y"}`},
		{`{"properties":{"a":{"default":"x"}}}`, `{}`, `{}`}, // not required
		{`{"properties":{"a":{"default":9007199254740993},"b":{"default":["public"]}},"required":["a","b"]}`, `{}`, `{"a":9007199254740993,"b":["public"]}`},
		// null is a value where the schema allows it, and none elsewhere
		{`{"properties":{"a":{"type":["string","null"],"default":null}},"required":["a"]}`, `{}`, `{"a":null}`},
		{`{"properties":{"a":{"type":"string","default":null}},"required":["a"]}`, `{}`, `{}`},
		// a default that violates its own schema; the others are filled in
		{`{"properties":{"a":{"type":"string","default":7},"b":{"default":1},"c":{"enum":["x"],"default":"y"}},"required":["a","b","c"]}`, `{}`, `{"b":1}`},
		// objects within, and those in lists
		{`{"properties":{"o":{"type":"object","properties":{"a":{"default":1}},"required":["a"]}}}`, `{"o":{}}`, `{"o":{"a":1}}`},
		{`{"properties":{"o":{"type":"object","properties":{"a":{"default":1}},"required":["a"]}}}`, `{}`, `{}`},
		{`{"properties":{"l":{"items":{"$ref":"#/$defs/x"}}},"$defs":{"x":{"properties":{"a":{"default":1},"n":{"type":"integer"}},"required":["a","n"]}}}`, `{"l":[{"n":1},{"a":2,"n":1e2}]}`, `{"l":[{"n":1,"a":1},{"a":2,"n":1e2}]}`},
		// a default where a reference leads
		{`{"properties":{"a":{"$ref":"#/definitions/d"}},"required":["a"],"definitions":{"d":{"type":"string","default":"x"}}}`, `{}`, `{"a":"x"}`},
		{`{"allOf":[{"properties":{"a":{"default":1}}},{"required":["a"]}]}`, `{}`, `{"a":1}`},
		// only one of two alternatives requires it
		{`{"anyOf":[{"properties":{"a":{"default":1}},"required":["a"]},{"properties":{"b":{"type":"string"}},"required":["b"]}]}`, `{"b":"x"}`, `{"b":"x"}`},
		{search, `{"query":"q","filter":{"sub":{}}}`, `{"query":"q","filter":{"sub":{"state":null},"state":null}}`},
		{``, `{"a":1}`, `{"a":1}`},
		{`true`, `{"a":1}`, `{"a":1}`},
	} {
		s := compile(c.schema)
		if err := s.Check([]byte(c.args)); err != nil {
			t.Errorf("%s: %v", c.args, err)
		}
		got := string(s.Complete([]byte(c.args)))
		if got != c.want && strings.TrimSpace(got) != c.want {
			t.Errorf("%s with %s: %s, want %s", c.args, c.schema, got, c.want)
		}
		if err := s.Check([]byte(got)); err != nil {
			t.Errorf("%s becomes wrong: %v", c.args, err)
		}
	}
}

// TestCompleteIsBounded: a schema that refers to itself, and thousands of objects,
// take no long time, and what is given stays.
func TestCompleteIsBounded(t *testing.T) {
	s := compile(`{"properties":{"a":{"default":1},"n":{"$ref":"#"},"l":{"type":"array","items":{"$ref":"#"}}},"required":["a"]}`)
	deep := strings.Repeat(`{"n":`, 500) + `{}` + strings.Repeat(`}`, 500)
	wide := `{"l":[` + strings.TrimSuffix(strings.Repeat(`{"a":2},{},`, 20_000), ",") + `]}`
	for _, args := range []string{deep, wide} {
		got := s.Complete([]byte(args))
		if err := s.Check(got); err != nil || len(got) < len(args) {
			t.Errorf("%d bytes become %d: %v", len(args), len(got), err)
		}
	}
	many := compile(`{"properties":{` + strings.TrimPrefix(repeated(100, `,"a%d":{"type":"string","default":7}`), ",") + `},"required":[` + strings.TrimPrefix(repeated(100, `,"a%d"`), ",") + `]}`)
	fstest.Equal(t, string(many.Complete([]byte(`{}`))), `{}`, "wrong defaults are filled")
}

func repeated(n int, format string) string {
	var out strings.Builder
	for i := range n {
		fmt.Fprintf(&out, format, i)
	}
	return out.String()
}

// TestFitsIsStrict: for a result a default does not stand for what is required.
func TestFitsIsStrict(t *testing.T) {
	s := compile(`{"type":"object","properties":{"a":{"default":1}},"required":["a"]}`)
	if err := s.Fits([]byte(`{}`), "the whole"); err == nil {
		t.Error("a result without a required member fits")
	}
	if err := s.Check([]byte(`{}`)); err != nil {
		t.Error(err)
	}
}

// TestRequiredDefaults goes through the tools of real servers: no argument with a
// default is asked for, each is filled in, and help shows it as optional.
func TestRequiredDefaults(t *testing.T) {
	found, tools := 0, map[string]bool{}
	for _, path := range []string{"../../../testdata/mcp/defaults.json"} {
		text, err := os.ReadFile(path)
		fstest.Must(t, err)
		var list struct {
			Tools []struct {
				Name        string          `json:"name"`
				InputSchema json.RawMessage `json:"inputSchema"`
			} `json:"tools"`
		}
		if err := json.Unmarshal(text, &list); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		for _, tool := range list.Tools {
			var top struct {
				Properties map[string]map[string]any `json:"properties"`
				Required   []string                  `json:"required"`
			}
			_ = json.Unmarshal(tool.InputSchema, &top)
			s := Compile(tool.InputSchema)
			var names []string
			for _, name := range top.Required {
				if _, ok := top.Properties[name]["default"]; ok {
					names = append(names, name)
				}
			}
			if len(names) == 0 {
				continue
			}
			err := s.Check([]byte(`{}`))
			for _, name := range names {
				found++
				tools[filepath.Base(path)+tool.Name] = true
				if err != nil && strings.Contains(err.Error(), `"`+name+`"`) {
					t.Errorf("%s %s: %v", filepath.Base(path), tool.Name, err)
				}
				for _, f := range s.Flags() {
					if f.Name == name && (f.Required || f.Default == "") {
						t.Errorf("%s %s: help shows %+v", filepath.Base(path), tool.Name, f)
					}
				}
			}
			args := map[string]any{}
			for _, name := range top.Required { // those without a default
				if _, ok := top.Properties[name]["default"]; !ok {
					args[name] = sample(top.Properties[name])
				}
			}
			given, err := json.Marshal(args)
			fstest.Must(t, err)
			if err := s.Check(given); err != nil {
				t.Errorf("%s %s: %v", filepath.Base(path), tool.Name, err)
			}
			if err := s.Fits(s.Complete(given), "the whole"); err != nil {
				t.Errorf("%s %s, to a strict server: %v", filepath.Base(path), tool.Name, err)
			}
		}
	}
	t.Logf("%d required arguments of %d tools have a default", found, len(tools))
	if found == 0 {
		t.Error("no argument was tested")
	}
}

// sample returns a value of a schema's type.
func sample(schema map[string]any) any {
	if list, ok := schema["enum"].([]any); ok {
		return list[0]
	}
	switch schema["type"] {
	case "array":
		items, _ := schema["items"].(map[string]any)
		return []any{sample(items)}
	case "object":
		out := map[string]any{}
		properties, _ := schema["properties"].(map[string]any)
		for name, sub := range properties {
			sub, _ := sub.(map[string]any)
			out[name] = sample(sub)
		}
		return out
	case "number", "integer":
		return 1
	case "boolean":
		return true
	}
	return "x"
}
