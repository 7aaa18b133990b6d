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

func TestFault(t *testing.T) {
	for schema, want := range map[string]string{
		``:         "the tool has no input schema",
		` null `:   "the tool has no input schema",
		`{"a":`:    "the input schema is not JSON: it ends too early (at byte 6)",
		`"string"`: "the input schema is not a JSON object",
		`{"type":"object","properties":{"a":{"type":"strnig"}}}`:     `the input schema is not a JSON Schema: there is a fault at "/properties/a/type"`,
		`{"properties":{"a":{"$ref":"https://example.com/x.json"}}}`: `the input schema refers to "https://example.com/x.json", and nothing is fetched`,
		`{"properties":{"a":{"$ref":"other.json#/x"}}}`:              `the input schema refers to "ctxfs:///other.json", and nothing is fetched`,
		`{"properties":{"a":{"$ref":"file:///etc/passwd"}}}`:         `the input schema refers to "file:///etc/passwd", and nothing is fetched`,
		`{"$schema":"https://example.com/draft"}`:                    `the input schema refers to "https://example.com/draft", and nothing is fetched`,
		`{"patternProperties":{"^(?!x)":{"type":"string"}}}`:         "the input schema names properties by a pattern that cannot be read",
		`{"not":{"properties":{"a":{"pattern":"(?=x)"}}}}`:           "the input schema decides by a pattern that cannot be read",
		`{"$dynamicRef":"#a","$dynamicAnchor":"a"}`:                  "the input schema uses dynamic references, which are not followed",
		`{"enum":["` + strings.Repeat("x", maxSchema) + `"]}`:        "the input schema is too large to be checked against",
		`{"allOf":[` + strings.Repeat(`{},`, maxObjects+1) + `{}]}`:  "the input schema is too large to be checked against",
		`{"properties":{"a":{"minimum":1e99999}}}`:                   "the input schema is not JSON: a number has too many digits (at byte 38)",
		issue: "", search: "", chart: "", `{}`: "", `true`: "",
		`{"$schema":"http://json-schema.org/draft-04/schema#","properties":{"a":{"minimum":1,"exclusiveMinimum":true}}}`: "",
		`{"$ref":"#/$defs/A","$defs":{"A":{"properties":{"a":{"$ref":"#"}}}}}`:                                           "",
		`{"properties":{"a":{"$ref":"http://json-schema.org/draft-07/schema#"}}}`:                                        "", // the library has it
	} {
		fstest.Equal(t, compile(schema).Fault(), want, schema)
	}
}

// A schema with a fault still says what its flags are.
func TestFlagsOfAFaultySchema(t *testing.T) {
	s := compile(`{"properties":{"n":{"type":"integer"},"x":{"$ref":"https://example.com/x"}},"required":["n"]}`)
	args, err := s.Parse(line("--n", "1", "--x", `{"a":1}`))
	if err != nil || string(args) != `{"n":1,"x":{"a":1}}` || s.Fault() == "" {
		t.Errorf("%s, %v, %q", args, err, s.Fault())
	}
	if err := s.Check([]byte(`{"n":"no integer"}`)); err != nil {
		t.Errorf("checked: %v", err)
	}
}

