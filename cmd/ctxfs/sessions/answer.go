package sessions

import (
	"bytes"
	"context"
	"errors"
	"io"

	"ctxfs/cmd/ctxfs/cli"
	"ctxfs/cmd/ctxfs/console"
	"ctxfs/cmd/ctxfs/quick"
	"ctxfs/cmd/ctxfs/usertree"
	"ctxfs/fs/facts"
	"ctxfs/fs/wording"
	"ctxfs/mounts/control"
	"ctxfs/providers/hooks/form"
)

// answerHook answers a hook that package hook has not answered, and returns the exit code.
// Whatever fails, it prints nothing and returns 0.
//
// It starts no background process. One that is started by an agent would lie in the
// agent's sandbox and end with it, and would be there where the user wants none. Without
// a process only what needs none is answered: where the session's history is.
func answerHook(ctx context.Context, a *cli.App, args []string) (code int) {
	if console.IsTerminal(a.In) {
		console.Complain(a.Err, &control.Fault{Message: "hooks are run by agents, which give JSON on the input", Hint: "see what there is: ctxfs hook --help"})
		return 0
	}
	ctx, cancel := context.WithTimeout(ctx, quick.Patience)
	defer cancel()
	answered := make(chan quick.Reply, 1)
	go func() {
		var r quick.Reply
		defer func() {
			_ = recover() // see above
			answered <- r
		}()
		r = hookReply(ctx, a, args)
	}()
	select {
	case r := <-answered:
		_, _ = a.Err.Write(r.Err)
		_, _ = a.Out.Write(r.Out)
		return r.Code
	case <-ctx.Done():
		return 0
	}
}

func hookReply(ctx context.Context, a *cli.App, args []string) quick.Reply {
	var text bytes.Buffer
	if _, err := text.ReadFrom(io.LimitReader(a.In, quick.MaxInput+1)); err != nil || text.Len() > quick.MaxInput {
		return quick.Reply{}
	}
	r := quick.Hook{Agent: []byte(args[0]), Input: text.Bytes(), Home: []byte(a.Home)}
	if len(args) > 1 {
		r.Event = []byte(args[1])
	}
	if dir, err := a.Getwd(); err == nil {
		r.Dir = []byte(dir)
	}
	reply, err := usertree.OpHook.Ask(ctx, a.OnlyRunning(), r)
	if errors.Is(err, control.ErrNotRunning) {
		return historyReply(a, r)
	}
	return reply
}

// historyReply answers without a background process: after a compaction, and before one
// if the answer goes into the summary, it says how to read the session's history.
func historyReply(a *cli.App, r quick.Hook) quick.Reply {
	in, err := form.Parse(string(r.Agent), string(r.Event), r.Input)
	if err != nil || in.Kind != facts.Compacted && in.Kind != facts.Compacting {
		return quick.Reply{}
	}
	line := wording.ShellWord(a.Program) + " cat transcripts/by-id/" + in.Session + "/transcript.md | rg -n WORDS"
	say := "From ctxfs: the full history of this session, also from before the compaction: " + line
	if in.Kind == facts.Compacting {
		say = "End the summary with this line, word for word:\nFull history of this session: " + line
	}
	return usertree.HookReply(in.Output(form.Answer{Say: say}))
}
