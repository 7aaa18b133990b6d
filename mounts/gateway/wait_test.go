package gateway

import (
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
)

func TestWait(t *testing.T) {
	g := New(Options{Backend: new(fake)})
	r := mcp.CallToolRequest{}
	r.Params.Name = "wait"
	r.Params.RawArguments = []byte(`{"for":"port 3000","any":true,"seconds":1e9}`)
	got, err := g.wait(t.Context(), r)
	if err != nil || len(got.Content) != 1 || got.Content[0].(mcp.TextContent).Text != "met: port 3000 any=true 1h0m0s " {
		t.Errorf("%+v, %v", got, err)
	}
	r.Params.RawArguments = []byte(`{"until":"port 3000"}`)
	if _, err := g.wait(t.Context(), r); err == nil {
		t.Error("an unknown argument is accepted")
	}
}
