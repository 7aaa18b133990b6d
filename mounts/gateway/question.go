package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"ctxfs/fs/form"
)

// pass passes the question of a call on to the client, and continues the call when it
// is answered, until there is a result. A client that cannot be asked gets the
// question as text. If asked is not nil, the client must repeat its request. An own
// call is cancelled if the client leaves.
func (g *Gateway) pass(ctx context.Context, result *Result, own bool, progress func(Progress)) (_ *Result, asked *mcp.CallToolResult, err error) {
	for result.Question != nil {
		q := *result.Question
		if !g.canAsk(ctx, q.Kind) {
			return &Result{Text: questionText(q)}, nil, nil
		}
		if server.IsModernRequest(ctx) {
			asked, err := requestFor(q, "")
			return nil, asked, err
		}
		accepted, err := g.putToClient(ctx, q)
		if err == nil && accepted && q.Again && g.canAsk(ctx, form.AskForm) {
			q.Opened = true
			_, err = g.putToClient(ctx, q)
		}
		if err != nil {
			if ctx.Err() != nil {
				g.giveUp(ctx, q.Task, own)
				return nil, nil, context.Cause(ctx)
			}
			g.log.Warn("a client has not answered a question", "client", clientOf(ctx), "error", err)
			return &Result{Text: questionText(q)}, nil, nil
		}
		result, err = g.backend.Continue(ctx, q.Task, progress)
		if ctx.Err() != nil {
			g.giveUp(ctx, q.Task, own)
		}
		if q.Kind == form.AskURL {
			g.tellDone(ctx, q)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	return result, nil, nil
}

// giveUpTime is how long it may take to cancel a call whose client has left.
const giveUpTime = 10 * time.Second

// giveUp cancels an own call of a client that has cancelled its request, or left.
func (g *Gateway) giveUp(ctx context.Context, task string, own bool) {
	if !own {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), giveUpTime)
	defer cancel()
	if err := g.backend.CancelTask(ctx, task); err != nil {
		g.log.Warn("an abandoned call was not cancelled", "task", task, "error", err)
	}
}

// canAsk reports whether the client of a request can be asked a question of a kind.
func (g *Gateway) canAsk(ctx context.Context, kind string) bool {
	can := capabilitiesOf(ctx)
	switch kind {
	case form.AskForm:
		return can.Elicitation != nil && (can.Elicitation.Form != nil || can.Elicitation.URL == nil)
	case form.AskURL:
		return can.Elicitation != nil && can.Elicitation.URL != nil
	case form.AskSampling:
		return g.samples(ctx)
	}
	return false
}

// samples reports whether the client can be asked for the answer of a language model.
func (g *Gateway) samples(ctx context.Context) bool {
	if capabilitiesOf(ctx).Sampling == nil {
		return false
	}
	s := g.stateOf(ctx)
	return server.IsModernRequest(ctx) || s != nil && s.isListening()
}

// asElicitation returns a question as the protocol asks it. Why, if it is not "", says
// what was wrong with the answer before.
func asElicitation(q form.Question, why string) mcp.ElicitationParams {
	p := mcp.ElicitationParams{Mode: mcp.ElicitationModeForm, Message: q.Server + " asks: " + q.Message, RequestedSchema: q.Schema}
	switch {
	case q.Opened:
		p.Message = q.Server + " waits until you have finished at " + q.URL + ". Accept when you have."
		p.RequestedSchema = json.RawMessage(`{"type":"object","properties":{}}`)
	case q.Kind == form.AskURL:
		p.Mode, p.RequestedSchema, p.URL, p.ElicitationID = mcp.ElicitationModeURL, nil, q.URL, q.ID
	}
	if q.Warning != "" {
		p.Message += "\n\nCareful: " + q.Warning + "."
	}
	if why != "" {
		p.Message = why + "\n\n" + p.Message
	}
	return p
}

// maxUnfit is the number of answers that do not fit after which a client is not asked
// again: it may be a program that always gives the same one.
const maxUnfit = 5

// putToClient asks a client of an older version of the protocol, until its answer
// fits or is no longer needed. Accepted reports whether the client has accepted. An
// error is that of the last of [maxUnfit] answers, too.
func (g *Gateway) putToClient(ctx context.Context, q form.Question) (accepted bool, err error) {
	asking, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		if g.backend.Answered(asking, q) == nil {
			cancel(ErrAnswered)
		}
	}()
	for why, unfits := "", 0; ; {
		a, err := g.requestAnswer(asking, q, why)
		a.ID = q.ID
		if q.Kind == form.AskURL {
			a.Content = nil // it takes no values
		}
		if err == nil {
			err = g.backend.Answer(ctx, a)
		}
		var unfit *Fault
		switch {
		case errors.Is(err, ErrAnswered), context.Cause(asking) == ErrAnswered:
			return false, nil
		case err == nil || a.Action != form.Accept || q.Kind != form.AskForm || !errors.As(err, &unfit):
			return a.Action == form.Accept, err
		}
		if unfits++; unfits == maxUnfit {
			return false, err
		}
		why = unfit.What
	}
}

// requestAnswer asks a client of an older version of the protocol.
func (g *Gateway) requestAnswer(ctx context.Context, q form.Question, why string) (form.Answer, error) {
	if q.Kind == form.AskSampling {
		var params mcp.CreateMessageParams
		if err := json.Unmarshal(q.Request, &params); err != nil {
			return form.Answer{}, err
		}
		//lint:ignore SA1019 clients of the old era can still be asked
		told, err := g.server.RequestSampling(ctx, mcp.CreateMessageRequest{CreateMessageParams: params})
		return sampled(told), err
	}
	told, err := g.server.RequestElicitation(ctx, mcp.ElicitationRequest{Params: asElicitation(q, why)})
	return elicited(told), err
}

