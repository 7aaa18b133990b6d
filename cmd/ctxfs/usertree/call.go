package usertree

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"ctxfs/cmd/ctxfs/call"
	"ctxfs/cmd/ctxfs/console"
	"ctxfs/fs"
	"ctxfs/fs/form"
	"ctxfs/mounts/control"
	"ctxfs/providers/mcp/calls"
	"ctxfs/providers/mcp/policy"
	"ctxfs/providers/mcp/questions"
	"ctxfs/providers/mcp/wire"
)

// answerCall answers [call.Op], as the command line asks for it.
func (t *Tree) answerCall(ctx context.Context, request call.Request, tell func(call.News) error, reply func(call.Reply) (io.Writer, error)) error {
	answer, out := t.call(ctx, request, tell)
	answer.Size = int64(len(out))
	w, err := reply(answer)
	if err != nil {
		return err
	}
	_, err = w.Write(out)
	return err
}

// call makes a call. Out is what the command writes to standard output.
func (t *Tree) call(ctx context.Context, request call.Request, tell func(call.News) error) (reply call.Reply, out []byte) {
	usage := func(err error) (call.Reply, []byte) {
		return call.Reply{Code: console.ExitUsage, Fault: control.FaultOf(err)}, nil
	}
	line, err := parseCallLine(request.Words, t.servers.IsServer)
	if err != nil {
		return usage(err)
	}
	queue := newNews(tell)
	defer queue.close()
	var progress func(wire.Progress)
	if request.Watched {
		progress = func(p wire.Progress) {
			queue.post(call.News{Done: p.Done, Total: p.Total, Message: p.Message}, false)
		}
	}
	asked := func(q questions.Question, open bool) {
		if is := q.Shown(); open {
			queue.post(call.News{Question: &is}, true)
		} else {
			queue.post(call.News{Closed: q.ID}, true)
		}
	}
	if !request.Asks {
		asked = nil
	}
	if line.task != "" {
		return t.continueCall(ctx, line, calls.Call{Progress: progress, Asked: asked, Leave: !request.Asks})
	}
	sought := line.call(ctx, request, progress)
	sought.Timeout = line.patience()
	tool, err := t.servers.KnownTool(ctx, &sought)
	if err != nil {
		return callFault("", err), nil
	}
	if err := line.settle(tool.Schema.Has); err != nil {
		return usage(err)
	}
	if line.help {
		return call.Reply{}, callHelp(line, tool)
	}
	if len(line.args) == 0 && !tool.Schema.Empty() {
		if request.Piped {
			return call.Reply{WantsInput: true}, nil
		}
		if request.Input != nil && strings.TrimSpace(*request.Input) != "" {
			line.args = []form.Word{{Path: "standard input", Body: request.Input}}
		}
	}
	if err := tell(call.News{Begun: true, Limit: line.timeout}); err != nil {
		return callFault(line.name(), err), nil
	}
	made := line.call(ctx, request, progress)
	if line.detached {
		return t.detach(line, made)
	}
	made.Asked, made.Leave = asked, !request.Asks
	result, err := t.servers.Call(ctx, made)
	if asked := (*calls.AskedError)(nil); errors.As(err, &asked) {
		return line.askedReply(asked)
	}
	if err != nil {
		reply := callFault(line.name(), err)
		if denied := (*policy.DeniedError)(nil); errors.As(err, &denied) && denied.Confirm && tool.Schema.Has("yes") {
			// After the tool, --yes would be the tool's own argument.
			reply.Fault.Hint = fmt.Sprintf("to confirm: ctxfs call --yes %s %s", tool.Server, tool.File)
		}
		return reply, nil
	}
	return line.show(result)
}

// call returns the call that the line asks for.
func (l *callLine) call(ctx context.Context, request call.Request, progress func(wire.Progress)) calls.Call {
	limit := l.limit
	if l.whole {
		limit = -1
	}
	made := calls.Call{
		Server: l.server, Tool: l.tool, Words: l.args, Confirmed: l.yes, Limit: limit, Timeout: l.timeout, Progress: progress,
		Project: inFolder(request.Caller.Dir, l.project),
		Caller:  callerVia(ctx, cmp.Or(l.via, "command"), request.Caller),
	}
	if is := request.Project; l.project != "" && is.Dir != "" {
		made.Project, made.ProjectFolders = is.Dir, is.Folders
	}
	return made
}

// callerVia returns the caller of a call, which comes by a way of the log of calls.
func callerVia(ctx context.Context, way string, who call.Caller) calls.Caller {
	return calls.Caller{
		Via: way, Agent: who.Agent, Session: who.Session, Dir: who.Dir, PID: who.PID, Folders: who.Folders, Unknown: who.Unknown,
		Confined: fs.ConfinedIn(ctx),
	}
}

// inFolder returns a path that was written in a folder as an absolute one; "" stays
// "".
func inFolder(dir, path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// show converts a result to what the command prints: the result goes to standard
// output, an error message of the tool to standard error.
func (l *callLine) show(r *calls.Result) (reply call.Reply, out []byte) {
	reply.Aside = line(string(r.Aside))
	for _, remark := range []string{r.Misfit, r.Note} {
		if remark != "" {
			reply.Aside += "ctxfs: " + remark + "\n"
		}
	}
	switch {
	case r.Failed:
		reply.Code = console.ExitTool
	case r.Fault != "":
		reply.Code = console.ExitFailed
		reply.Fault = &control.Fault{Message: r.Fault}
	}
	switch {
	case l.whole:
		out = []byte(line(string(r.Raw)))
	case r.Failed:
		reply.Aside = line(string(r.Text)) + reply.Aside
	default:
		out = []byte(line(string(r.Text)))
	}
	return reply, out
}

// line returns a text with a newline at its end; an empty text stays empty.
func line(s string) string {
	if s == "" || strings.HasSuffix(s, "\n") {
		return s
	}
	return s + "\n"
}

// callExitCodes are the exit codes by the outcome of a call.
var callExitCodes = map[string]int{
	calls.OutcomeBadArguments: console.ExitUsage,
	calls.OutcomeDenied:       console.ExitDenied,
	calls.OutcomeNeedsAuth:    console.ExitLogin,
	calls.OutcomeUnreachable:  console.ExitUnreachable,
	calls.OutcomeTimeout:      console.ExitUnreachable,
	calls.OutcomeCancelled:    console.ExitInterrupted,
}

// callFault returns the reply to a call without a result. Command is the call
// without arguments, "" if there is no such tool.
func callFault(command string, err error) call.Reply {
	code, ok := callExitCodes[calls.Outcome(nil, err)]
	if !ok {
		code = console.ExitFailed
	}
	reply := call.Reply{Code: code, Fault: control.FaultOf(err)}
	var bad *calls.ArgumentsError
	if errors.As(err, &bad) {
		var hint []string
		if len(bad.Part) > 0 {
			hint = append(hint, strings.TrimSpace(string(bad.Part)))
		}
		if bad.Hint != "" {
			hint = append(hint, bad.Hint)
		}
		if command != "" && !bad.Project {
			hint = append(hint, "see its arguments: "+command+" --help")
		}
		reply.Fault = &control.Fault{Message: bad.What, Hint: strings.Join(hint, "\n")}
	}
	return reply
}

// name returns the command without arguments.
func (l *callLine) name() string { return fmt.Sprintf("ctxfs call %s %s", l.server, l.tool) }
