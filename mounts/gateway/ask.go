package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"github.com/mark3labs/mcp-go/mcp"
)

// answer is a client's answer to a request of ours.
type answer struct {
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// errLeft reports that the client left without an answer.
var errLeft = errors.New("the client has left")

// request asks the client, and decodes its answer. The end of ctx cancels the
// request at the client.
func (c *connection) request(ctx context.Context, method mcp.MCPMethod, params, into any) error {
	came := make(chan answer, 1)
	c.mu.Lock()
	c.last++
	number := c.last
	id := strconv.Itoa(number)
	c.asked[id] = came
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.asked, id)
		c.mu.Unlock()
	}()
	message := map[string]any{"jsonrpc": mcp.JSONRPC_VERSION, "id": number, "method": method}
	if params != nil {
		message["params"] = params
	}
	c.send(message)
	select {
	case a := <-came:
		if a.Error != nil {
			return fmt.Errorf("%s: error %d: %s", method, a.Error.Code, a.Error.Message)
		}
		return json.Unmarshal(a.Result, into)
	case <-ctx.Done():
		c.notify("notifications/cancelled", map[string]any{"requestId": number})
		return context.Cause(ctx)
	case <-c.over:
		return errLeft
	}
}

// answered takes the client's answer to a request of ours. One that no call waits
// for is dropped.
func (c *connection) answered(id json.RawMessage, line []byte) {
	c.mu.Lock()
	waiting := c.asked[string(id)]
	delete(c.asked, string(id))
	c.mu.Unlock()
	if waiting == nil {
		return
	}
	var a answer
	if err := json.Unmarshal(line, &a); err == nil {
		waiting <- a
	}
}

// ListRoots implements server.RootsHandler.
func (c *connection) ListRoots(ctx context.Context, _ mcp.ListRootsRequest) (*mcp.ListRootsResult, error) {
	var result mcp.ListRootsResult
	return &result, c.request(ctx, mcp.MethodListRoots, nil, &result)
}

// Elicit implements server.ElicitationHandler.
func (c *connection) Elicit(ctx context.Context, r mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	var result mcp.ElicitationResult
	return &result, c.request(ctx, mcp.MethodElicitationCreate, r.Params, &result)
}

// CreateMessage implements server.SamplingHandler.
func (c *connection) CreateMessage(ctx context.Context, r mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
	var result mcp.CreateMessageResult
	if err := c.request(ctx, mcp.MethodSamplingCreateMessage, r.CreateMessageParams, &result); err != nil {
		return nil, err
	}
	var err error
	result.Content, err = mcp.ParseSamplingContent(result.Content)
	return &result, err
}
