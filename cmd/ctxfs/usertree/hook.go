package usertree

import (
	"context"
	"time"

	"ctxfs/cmd/ctxfs/quick"
	"ctxfs/fs"
	"ctxfs/mounts/control"
	"ctxfs/providers/hooks"
	"ctxfs/providers/hooks/form"
)

// OpHook answers the hook of an agent. It remembers what the agent was told, and keeps long
// outputs of the agent's own tools, as calls do.
var OpHook = fs.Op[quick.Hook, quick.Reply]{Name: quick.OpHook, Effect: fs.Reads}

// answerHook answers [OpHook]. A hook of another home, which shares the state folder, is
// told nothing.
func (t *Tree) answerHook(ctx context.Context, r quick.Hook) (quick.Reply, error) {
	if !control.Same(string(r.Home), t.opts.Places.Home) {
		return quick.Reply{}, nil
	}
	out, err := t.providers.Hooks().Answer(ctx, hooks.Query{
		Agent: string(r.Agent), Event: string(r.Event), Input: r.Input, Dir: string(r.Dir),
		Timeout: time.Duration(r.Timeout) * time.Millisecond,
	})
	if err != nil {
		t.opts.Log.Debug("a hook is not answered", "agent", string(r.Agent), "event", string(r.Event), "error", err)
		return quick.Reply{}, nil
	}
	return HookReply(out), nil
}

// HookReply returns how a hook ends, as it goes to its agent.
func HookReply(out form.Output) quick.Reply {
	return quick.Reply{Code: out.Code, Out: []byte(out.Out), Err: []byte(out.Err)}
}
