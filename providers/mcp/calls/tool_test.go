package calls

import (
	"encoding/json"
	"testing"

	"ctxfs/providers/internal/arguments"
	"ctxfs/providers/mcp/catalogue"
	"ctxfs/providers/mcp/policy"
)

// TestPrepareFillsIn: the default of a required argument is sent, however the
// arguments were given.
func TestPrepareFillsIn(t *testing.T) {
	tool := newTool(catalogue.Item{Name: "t", File: "t", Body: []byte(`{"name":"t","arguments":{"type":"object",` +
		`"properties":{"level":{"enum":["info","error"],"default":"info"},"all":{"type":"boolean"}},"required":["level","all"],"additionalProperties":false}}`)})
	for _, c := range []struct {
		call Call
		want string
	}{
		{Call{Arguments: json.RawMessage(`{"all":true}`)}, `{"all":true,"level":"info"}`},
		{Call{Words: []arguments.Word{{Text: "--all"}}}, `{"all":true,"level":"info"}`},
		{Call{Words: []arguments.Word{{Text: "--all"}, {Text: "--level"}, {Text: "error"}}}, `{"all":true,"level":"error"}`},
	} {
		got, err := tool.Prepare(&c.call, []string{"s"}, new(policy.Policy))
		if err != nil || string(got) != c.want {
			t.Errorf("%s, %v; want %s", got, err, c.want)
		}
	}
	if _, err := tool.Prepare(&Call{}, []string{"s"}, new(policy.Policy)); err == nil {
		t.Error("an argument without a default is not asked for")
	}
}