// elicited returns the answer of a client, or nil.
func elicited(told *mcp.ElicitationResult) form.Answer {
	if told == nil {
		return form.Answer{Action: form.Cancel}
	}
	a := form.Answer{Action: string(told.Action)}
	if told.Content != nil && a.Action == form.Accept {
		a.Content, _ = json.Marshal(told.Content) // it was JSON
	}
	if string(a.Content) == "{}" { // a question without fields
		a.Content = nil
	}
	return a
}

// sampled returns the answer of a client's language model, or nil.
func sampled(told *mcp.CreateMessageResult) form.Answer {
	if told == nil {
		return form.Answer{Action: form.Decline}
	}
	content, _ := json.Marshal(told) // it was JSON
	return form.Answer{Action: form.Accept, Content: content}
}

// tellDone tells a client that what was to be done at an address is done.
func (g *Gateway) tellDone(ctx context.Context, q form.Question) {
	const method = "notifications/elicitation/complete"
	params := map[string]any{"elicitationId": q.ID}
	if c := connectionOf(ctx); c != nil {
		c.notify(method, params)
	} else if err := g.server.SendNotificationToClient(ctx, method, params); err != nil {
		g.log.Debug("a client was not told that an address is done", "error", err)
	}
}

// callState is the state of a call in a result that asks the client something.
type callState struct {
	Task     string `json:"task"`
	Question string `json:"question"`
	Kind     string `json:"kind"`
	// Opened is the question as it is asked again after it was accepted.
	Opened *form.Question `json:"opened,omitempty"`
}

// answerRequest is the name of the question among the requests that a result makes of
// a client.
const answerRequest = "answer"

// request returns a result that asks the client, which then repeats its request.
func requestFor(q form.Question, why string) (*mcp.CallToolResult, error) {
	is := callState{Task: q.Task, Question: q.ID, Kind: q.Kind}
	if q.Again && !q.Opened {
		opened := q
		opened.Opened = true
		is.Opened = &opened
	}
	state, _ := json.Marshal(is) // of our own types
	b := server.NewInputRequestBuilder(string(state))
	if q.Kind != form.AskSampling {
		return b.Elicit(answerRequest, asElicitation(q, why)).ToolResult(), nil
	}
	var params mcp.CreateMessageParams
	if err := json.Unmarshal(q.Request, &params); err != nil {
		return nil, err
	}
	return b.Sample(answerRequest, params).ToolResult(), nil
}

// repeated returns the state of a request that is repeated with the answer; nil if it
// is not.
func repeated(r mcp.CallToolRequest) *callState {
	var state callState
	if json.Unmarshal([]byte(r.Params.RequestState), &state) != nil || state.Task == "" {
		return nil
	}
	return &state
}

// repeat continues a call whose request the client has repeated with an answer.
func (g *Gateway) repeat(ctx context.Context, r mcp.CallToolRequest, is *callState, progress func(Progress)) (*Result, *mcp.CallToolResult, error) {
	var a form.Answer
	if told := server.SamplingResponse(r.Params.InputResponses, answerRequest); told != nil && told.Model != "" {
		a = sampled(told)
	} else {
		a = elicited(server.ElicitationResponse(r.Params.InputResponses, answerRequest))
	}
	if is.Kind == form.AskURL {
		a.Content = nil // it takes no values
	}
	a.ID = is.Question
	err := g.backend.Answer(ctx, a)
	if err == nil && a.Action == form.Accept && is.Opened != nil && g.canAsk(ctx, form.AskForm) {
		asked, err := requestFor(*is.Opened, "")
		return nil, asked, err
	}
	unfit := (*Fault)(nil)
	result, continued := g.backend.Continue(ctx, is.Task, progress)
	if errors.As(err, &unfit) && continued == nil && result.Question != nil && result.Question.ID == is.Question {
		asked, err := requestFor(*result.Question, unfit.What)
		return nil, asked, err
	}
	return result, nil, continued
}

// written returns the answer that an agent has written as arguments.
func written(id string, answer json.RawMessage, decline bool) form.Answer {
	if decline {
		return form.Answer{ID: id, Action: form.Decline}
	}
	if strings.TrimSpace(string(answer)) == "{}" { // a question without fields
		answer = nil
	}
	return form.Answer{ID: id, Action: form.Accept, Content: answer}
}

// text returns the question for an agent whose client cannot ask its user.
func questionText(q form.Question) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s asks before it goes on (question %s, until %s): %s\n", q.Server, q.ID, q.Until.UTC().Format(time.RFC3339), strings.TrimSpace(q.Message))
	if q.Warning != "" {
		fmt.Fprintf(&b, "Careful: %s.\n", q.Warning)
	}
	goOn := object("continue", q.Task)
	answer := json.RawMessage("{}")
	switch q.Kind {
	case form.AskForm:
		fmt.Fprintf(&b, "Fields: %s\n", fieldsText(q.Fields))
		answer = json.RawMessage(`{"FIELD":VALUE}`)
	case form.AskURL:
		fmt.Fprintf(&b, "Address for your user to open: %s\n", q.URL)
	}
	if q.Opened {
		fmt.Fprintf(&b, "It waits for the server to say that this is done. To get the result: call %s", goOn)
		return b.String()
	}
	fmt.Fprintf(&b, "Ask your user, then: call {\"continue\":%q,\"answer\":%s}, or to decline: call {\"continue\":%[1]q,\"decline\":true}. That returns the result.\n", q.Task, answer)
	fmt.Fprintf(&b, "If it is answered elsewhere: call %s", goOn)
	return b.String()
}
