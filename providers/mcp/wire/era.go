package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// The library takes every server that answers its probe, server/discover, with a
// result for one of the new era. Some servers of the old era answer every method
// that they do not know with an empty result. The transports below turn such an
// answer into the error of an unknown method, after which the library continues
// with the handshake of the old era.

// probedStdio is the library's transport over standard input and output, with a
// strict probe.
type probedStdio struct {
	*transport.Stdio
	unanswered *atomic.Bool // set when the probe is given up
}

// SendRequest implements transport.Interface.
func (t probedStdio) SendRequest(ctx context.Context, request transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	response, err := t.Stdio.SendRequest(ctx, request)
	if request.Method == string(mcp.MethodServerDiscover) && ctx.Err() != nil {
		t.unanswered.Store(true)
	}
	return probed(request, response), err
}

// probedHTTP is the library's transport over HTTP, with a strict probe.
type probedHTTP struct{ *transport.StreamableHTTP }

// SendRequest implements transport.Interface.
func (t probedHTTP) SendRequest(ctx context.Context, request transport.JSONRPCRequest) (*transport.JSONRPCResponse, error) {
	response, err := t.StreamableHTTP.SendRequest(ctx, request)
	return probed(request, response), err
}

// probed replaces an answer to the probe that no server of the new era gives.
func probed(request transport.JSONRPCRequest, response *transport.JSONRPCResponse) *transport.JSONRPCResponse {
	if request.Method != string(mcp.MethodServerDiscover) || response == nil || response.Error != nil || isDiscovery(response.Result) {
		return response
	}
	return transport.NewJSONRPCErrorResponse(response.ID, mcp.METHOD_NOT_FOUND, "the answer to server/discover is none", nil)
}

// isDiscovery reports whether a result is one of server/discover: an object with
// capabilities and with versions of the protocol, one of them new.
func isDiscovery(result json.RawMessage) bool {
	var is struct {
		Versions     []string                   `json:"supportedVersions"`
		Capabilities map[string]json.RawMessage `json:"capabilities"`
	}
	if !bytes.HasPrefix(bytes.TrimSpace(result), []byte("{")) || json.Unmarshal(result, &is) != nil {
		return false
	}
	return is.Capabilities != nil && slices.ContainsFunc(is.Versions, func(version string) bool {
		_, err := time.Parse(time.DateOnly, version)
		return err == nil && mcp.IsModernProtocol(version)
	})
}
