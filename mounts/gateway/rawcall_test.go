package gateway

import (
	"encoding/json"
	"net/http"
	"reflect"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// rawCall calls "call" below the client, which knows fewer types of content.
func rawCall(w way, args string) transport.JSONRPCRequest {
	params := map[string]any{"name": "call", "arguments": json.RawMessage(args)}
	r := transport.JSONRPCRequest{JSONRPC: "2.0", ID: mcp.NewRequestId("raw"), Method: "tools/call", Params: params}
	if w.options == nil {
		params["_meta"] = map[string]any{
			"io.modelcontextprotocol/protocolVersion":    "2026-07-28",
			"io.modelcontextprotocol/clientCapabilities": map[string]any{},
			"io.modelcontextprotocol/clientInfo":         map[string]any{"name": "tester", "version": "1"},
		}
		if w.http {
			r.Header = http.Header{}
			body, err := json.Marshal(params)
			if err != nil {
				panic(err)
			}
			for name, value := range mcp.StandardHeaders("2026-07-28", "tools/call", body) {
				r.Header.Set(name, value)
			}
		}
	}
	return r
}

// sameJSONWithin reports whether one of the blocks of a result is that value.
func sameJSONWithin(result json.RawMessage, want string) bool {
	var r struct{ Content []any }
	var value any
	if json.Unmarshal(result, &r) != nil || json.Unmarshal([]byte(want), &value) != nil {
		return false
	}
	for _, c := range r.Content {
		if reflect.DeepEqual(c, value) {
			return true
		}
	}
	return false
}
