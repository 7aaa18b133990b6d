package usertree

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"ctxfs/cmd/ctxfs/call"
	"ctxfs/cmd/ctxfs/console"
	"ctxfs/fs/form"
	"ctxfs/fs/wording"
	"ctxfs/mounts/control"
	"ctxfs/providers/mcp/calls"
	"ctxfs/providers/mcp/questions"
)

// answerQuestion answers [call.OpAnswer]. The fault of a question that is open no more
// says that it is missing; any other is one of the answer.
func (t *Tree) answerQuestion(_ context.Context, a form.Answer) (form.Question, error) {
	q, err := t.servers.Answer(a.ID, a)
	if err != nil {
		fault := *control.FaultOf(err)
		_, gone := t.servers.Questions(a.ID)
		fault.Missing = gone != nil
		return form.Question{}, &fault
	}
	return q.Shown(), nil
}

// askedReply returns the reply to a call whose server asks something, of a caller that
// cannot be asked.
func (l *callLine) askedReply(e *calls.AskedError) (call.Reply, []byte) {
	q := e.Question
	hint := []string{"answer it: " + q.Answer + "  (or decline: " + q.Decline + ")"}
	hint = append(hint, "then get the result: ctxfs call --continue "+e.Task)
	switch q.Kind {
	case form.AskForm:
		if help := strings.TrimRight(q.Help(), "\n"); help != "" {
			hint = append(hint, strings.ReplaceAll(help, "\n\n", "\n"))
		}
	case form.AskURL:
		hint = append([]string{"open (" + q.Host + "): " + q.URL}, hint...)
	}
	if q.Warning != "" {
		hint = append(hint, "careful: "+q.Warning)
	}
	asks := map[string]string{form.AskForm: "asks", form.AskURL: "asks to open an address", form.AskSampling: "wants a language model to answer"}[q.Kind]
	reply := call.Reply{Code: console.ExitAsked, Fault: &control.Fault{
		Message: fmt.Sprintf("question %s: %s %s before %s goes on, until %s: %s", q.ID, q.Server, asks, q.Tool, wording.Time(q.Until), oneLine(q.Message)),
		Hint:    strings.Join(hint, "\n"),
	}}
	if !l.whole {
		return reply, nil
	}
	return reply, asJSON(struct {
		Question questions.Question `json:"question"`
		Task     string             `json:"task"`
	}{q, e.Task})
}

// maxMessage is the most bytes of a server's message in a line.
const maxMessage = 500

func oneLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > maxMessage {
		text = strings.ToValidUTF8(text[:maxMessage], "") + "…"
	}
	return text
}

// asJSON returns a value as lines of JSON.
func asJSON(value any) []byte {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	_ = enc.Encode(value) // a buffer takes everything, and what is encoded is ours
	return out.Bytes()
}

// detach makes a call that goes on without its caller, and prints the ID of its task.
func (t *Tree) detach(l *callLine, c calls.Call) (call.Reply, []byte) {
	task, err := t.servers.Detach(c)
	if err != nil {
		return callFault(l.name(), err), nil
	}
	if l.whole {
		return call.Reply{}, asJSON(task)
	}
	return call.Reply{}, []byte(task.ID + "\n")
}

// continueCall waits for the result of a task, or for what its server asks, and
// replies what the call itself would have.
func (t *Tree) continueCall(ctx context.Context, l *callLine, c calls.Call) (call.Reply, []byte) {
	if l.timeout > 0 {
		late := fmt.Errorf("task %s is still under way after %v", l.task, l.timeout)
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, l.timeout, late)
		defer cancel()
	}
	result, err := t.servers.Continue(ctx, l.task, c)
	if asked := (*calls.AskedError)(nil); errors.As(err, &asked) {
		return l.askedReply(asked)
	}
	if l.timeout > 0 && errors.Is(err, context.DeadlineExceeded) && ctx.Err() != nil {
		return call.Reply{Code: console.ExitUnreachable, Fault: &control.Fault{
			Message: context.Cause(ctx).Error(), Hint: "wait on: ctxfs call --continue " + l.task + "\nor cancel it: ctxfs tasks cancel " + l.task,
		}}, nil
	}
	if err != nil {
		return callFault("", err), nil
	}
	return l.show(result)
}

// checkTask returns what is wrong with a line that names a task.
func (l *callLine) checkTask(named []string) error {
	switch first := strings.Join(append(named, texts(l.args)...), " "); {
	case l.task != "" && first != "":
		return badLine(fmt.Errorf("--continue takes the ID of a task and no tool or arguments, so %q is too much", first))
	case l.task != "" && (l.detached || l.yes || l.limit != 0 || l.project != ""):
		return badLine(errors.New("--continue goes on with a call that is made already: give it --json or --timeout at most"))
	}
	return nil
}

func texts(words []form.Word) (all []string) {
	for _, w := range words {
		all = append(all, w.Text)
	}
	return all
}
