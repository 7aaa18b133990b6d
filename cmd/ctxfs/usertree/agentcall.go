package usertree

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"

	"ctxfs/cmd/ctxfs/call"
	"ctxfs/fs"
	"ctxfs/mounts/control"
	"ctxfs/mounts/gateway"
	"ctxfs/providers/mcp/calls"
	"ctxfs/providers/mcp/policy"
	"ctxfs/providers/mcp/questions"
	"ctxfs/providers/mcp/wire"
)

// OpAgentCall calls a tool for an agent that uses a gateway. The first message,
// without progress, says that the call has started.
var OpAgentCall = fs.Talk[AgentCall, AgentNews, AgentReply]{Name: "gateway-call", Effect: fs.Depends}

// AgentCall is a call as a gateway asks for it.
type AgentCall struct {
	Server    string          `json:"server"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Confirmed bool            `json:"confirmed,omitempty"`
	// Project is the folder that the gateway's user or the client names, or "".
	Project string `json:"project,omitempty"`
	// Caller is the client, where the gateway stands.
	Caller call.Caller `json:"caller"`
	// Samples reports that the client can answer for a language model.
	Samples bool `json:"samples,omitempty"`
	// Task is the ID of a task to go on with, instead of a call.
	Task string `json:"task,omitempty"`
}

// AgentNews is sent before the reply.
type AgentNews struct {
	Progress *gateway.Progress `json:"progress,omitempty"`
}

// AgentReply is the result of a call, or why it has no result, worded for an agent.
type AgentReply struct {
	Result *gateway.Result `json:"result,omitempty"`
	Fault  *gateway.Fault  `json:"fault,omitempty"`
}

// answerAgentCall answers [OpAgentCall].
func (t *Tree) answerAgentCall(ctx context.Context, request AgentCall, tell func(AgentNews) error, reply func(AgentReply) (io.Writer, error)) error {
	if err := tell(AgentNews{}); err != nil {
		return err
	}
	queue := newNews(tell)
	made := calls.Call{
		Server: request.Server, Tool: request.Tool, Arguments: request.Arguments, Confirmed: request.Confirmed,
		Project: request.Project,
		Wanted:  t.providers.Finder().Wanted(request.Caller.PID),
		Caller:  callerVia(ctx, "gateway", request.Caller),
		Progress: func(p wire.Progress) {
			queue.post(AgentNews{&gateway.Progress{Done: p.Done, Total: p.Total, Message: p.Message}}, false)
		},
		Leave: true, Samples: request.Samples,
	}
	var r *calls.Result
	var err error
	if request.Task != "" {
		r, err = t.servers.Continue(ctx, request.Task, made)
	} else {
		r, err = t.servers.Call(ctx, made)
	}
	queue.close()
	var answer AgentReply
	if asked := (*calls.AskedError)(nil); errors.As(err, &asked) {
		q := asked.Question.Shown()
		q.Task = asked.Task
		answer.Result = &gateway.Result{Question: &q}
	} else if err != nil {
		answer.Fault = agentFault(err)
	} else {
		answer.Result = agentResult(r)
		// An agent knows paths in the tree, not those on disk.
		answer.Result.Text = strings.ReplaceAll(answer.Result.Text, t.resultsFolder()+"/", "results/")
	}
	_, err = reply(answer)
	return err
}

// OpAnswered waits until a question of a task needs no answer any more.
var OpAnswered = fs.Op[QuestionQuery, fs.None]{Name: "answered", Slow: true, Effect: fs.Reads}

// QuestionQuery names a question of a task.
type QuestionQuery struct {
	ID     string `json:"id"`
	Task   string `json:"task"`
	Opened bool   `json:"opened,omitempty"` // it was known to be
}

// awaitAnswer answers [OpAnswered].
func (t *Tree) awaitAnswer(ctx context.Context, q QuestionQuery) (fs.None, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	answered := errors.New("answered")
	if is, err := t.servers.Questions(q.ID); err != nil || len(is) > 0 && is[0].Opened != q.Opened {
		return fs.None{}, nil
	}
	_, err := t.servers.Continue(ctx, q.Task, calls.Call{Asked: func(is questions.Question, open bool) {
		if is.ID == q.ID && (!open || is.Opened != q.Opened) {
			cancel(answered)
		}
	}})
	if context.Cause(ctx) == answered || err == nil { // it has ended
		return fs.None{}, nil
	}
	return fs.None{}, err
}

// maxMedia is the size in bytes, as JSON, of the images and sounds of a result that
// are passed to an agent; all of them are files as well.
const maxMedia = 8 << 20

// agentResult returns a result for an agent: the text, remarks on it, and images and
// sounds as the tool returned them.
func agentResult(r *calls.Result) *gateway.Result {
	result := &gateway.Result{Failed: r.Failed, Text: string(r.Text), Misfit: r.Misfit, Note: r.Note}
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

// agentFault describes why a call has no result, for an agent without a shell.
func agentFault(err error) *gateway.Fault {
	var (
		bad    *calls.ArgumentsError
		denied *policy.DeniedError
	)
	switch {
	case errors.As(err, &bad):
		var fix []string
		if bad.Hint != "" {
			fix = append(fix, bad.Hint)
		}
		if len(bad.Part) > 0 {
			fix = append(fix, strings.TrimSpace(string(bad.Part)))
		}
		if len(fix) == 0 && !bad.Project {
			fix = append(fix, "see what there is: find, or list mcps")
		}
		return &gateway.Fault{What: bad.What, Mend: strings.Join(fix, "\n")}
	case errors.As(err, &denied) && denied.Confirm:
		return &gateway.Fault{What: denied.What, Mend: `to confirm, call it again with "yes": true`}
	}
	return FaultForAgent(control.FaultOf(err))
}

// FaultForAgent converts a fault for an agent without a shell: the fix, which is
// usually a command, is left to its user, except that of a misspelt path.
func FaultForAgent(f *control.Fault) *gateway.Fault {
	fault := &gateway.Fault{What: f.Message, Missing: f.Missing}
	switch {
	case f.Missing: // another path to read, which is the agent's own affair
		fault.Mend = f.Hint
	case f.Hint != "":
		fault.Mend = "what your user can do: " + f.Hint
	}
	return fault
}
