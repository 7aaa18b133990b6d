package wire

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"ctxfs/providers/mcp/lines"
)

// Outgoing is a request to a server.
type Outgoing struct {
	Method string
	Params map[string]any
	// Schema is that of params["arguments"]; may be nil. Over HTTP in the new era
	// it says which arguments are headers as well.
	Schema json.RawMessage
	// TaskSupport is what a tool says of tasks: execution.taskSupport of its
	// definition. One that requires them is called as a task by itself.
	TaskSupport string
	// Task asks for a task of a tool whose support is optional.
	Task bool
	// TaskTTL is how long the server is asked to keep a task, from its creation;
	// 0 leaves it to the server.
	TaskTTL time.Duration
	// Pending is informed of the progress of the request; it may be nil.
	Pending *Pending
}

// Request sends a request once and returns the raw result. Results bypass the
// library's types, which drop what they do not know.
func (c *Connection) Request(ctx context.Context, method string, params map[string]any) (json.RawMessage, error) {
	result, _, err := c.Send(ctx, Outgoing{Method: method, Params: params})
	return result, err
}

// Send sends a request and waits for its answer. The server may ask for more before
// it answers, see [Pending], and the request may become a task, whose end Send
// waits for. Begun reports whether the server may have received the request, or
// part of it; if not, it may be sent again over another connection. When the caller's
// context ends the request is cancelled at the server, and an answer that comes with
// that is not returned. Errors are [*ResponseError] if the server answers with an
// error, [*UnansweredError] if it needs an answer that cannot be given, those of the
// context, and those that [IsForgotten] and [Connection.LostBy] explain.
func (c *Connection) Send(caller context.Context, out Outgoing) (result json.RawMessage, begun bool, err error) {
	defer func() {
		if caller.Err() != nil {
			result, err = nil, caller.Err()
		}
	}()
	ctx, stop := context.WithCancel(caller)
	defer stop()
	r := c.pending.begin(ctx, out.Pending)
	defer c.pending.end(r)
	out.Params = c.withTask(out)
	for rounds := new(inputRounds); ; {
		result, sent, err := c.sendOnce(ctx, r, out)
		begun = begun || sent
		if err != nil {
			err = c.openAddresses(ctx, r, rounds, err)
			if err == nil {
				continue
			}
			return nil, begun, err
		}
		if t, ok := c.taskIn(result); ok {
			result, err = c.await(ctx, r, out.Method, t)
			return result, begun, err
		}
		more, err := c.giveInput(ctx, r, rounds, out, result)
		switch {
		case err != nil:
			return nil, begun, err
		case more == nil:
			return result, begun, nil
		}
		out.Params = more
	}
}

// sendOnce sends one message of a request, and waits for the answer to it.
func (c *Connection) sendOnce(ctx context.Context, r *request, out Outgoing) (result json.RawMessage, begun bool, err error) {
	id := c.pending.id()
	params, err := c.params(r.token, out)
	if err != nil {
		return nil, false, err
	}
	if c.input != nil {
		result, begun, err = c.sendLine(ctx, id, out.Method, params)
	} else {
		result, begun, err = c.sendHTTP(context.WithValue(ctx, requestKey{}, r), id, out, params)
	}
	if begun && ctx.Err() != nil {
		c.cancelRequest(ctx, id)
	}
	return result, begun, err
}

// params returns the encoded parameters of a request.
func (c *Connection) params(token string, out Outgoing) (json.RawMessage, error) {
	meta := make(map[string]any)
	if out.Pending != nil {
		meta["progressToken"] = token
	}
	if !c.legacy {
		meta[mcp.MetaKeyProtocolVersion] = c.info.ProtocolVersion
		meta[mcp.MetaKeyClientCapabilities] = c.capabilities
		meta[mcp.MetaKeyClientInfo] = clientInfo()
		if c.log.to != nil && c.info.Capabilities.Logging != nil {
			meta[mcp.MetaKeyLogLevel] = cmp.Or(*c.logLevel.Load(), usualLevel)
		}
	}
	params := out.Params
	if len(meta) > 0 {
		params = maps.Clone(params)
		params["_meta"] = meta
	}
	return json.Marshal(params)
}

