package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"

	"ctxfs/mounts/control"
	"ctxfs/mounts/gateway"
)

// gatewayOp is the request of a gateway for a call.
const gatewayOp = "gateway-call"

// gatewayCall is a call as a gateway asks the background process for it.
type gatewayCall struct {
	Server    string          `json:"server"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Confirmed bool            `json:"confirmed,omitempty"`
	Agent     string          `json:"agent,omitempty"`
	Session   string          `json:"session,omitempty"`
	PID       int             `json:"pid"` // of the gateway
}

// gatewayNews is a reply before the last: the first, without progress, says
// that the call is under way.
type gatewayNews struct {
	Progress *gateway.Progress `json:"progress,omitempty"`
}

// gatewayReply is the last reply: a result, or why there is none in the words
// for an agent.
type gatewayReply struct {
	Result *gateway.Result `json:"result,omitempty"`
	Fault  *gateway.Fault  `json:"fault,omitempty"`
}

// Call asks for a call, and never again from when it is under way: tools have
// effects.
func (b *backend) Call(ctx context.Context, c gateway.Call, progress func(gateway.Progress)) (*gateway.Result, error) {
	args := gatewayCall{
		Server: c.Server, Tool: c.Tool, Arguments: c.Arguments, Confirmed: c.Confirmed,
		Agent: c.Client, Session: b.session, PID: os.Getpid(),
	}
	var reply gatewayReply
	begun := false
	err := b.ask(ctx, gatewayOp, args, &reply, func(body json.RawMessage) {
		begun = true
		var news gatewayNews
		if json.Unmarshal(body, &news) == nil && news.Progress != nil {
			progress(*news.Progress)
		}
	}, nil)
	switch {
	case errors.Is(err, control.ErrGone) && begun:
		return nil, &gateway.Fault{
			What: "ctxfs ended during the call; whether the tool has done its work is not known",
			Mend: "look before you call it again",
		}
	case err != nil:
		return nil, err
	case reply.Fault != nil:
		return nil, reply.Fault
	}
	return reply.Result, nil
}
