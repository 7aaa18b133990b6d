package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"

	"ctxfs/mounts/control"
	"ctxfs/mounts/gateway"
)

// gatewayCall is a call as a gateway asks the background process for it.
type gatewayCall struct {
	Server    string          `json:"server"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Confirmed bool            `json:"confirmed,omitempty"`
	Agent     string          `json:"agent,omitempty"`
	PID       int             `json:"pid"` // of the gateway
}

// gatewayNews is a reply before the last: the first says that the call is
// under way.
type gatewayNews struct {
	Progress *gateway.Progress `json:"progress,omitempty"`
}

// Call asks for a call. It is asked for once only, from when it is under way:
// tools have effects.
func (b *backend) Call(ctx context.Context, c gateway.Call, progress func(gateway.Progress)) (*gateway.Result, error) {
	args := gatewayCall{
		Server: c.Server, Tool: c.Tool, Arguments: c.Arguments, Confirmed: c.Confirmed,
		Agent: c.Client, PID: os.Getpid(),
	}
	result := new(gateway.Result)
	begun := false
	err := b.ask(ctx, "gateway-call", args, result, func(reply json.RawMessage) {
		begun = true
		var news gatewayNews
		if json.Unmarshal(reply, &news) == nil && news.Progress != nil {
			progress(*news.Progress)
		}
	}, nil)
	if errors.Is(err, control.ErrGone) && begun {
		err = &gateway.Fault{
			What: "ctxfs ended during the call: whether the tool has done its work is not known",
			Mend: "look before you call it again",
		}
	}
	if err != nil {
		return nil, err
	}
	return result, nil
}
