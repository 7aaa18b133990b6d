package gateway

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestFieldsOf(t *testing.T) {
	properties := func(p string) string {
		return `{"type":"object","properties":{` + p + `},"required":["b"]}`
	}
	for file, want := range map[string]string{
		properties(`"a":{"type":"string"},"b":{"type":["integer","null"]},"c":{"type":["string","number"]}`): "b: integer, a?: string, c?: any",
		properties(`"a":{"type":"array","items":{"enum":[1,"x"]}},"b":{"type":"array"}`):                     `b: any[], a?: (1|"x")[]`,
		properties(`"a":{"$ref":"#/x"},"b":true,"c":{"type":"object"}`):                                      "b: any, a?: any, c?: object",
		properties(`"a":{"type":"string"},"b":{"type":"integer","default":0}`):                               "a?: string, b?: integer = 0",
		properties(`"b":{"type":"array","items":{"type":"string"},"default":[ "public" ]}`):                  `b?: string[] = ["public"]`,
		properties(`"b":{"type":"string","default":"` + strings.Repeat("x", 100) + `"}`):                     "b?: string",
		properties(`"b":{"type":["string","null"],"default":null}`):                                          "b?: string = null",
		`{"type":"object"}`: "none",
		`{}`:                "none",
		`[]`:                "",
		`not json`:          "",
		properties(`"b":{"enum":["` + strings.Repeat("x", 100) + `"],"type":"string"}`): "b: string",
	} {
		if got := fieldsOf(json.RawMessage(file)); got != want {
			t.Errorf("%s: %q, not %q", file, got, want)
		}
	}
}

func FuzzFieldsOf(f *testing.F) {
	f.Add([]byte(issueTool))
	f.Add([]byte(`{"properties":{"a":{"type":"array","items":{"type":"array","items":{"type":"array","items":{"type":"array"}}}}}}`))
	f.Add([]byte(`{"properties":[1,2]}`))
	f.Fuzz(func(t *testing.T, file []byte) {
		if got := fieldsOf(file); len(got) > maxFields {
			t.Errorf("%d bytes: %s", len(got), got)
		}
	})
}