// Schemas that are small and ask for more steps than anybody can wait for. They
// end; a test that does not is killed by its deadline.
func TestEndlessSchemas(t *testing.T) {
	doubling := func(keyword string, leaf string) string {
		var defs []string
		for i := range 60 {
			defs = append(defs, fmt.Sprintf(`"d%d":{"%s":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]}`, i, keyword, i+1, i+1))
		}
		return `"$defs":{` + strings.Join(defs, ",") + `,"d60":` + leaf + `}`
	}
	deep := strings.Repeat(`{"x":`, 300) + `1` + strings.Repeat(`}`, 300)
	for name, c := range map[string]struct{ schema, args string }{
		"all":      {`{"$ref":"#/$defs/d0",` + doubling("allOf", `{"type":"object"}`) + `}`, `{}`},
		"any":      {`{"$ref":"#/$defs/d0",` + doubling("anyOf", `{"type":"string"}`) + `}`, `{}`},
		"not":      {`{"not":{"$ref":"#/$defs/d0"},` + doubling("anyOf", `{"type":"string"}`) + `}`, `{}`},
		"flags":    {`{"properties":{"a":{"$ref":"#/$defs/d0"}},` + doubling("oneOf", `{"properties":{"b":{}}}`) + `}`, `{"a":{}}`},
		"deep":     {`{"properties":{"x":{"anyOf":[{"$ref":"#"},{"$ref":"#"}]}},"required":["y"]}`, deep},
		"circle":   {`{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`, `{}`},
		"itself":   {`{"$ref":"#"}`, `{}`},
		"nested":   {strings.Repeat(`{"properties":{"x":`, 400) + `{}` + strings.Repeat(`}}`, 400), deep},
		"pattern":  {`{"properties":{"a":{"pattern":"^(a+)+$"}}}`, `{"a":"` + strings.Repeat("a", 50000) + `b"}`},
		"repeated": {`{"properties":{"a":{"pattern":"((((a{0,9}){0,9}){0,9}){0,9}){0,9}"}}}`, `{"a":"b"}`},
	} {
		t.Run(name, func(t *testing.T) {
			s := compile(c.schema)
			if err := s.Check([]byte(c.args)); name == "any" && err != nil { // given up
				t.Error(err)
			}
			_, _ = s.Parse(line("--a.b.c.d.e", "1", "--x.x.x.x.x.x", "{}"))
			_ = s.Help()
		})
	}
}

// fileOf is a file of MCP servers' tools.
type fileOf struct {
	Tools []struct {
		Name        string
		InputSchema json.RawMessage
	}
}

// realSchemas are the input schemas of real servers, by "file/tool".
func realSchemas(t testing.TB) map[string]json.RawMessage {
	t.Helper()
	files, _ := filepath.Glob(fstest.Data(t, "mcp-tools") + "/*.json")
	all := map[string]json.RawMessage{}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		var tools fileOf
		if err != nil || json.Unmarshal(raw, &tools) != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, tool := range tools.Tools {
			all[filepath.Base(file)+"/"+tool.Name] = tool.InputSchema
		}
	}
	raw, err := os.ReadFile(fstest.Data(t, "retrieval/LiveMCPBench/tools.json"))
	fstest.Must(t, err)
	var entries []struct{ Tools map[string]fileOf }
	fstest.Must(t, json.Unmarshal(raw, &entries))
	for _, entry := range entries {
		for server, tools := range entry.Tools {
			for _, tool := range tools.Tools {
				all[server+"/"+tool.Name] = tool.InputSchema
			}
		}
	}
	return all
}

// Every real schema compiles, and arguments made from what it says are right.
func TestRealSchemas(t *testing.T) {
	checked := 0
	for name, raw := range realSchemas(t) {
		s := Compile(raw)
		fstest.Equal(t, s.Fault(), "", name)
		checked++
		if s.Help() == "" && !s.Empty() {
			t.Errorf("%s: neither help nor empty: %s", name, raw)
		}
		var defaults []member
		for _, f := range s.fields.list {
			for _, p := range f.places {
				m, _ := p.node.(map[string]any)
				v, ok := m["default"]
				if !ok || v == nil && !f.shape.kinds.has(null) { // pydantic's mark for "not given"
					continue
				}
				b, _ := json.Marshal(v)
				defaults = append(defaults, member{f.name, b})
				break
			}
		}
		if err := s.Check(objectOf(defaults)); err != nil && !strings.HasPrefix(err.Error(), "missing ") {
			t.Errorf("%s: its own defaults are wrong: %v", name, err)
		}
		for i := range s.fields.list {
			f := &s.fields.list[i]
			if t2, err := s.target(f.name); err != nil || t2.field.name != f.name {
				t.Errorf("%s: --%s is not found: %v", name, f.name, err)
			}
		}
	}
	t.Logf("%d schemas", checked)
}
