package gateway

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// callArguments are the arguments of the tool call.
type callArguments struct {
	Server    string          `json:"server"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Yes       bool            `json:"yes"`
	Continue  string          `json:"continue"` // the ID of a task
	Answer    json.RawMessage `json:"answer"`
	Decline   bool            `json:"decline"`
}

// check returns what is wrong with the arguments.
func (a *callArguments) check() error {
	called := a.Server != "" || a.Tool != ""
	switch {
	case a.Continue != "" && called:
		return &Fault{What: "call: continue goes on with a call that is made already", Mend: "leave out server and tool, or continue"}
	case a.Continue == "" && (a.Decline || len(a.Answer) > 0):
		return &Fault{What: "call: an answer belongs to a call that waits for it", Mend: `name that: "continue": ID`}
	case a.Continue == "" && (a.Server == "" || a.Tool == ""):
		return &Fault{
			What: "call: name the server and the tool",
			Mend: `find {"query":"what it should do"} shows them: mcps/<server>/tools/<tool>.json`,
		}
	}
	return nil
}

func (g *Gateway) call(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var args callArguments
	if err := decode(r, &args); err != nil {
		return nil, err
	}
	if err := args.check(); err != nil {
		return nil, err
	}
	progress := g.progressFor(ctx, r)
	result, asked, err := g.begin(ctx, r, &args, progress)
	if asked != nil || err != nil {
		return asked, err
	}
	if result.Question != nil {
		if result, asked, err = g.pass(ctx, result, args.Continue == "", progress); asked != nil || err != nil {
			return asked, err
		}
	}
	answer := &mcp.CallToolResult{IsError: result.Failed, RawStructuredContent: result.Structured}
	if result.Text != "" || len(result.Blocks) == 0 {
		answer.Content = append(answer.Content, mcp.NewTextContent(result.Text))
	}
	if result.Misfit != "" {
		answer.Content = append(answer.Content, mcp.NewTextContent("ctxfs: "+result.Misfit))
		answer.Meta = &mcp.Meta{AdditionalFields: map[string]any{"ctxfs/misfit": result.Misfit}}
	}
	if result.Note != "" {
		answer.Content = append(answer.Content, mcp.NewTextContent("ctxfs: "+result.Note))
	}
	for _, b := range result.Blocks {
		answer.Content = append(answer.Content, block{raw: b})
	}
	return answer, nil
}

// begin makes a call, or continues one. If asked is not nil, the client must repeat
// its request.
func (g *Gateway) begin(ctx context.Context, r mcp.CallToolRequest, args *callArguments, progress func(Progress)) (result *Result, asked *mcp.CallToolResult, err error) {
	if is := repeated(r); is != nil {
		return g.repeat(ctx, r, is, progress)
	}
	if args.Continue != "" {
		if args.Decline || len(args.Answer) > 0 {
			if err := g.backend.Answer(ctx, written(args.Continue, normalized(args.Answer), args.Decline)); err != nil && !errors.Is(err, ErrAnswered) {
				return nil, nil, err
			}
		}
		result, err = g.backend.Continue(ctx, args.Continue, progress)
		return result, nil, err
	}
	root, asked := g.root(ctx, r)
	if asked != nil {
		return nil, asked, nil
	}
	result, err = g.backend.Call(ctx, Call{
		Server: args.Server, Tool: args.Tool, Arguments: normalized(args.Arguments), Confirmed: args.Yes,
		Client: clientOf(ctx), Session: sessionOf(ctx), Root: root, Samples: g.samples(ctx),
	}, progress)
	return result, nil, err
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
