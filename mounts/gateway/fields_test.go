package gateway

import (
	"encoding/json"
	"strings"
	"testing"

	"ctxfs/fs/form"
	"ctxfs/fs/fstest"
)

func TestFieldsText(t *testing.T) {
	long := strings.Repeat("x", 100)
	for want, fields := range map[string][]form.Field{
		"b: integer, a?: string, c?: any": {{Name: "a", Type: "string"}, {Name: "b", Type: "integer", Required: true}, {Name: "c"}},
		`b: any[], a?: (1|2)[]`: {
			{Name: "a", Type: "integer", Several: true, Choices: []form.Choice{{Value: "1"}, {Value: "2"}}}, {Name: "b", Several: true, Required: true},
		},
		"a?: string, b?: integer = 0": {{Name: "a", Type: "string"}, {Name: "b", Type: "integer", Default: json.RawMessage("0")}},
		`b?: string[] = ["public"]`:   {{Name: "b", Type: "string", Several: true, Default: json.RawMessage(`[ "public" ]`)}},
		`b: "x"|"y"`:                  {{Name: "b", Type: "string", Required: true, Choices: []form.Choice{{Value: "x", Title: "X"}, {Value: "y"}}}},
		"b?: string":                  {{Name: "b", Type: "string", Default: json.RawMessage(`"` + long + `"`), Choices: []form.Choice{{Value: long}}}},
		"none":                        {},
	} {
		fstest.Equal(t, fieldsText(fields), want)
	}
	if got := fieldsText(make([]form.Field, 1000)); len(got) > maxFields || !strings.HasSuffix(got, ", …") {
		t.Errorf("%d bytes: %s", len(got), got)
	}
}