// sendLine sends a request to a process. The answer is taken from the output
// before the library, which would copy it many times, sees it: an answer may be
// as long as lines.MaxLine.
func (c *Connection) sendLine(ctx context.Context, id, method string, params json.RawMessage) (result json.RawMessage, begun bool, err error) {
	came := make(chan lines.Message, 1)
	c.output.Expect(id, came)
	defer c.output.Forget(id)
	select {
	case <-c.output.Done:
		return nil, false, transport.ErrTransportClosed
	default:
	}
	line := fmt.Appendf(make([]byte, 0, len(params)+len(method)+64), `{"jsonrpc":"2.0","id":%q,"method":%q,"params":`, id, method)
	line = append(append(line, params...), '}', '\n')
	if begun, err = c.input.Send(ctx, line); err != nil {
		return nil, begun, err
	}
	line, params = nil, nil // they may be large, and the answer may take long
	select {
	case r := <-came:
		result, err = c.result(method, r)
		return result, true, err
	case <-ctx.Done():
		return nil, true, ctx.Err()
	case <-c.output.Done:
	}
	select {
	case r := <-came: // written just before the end
		result, err = c.result(method, r)
		return result, true, err
	default:
		return nil, true, transport.ErrTransportClosed
	}
}

// result returns the result of a response, or the error that the server answered
// with.
func (c *Connection) result(method string, r lines.Message) (json.RawMessage, error) {
	var fault *struct {
		Code    int
		Message string
		Data    json.RawMessage
	}
	if r.Fault != nil {
		if err := json.Unmarshal(r.Fault, &fault); err != nil {
			return nil, fmt.Errorf("%s: the answer has a wrong form: %w", method, err)
		}
	}
	if fault != nil {
		return nil, &ResponseError{method, strings.TrimSpace(fault.Message), fault.Code, fault.Data}
	}
	return r.Result, nil
}

// sendHTTP sends a request over one of the library's transports.
func (c *Connection) sendHTTP(ctx context.Context, id string, out Outgoing, params json.RawMessage) (result json.RawMessage, begun bool, err error) {
	req := transport.JSONRPCRequest{
		JSONRPC: mcp.JSONRPC_VERSION, ID: mcp.NewRequestId(id), Method: out.Method, Params: params, Header: make(http.Header),
	}
	for name, value := range mcp.StandardHeaders(c.info.ProtocolVersion, mcp.MCPMethod(out.Method), params) {
		req.Header.Set(name, value)
	}
	if id, ok := out.Params["taskId"].(string); ok && !c.legacy {
		if name, ok := mcp.EncodeHeaderValue(id); ok { // tasks/get and its kin
			req.Header.Set(mcp.HeaderName, name)
		}
	}
	for name, value := range c.argumentHeaders(out) {
		req.Header.Set(name, value)
	}
	session := c.transport.GetSessionId()
	sending, status := withStatus(ctx)
	var connected atomic.Bool
	sending = httptrace.WithClientTrace(sending, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected.Store(true) }})
	res, err := c.transport.SendRequest(sending, req)
	begun = connected.Load()
	ours := res != nil && res.ID.String() == req.ID.String()
	if forgotten(session, *status) && !(ours && res.Error != nil && !sessionCode(res.Error.Code)) {
		err = &sessionError{*status}
		c.lose(err)
	}
	switch {
	case err != nil:
		return nil, begun, err
	case !ours && (res.Error == nil || *status == 0): // an error response may lack the id
		return nil, begun, fmt.Errorf("%s: the server answered another request", out.Method)
	case res.Error != nil:
		data, _ := json.Marshal(res.Error.Data) // it was JSON
		return nil, begun, &ResponseError{out.Method, strings.TrimSpace(res.Error.Message), res.Error.Code, data}
	}
	return res.Result, begun, nil
}

// argumentHeaders returns the arguments that are sent as headers too.
func (c *Connection) argumentHeaders(out Outgoing) map[string]string {
	if c.legacy || !bytes.Contains(out.Schema, []byte("x-mcp-header")) {
		return nil
	}
	params, err := json.Marshal(map[string]any{"arguments": out.Params["arguments"]})
	if err != nil {
		return nil
	}
	return mcp.GenerateParamHeaders(&mcp.Tool{RawInputSchema: out.Schema}, params)
}

// cancelling is the timeout of the notification that cancels a request.
const cancelling = 5 * time.Second

// cancelRequest cancels a request at the server, without waiting for it. Over HTTP
// in the new era the end of the request's stream cancels it.
func (c *Connection) cancelRequest(ctx context.Context, id string) {
	if c.http != nil && !c.legacy || c.IsLost() {
		return
	}
	reason := "the caller has cancelled it"
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		reason = "it took too long"
	}
	notification := mcp.JSONRPCNotification{
		JSONRPC: mcp.JSONRPC_VERSION,
		Notification: mcp.Notification{
			Method: string(mcp.MethodNotificationCancelled),
			Params: mcp.NotificationParams{AdditionalFields: map[string]any{"requestId": id, "reason": reason}},
		},
	}
	go c.guard(func() {
		telling, stop := context.WithTimeout(c.Context, cancelling)
		defer stop()
		_ = c.transport.SendNotification(telling, notification) // otherwise the server answers in vain
	})
}
