package main

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"ctxfs/mounts"
	"ctxfs/mounts/control"
	"ctxfs/mounts/gateway"
	"ctxfs/providers/mcp"
	"ctxfs/providers/mcp/policy"
)

// gatewayCallHandler answers the request of a gateway for a call.
func (w *world) gatewayCallHandler() mounts.Handler {
	return func(ctx context.Context, c *control.Conn) error {
		var request gatewayCall
		if err := c.Args(&request); err != nil {
			return err
		}
		if err := c.Progress(gatewayNews{}); err != nil {
			return err
		}
		p := newProgressQueue(func(p mcp.Progress) error {
			return c.Progress(gatewayNews{&gateway.Progress{Done: p.Done, Total: p.Total, Message: p.Message}})
		})
		r, err := w.providers.Call(ctx, mcp.Call{
			Server: request.Server, Tool: request.Tool, Arguments: request.Arguments, Confirmed: request.Confirmed,
			Caller:   mcp.Caller{Via: "gateway", Agent: request.Agent, Session: request.Session, PID: request.PID},
			Progress: p.post,
		})
		p.close()
		if err != nil {
			return c.Reply(gatewayReply{Fault: agentFault(err)})
		}
		answer := gatewayResult(r)
		// What is named by its place on the disk is named by that in the tree.
		answer.Text = strings.ReplaceAll(answer.Text, w.resultsFolder()+"/", "results/")
		return c.Reply(gatewayReply{Result: answer})
	}
}

// maxMedia is the size in bytes, as text, of the pictures and sounds of a
// result that are handed to an agent; all are files besides.
const maxMedia = 8 << 20

// gatewayResult is a result for an agent: the text, what the tool says besides,
// and pictures and sounds as they came.
func gatewayResult(r *mcp.Result) *gateway.Result {
	result := &gateway.Result{Failed: r.Failed, Text: string(r.Text), Misfit: r.Misfit}
	if strings.HasPrefix(strings.TrimSpace(string(r.Structured)), "{") { // else clients refuse it
		result.Structured = r.Structured
	}
	for _, besides := range []string{string(r.Aside), r.Fault} {
		if besides = strings.TrimSpace(besides); besides != "" {
			block, err := json.Marshal(map[string]string{"type": "text", "text": besides})
			if err == nil {
				result.Blocks = append(result.Blocks, block)
			}
		}
	}
	var raw struct {
		Content []json.RawMessage `json:"content"`
	}
	if json.Unmarshal(r.Raw, &raw) != nil {
		return result
	}
	room := maxMedia
	for _, block := range raw.Content {
		var is struct {
			Type string `json:"type"`
		}
		if json.Unmarshal(block, &is) == nil && slices.Contains([]string{"image", "audio"}, is.Type) && len(block) <= room {
			room -= len(block)
			result.Blocks = append(result.Blocks, block)
		}
	}
	return result
}

// agentFault words why a call has no result, for an agent that has no shell.
func agentFault(err error) *gateway.Fault {
	var (
		bad    *mcp.ArgumentsError
		denied *policy.DeniedError
	)
	switch {
	case errors.As(err, &bad):
		var mend []string
		if bad.Hint != "" {
			mend = append(mend, bad.Hint)
		}
		if len(bad.Part) > 0 {
			mend = append(mend, strings.TrimSpace(string(bad.Part)))
		}
		if len(mend) == 0 {
			mend = append(mend, "see what there is: find, or list mcps")
		}
		return &gateway.Fault{What: bad.What, Mend: strings.Join(mend, "\n")}
	case errors.As(err, &denied) && denied.Confirm:
		return &gateway.Fault{What: denied.What, Mend: `if it is meant, call it again with "yes": true`}
	}
	f := asFault(err)
	return &gateway.Fault{What: f.Message, Mend: forUser(f.Hint)}
}
