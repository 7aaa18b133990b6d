package mcp

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/providers/mcp/calls"
)

// weatherTools are tools with and without an output schema.
const weatherTools = `[
	{"name":"give.result","inputSchema":{"type":"object"},"outputSchema":{"type":"object","properties":{"degrees":{"type":"number"}},"required":["degrees"]}},
	{"name":"large","outputSchema":{"type":"object"}},{"name":"headed"}]`

// TestMisfits: a result that violates its tool's output schema is returned, and the
// violation is reported.
func TestMisfits(t *testing.T) {
	for _, era := range []string{"", "-modern"} {
		t.Run("stdio"+era, func(t *testing.T) { bubble(t, func(t *testing.T) { misfits(t, era) }) })
	}
}

func misfits(t *testing.T, era string) {
	w := newWorld(t)
	w.claude(map[string]any{"callee": stub("calls"+era, stubTools, w.write(filepath.Join(w.dir, "tools.json"), weatherTools))})
	w.opts.State = filepath.Join(w.home, "state")
	w.settings("[mcp]\nfile_calls = true\n")
	w.open()
	const wrong = `the structured result does not fit the tool's output schema: `
	for _, c := range []struct{ result, want string }{
		{`{"content":[],"structuredContent":{"degrees":3}}`, ""},
		{`{"content":[],"structuredContent":{"degrees":3,"more":1}}`, ""},
		{`{"content":[],"structuredContent":{"degrees":"3\u001b[31m\u202e"}}`, wrong + `"degrees" must be a number, not "3"`},
		{`{"content":[],"structuredContent":{}}`, wrong + `missing "degrees"`},
		{`{"content":[],"structuredContent":[1],"_meta":{"a":1}}`, wrong + `the whole must be an object, not an array`},
		{`{"content":[{"type":"text","text":"3"}]}`, "the result is not structured, although the tool has an output schema"},
		{`{"content":[{"type":"text","text":"3"}],"structuredContent":null}`, "the result is not structured, although the tool has an output schema"},
		{`{"content":[{"type":"text","text":"no"}],"isError":true}`, ""},
		{`{"content":[],"structuredContent":{"degrees":"x"},"isError":true}`, ""},
	} {
		r, err := w.call("give.result", `{"result":`+quote(c.result)+`}`)
		if err != nil || r.Misfit != c.want {
			t.Errorf("%s: %v, %+v", c.result, err, r)
			continue
		}
		var raw struct {
			Meta map[string]any `json:"_meta"`
		}
		if err := json.Unmarshal(r.Raw, &raw); err != nil || (raw.Meta["ctxfs/misfit"] != nil) != (c.want != "") || c.want != "" && raw.Meta["ctxfs/misfit"] != c.want {
			t.Errorf("%s: raw %s, %v", c.result, r.Raw, err)
		}
	}
	if r, err := w.call("headed", "{}"); err != nil || r.Misfit != "" {
		t.Errorf("without a schema: %v, %+v", err, r)
	}
	log := readText(t, filepath.Join(w.opts.State, "calls.jsonl"))
	if n := strings.Count(log, `"misfit":`); n != 5 {
		t.Errorf("%d misfits in the log: %s", n, log)
	}
}

// TestOutputSchemasThatCannotBeUsed neither fail a call nor are reported.
func TestOutputSchemasThatCannotBeUsed(t *testing.T) {
	schemas := []string{`7`, `"x"`, `[]`, `null`, `{"type":7}`, `{"$ref":"https://example.com/x"}`, `{"$ref":"#/nowhere"}`, `{"$ref":"#"}`, `true`,
		`{"anyOf":[{"$ref":"#"},{"$ref":"#"}]}`, `{"properties":` + strings.Repeat(`{"a":`, 500) + `1` + strings.Repeat(`}`, 500) + `}`}
	inWorld(t, func(t *testing.T, w *world) {
		servers := make(map[string]any)
		for i, schema := range schemas {
			tools := w.write(filepath.Join(w.dir, fmt.Sprint("tools", i)), `[{"name":"give.result","outputSchema":`+schema+`}]`)
			servers[fmt.Sprint("s", i)] = stub("calls", stubTools, tools)
		}
		w.claude(servers)
		w.settings("")
		w.open()
		for i, schema := range schemas {
			r, err := w.p.Call(t.Context(), calls.Call{Server: fmt.Sprint("s", i), Tool: "give.result", Arguments: json.RawMessage(`{"result":"{\"structuredContent\":{\"a\":{\"a\":1}}}"}`)})
			if err != nil || r.Misfit != "" || r.Structured == nil {
				t.Errorf("%.60s: %v, %+v", schema, err, r)
			}
		}
	})
}

func readText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
