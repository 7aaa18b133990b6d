package calls

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"ctxfs/providers/internal/arguments"
)

// TestMisfit: a structured result is checked against the output schema, whatever its
// draft and its references; a schema that is too large or endless costs no verdict
// and no time.
func TestMisfit(t *testing.T) {
	tree := `{"$schema":"%s","type":"object","properties":{"root":{"$ref":"#/%[2]s/node"}},"required":["root"],` +
		`"%[2]s":{"node":{"type":"object","properties":{"n":{"type":"integer"},"sub":{"type":"array","items":{"$ref":"#/%[2]s/node"}}},"required":["n"]}}}`
	modern := fmt.Sprintf(tree, "https://json-schema.org/draft/2020-12/schema", "$defs")
	draft7 := fmt.Sprintf(tree, "http://json-schema.org/draft-07/schema#", "definitions")
	var huge strings.Builder
	huge.WriteString(`{"type":"object","properties":{"a":{"type":"string"}`)
	for i := range 20_000 {
		fmt.Fprintf(&huge, `,"p%d":{"type":"object","properties":{"x":{"type":"string"}}}`, i)
	}
	huge.WriteString(`},"required":["a"]}`)
	// each level doubles the alternatives that must be tried
	endless := `{"$defs":{"x":{"anyOf":[{"type":"array","items":{"$ref":"#/$defs/x"},"minItems":1},{"type":"array","items":{"$ref":"#/$defs/x"},"minItems":1,"maxItems":9}]}},"type":"object","properties":{"v":{"$ref":"#/$defs/x"}}}`
	deep := strings.Repeat(`[`, 40) + `1` + strings.Repeat(`]`, 40)
	const said = "the structured result does not fit the tool's output schema: "
	for _, c := range []struct{ name, schema, result, protocol, want string }{
		{"2020-12, fits", modern, `"structuredContent":{"root":{"n":1,"sub":[{"n":2}]}}`, "2025-06-18", ""},
		{"2020-12", modern, `"structuredContent":{"root":{"n":1,"sub":[{"n":"2"}]}}`, "2025-06-18", said + `"root.sub[0].n" must be an integer, not "2"`},
		{"draft 7, fits", draft7, `"structuredContent":{"root":{"n":1}}`, "2025-11-25", ""},
		{"draft 7", draft7, `"structuredContent":{"root":{}}`, "2025-11-25", said + `missing "root.n"`},
		{"a default", `{"type":"object","properties":{"a":{"default":1}},"required":["a"]}`, `"structuredContent":{}`, "2025-06-18", said + `missing "a"`},
		{"names that are not listed", `{"type":"object","properties":{"a":{}}}`, `"structuredContent":{"b":1}`, "2025-06-18", ""},
		{"not an object", `{"type":"object"}`, `"structuredContent":[1]`, "2025-06-18", said + `the whole must be an object, not an array`},
		{"none", modern, `"x":1`, "2025-06-18", "the result is not structured, although the tool has an output schema"},
		{"none, and a failure", modern, `"isError":true`, "2025-06-18", ""},
		{"before results were structured", modern, `"x":1`, "2025-03-26", ""},
		{"a huge schema", huge.String(), `"structuredContent":{}`, "2025-06-18", ""},
		{"an endless one", endless, `"structuredContent":{"v":` + deep + `}`, "2025-06-18", ""},
		{"a schema elsewhere", `{"$ref":"https://example.com/x.json"}`, `"structuredContent":{}`, "2025-06-18", ""},
		{"no schema", "", `"structuredContent":{}`, "2025-06-18", ""},
	} {
		tool := &Tool{Name: "t", File: "t"}
		if c.schema != "" {
			tool.output = func() *Schema { return arguments.Compile(json.RawMessage(c.schema)) }
		}
		raw := json.RawMessage(`{"content":[{"type":"text","text":"x"}],` + c.result + `}`)
		r, err := NewResult(raw, ResultOptions{Server: "s", Tool: tool, Protocol: c.protocol})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if r.Misfit != c.want {
			t.Errorf("%s: %q, want %q", c.name, r.Misfit, c.want)
		}
		if strings.Contains(string(r.Raw), misfitKey) != (c.want != "") {
			t.Errorf("%s: the raw result: %.200s", c.name, r.Raw)
		}
	}
}
