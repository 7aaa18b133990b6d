package main

import (
	"encoding/json"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"

	"ctxfs/providers/prompt"
)

// maxDefinitionTokens is what the gateway's tools may cost in every prompt.
const maxDefinitionTokens = 600

func TestServeIsCheap(t *testing.T) {
	t.Parallel()
	a := newBox(t).agent()
	listed, err := a.ListTools(t.Context(), mcp.ListToolsRequest{})
	must(t, err)
	type definition struct {
		Name        string `json:"name"`
		Description string `json:"description"`
		InputSchema any    `json:"input_schema"`
	}
	var tools []definition
	for _, tool := range listed.Tools {
		schema := any(tool.InputSchema)
		if tool.RawInputSchema != nil {
			schema = tool.RawInputSchema
		}
		tools = append(tools, definition{tool.Name, tool.Description, schema})
	}
	text, err := json.Marshal(tools)
	must(t, err)
	if n := prompt.Tokens(string(text)); n > maxDefinitionTokens || len(tools) != 5 {
		t.Errorf("%d tools of %d tokens; its instructions are %d", len(tools), n, prompt.Tokens(a.hello.Instructions))
	}
}
