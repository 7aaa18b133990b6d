package gateway

import (
	"context"
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

func (g *Gateway) call(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var args struct {
		Server    string          `json:"server"`
		Tool      string          `json:"tool"`
		Arguments json.RawMessage `json:"arguments"`
		Yes       bool            `json:"yes"`
	}
	if err := decode(r, &args); err != nil {
		return nil, err
	}
	if args.Server == "" || args.Tool == "" {
		return nil, &Fault{
			What: "call: name the server and the tool",
			Mend: `find {"query":"what it should do"} shows them: mcps/<server>/tools/<tool>.json`,
		}
	}
	root, asked := g.root(ctx, r)
	if asked != nil {
		return asked, nil
	}
	c := Call{Server: args.Server, Tool: args.Tool, Arguments: normalized(args.Arguments), Confirmed: args.Yes, Client: clientOf(ctx), Session: sessionOf(ctx), Root: root}
	result, err := g.backend.Call(ctx, c, g.progressFor(ctx, r))
	if err != nil {
		return nil, err
	}
	answer := &mcp.CallToolResult{IsError: result.Failed, RawStructuredContent: result.Structured}
	if result.Text != "" || len(result.Blocks) == 0 {
		answer.Content = append(answer.Content, mcp.NewTextContent(result.Text))
	}
	if result.Misfit != "" {
		answer.Content = append(answer.Content, mcp.NewTextContent("ctxfs: "+result.Misfit))
		answer.Meta = &mcp.Meta{AdditionalFields: map[string]any{"ctxfs/misfit": result.Misfit}}
	}
	for _, b := range result.Blocks {
		answer.Content = append(answer.Content, block{raw: b})
	}
	return answer, nil
}

// normalized returns the arguments of a call that a model wrote: some models write
// null for none, and some write a string that holds the object if a schema cannot
// name its members.
func normalized(arguments json.RawMessage) json.RawMessage {
	var text string
	switch {
	case string(arguments) == "null":
		return nil
	case json.Unmarshal(arguments, &text) == nil && json.Valid([]byte(text)):
		return json.RawMessage(text)
	}
	return arguments
}

// block is a block of content that is passed on unchanged, whatever its type.
type block struct {
	mcp.TextContent // makes it an mcp.Content
	raw             json.RawMessage
}

func (b block) MarshalJSON() ([]byte, error) { return b.raw, nil }

// clientOf returns the name of the program at the other end, or "".
func clientOf(ctx context.Context) string {
	if info := server.RequestProtocolInfoFromContext(ctx); info != nil && info.ClientInfo != nil {
		return info.ClientInfo.Name
	}
	if s, ok := server.ClientSessionFromContext(ctx).(server.SessionWithClientInfo); ok {
		return s.GetClientInfo().Name
	}
	return ""
}

// sessionOf returns the ID of the client's session over HTTP, or "".
func sessionOf(ctx context.Context) string {
	if session := server.ClientSessionFromContext(ctx); session != nil && connectionOf(ctx) == nil {
		return session.SessionID()
	}
	return ""
}

// progressFor returns a function that forwards the progress of a call to a client
// that has asked for it, always before the result. Over HTTP the library drops a
// notification that it is about to send when the result arrives.
func (g *Gateway) progressFor(ctx context.Context, r mcp.CallToolRequest) func(Progress) {
	if r.Params.Meta == nil || r.Params.Meta.ProgressToken == nil {
		return func(Progress) {}
	}
	token := r.Params.Meta.ProgressToken
	return func(p Progress) {
		params := map[string]any{"progressToken": token, "progress": p.Done}
		if p.Total > 0 {
			params["total"] = p.Total
		}
		if p.Message != "" {
			params["message"] = p.Message
		}
		if c := connectionOf(ctx); c != nil {
			c.notify("notifications/progress", params)
		} else if err := g.server.SendNotificationToClient(ctx, "notifications/progress", params); err != nil {
			g.log.Debug("progress was not sent", "error", err)
		}
	}
}
