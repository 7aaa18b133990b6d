package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"ctxfs/fs/cell"
	"ctxfs/fs/form"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/rawjson"
)

// Limits on what a server may ask in one request.
const (
	maxRounds = 20              // how often it may ask
	maxAsked  = 20              // what it may ask at once
	maxShed   = 5               // how often it may ask to be asked again later
	shedDelay = 1 * time.Second // the first such delay; it doubles
)

// UnansweredError reports that the server needs an answer to go on that cannot be
// given.
type UnansweredError struct {
	Method string // what it has asked for, such as "sampling/createMessage"
	Reason string
}

func (e *UnansweredError) Error() string {
	return "the server needs an answer (" + e.Method + ") to go on: " + e.Reason
}

// reasonNoUser is the reason where questions cannot be asked, or for what ctxfs has
// not offered.
const reasonNoUser = "no user can be asked here"

// inputRounds counts how often a server has asked in one request.
type inputRounds struct {
	asked int
	shed  int
}

// next counts a round in which something is asked.
func (n *inputRounds) next(method string, questions int) error {
	n.asked++
	switch {
	case n.asked > maxRounds:
		return &UnansweredError{method, fmt.Sprintf("it has asked %d times", maxRounds)}
	case questions > maxAsked:
		return &UnansweredError{method, fmt.Sprintf("it asks for %d things at once, more than %d", questions, maxAsked)}
	}
	return nil
}

// later waits before a request that the server wants to be sent again later.
func (n *inputRounds) later(ctx context.Context) error {
	if n.shed++; n.shed > maxShed {
		return &UnansweredError{"nothing", fmt.Sprintf("it has put the request off %d times", maxShed)}
	}
	return pause(ctx, shedDelay<<(n.shed-1))
}

// pause waits.
func pause(ctx context.Context, delay time.Duration) error {
	select {
	case <-time.After(delay):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// An input request is what a server of the new era asks for in the result of a
// request of ours.
type inputRequest struct {
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// inputRequired are the members of a result that asks for more. Source: Multi
// Round-Trip Requests, specification 2026-07-28.
type inputRequired struct {
	requests map[string]inputRequest
	state    json.RawMessage // opaque, or nil
}

// readInputRequired reads a result; ok reports whether it asks for more.
func readInputRequired(result json.RawMessage) (is inputRequired, ok bool, err error) {
	if !bytes.Contains(result, []byte(mcp.ResultTypeInputRequired)) {
		return is, false, nil
	}
	rawjson.Visit(result, func(name string, value json.RawMessage) {
		switch name {
		case "resultType":
			var kind mcp.ResultType
			ok = json.Unmarshal(value, &kind) == nil && kind == mcp.ResultTypeInputRequired
		case "inputRequests":
			err = json.Unmarshal(value, &is.requests)
		case "requestState":
			is.state = value
		}
	})
	return is, ok, err
}

// giveInput returns the parameters with which to send a request again whose result
// asks for more, or nil if it does not.
func (c *Connection) giveInput(ctx context.Context, r *request, rounds *inputRounds, out Outgoing, result json.RawMessage) (map[string]any, error) {
	if c.legacy {
		return nil, nil
	}
	is, asks, err := readInputRequired(result)
	if !asks {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: what the server asks for has a wrong form: %w", out.Method, err)
	}
	params := maps.Clone(out.Params)
	delete(params, "inputResponses")
	delete(params, "requestState")
	if is.state != nil {
		params["requestState"] = is.state
	}
	if len(is.requests) == 0 {
		return params, rounds.later(ctx)
	}
	if err := rounds.next(firstMethod(is.requests), len(is.requests)); err != nil {
		return nil, err
	}
	if !r.asks() && rounds.asked > 1 {
		return nil, &UnansweredError{firstMethod(is.requests), reasonNoUser}
	}
	answers, err := c.fulfil(ctx, r, is.requests)
	if err != nil {
		return nil, err
	}
	params["inputResponses"] = answers
	return params, nil
}

// firstMethod returns the method of one of the requests.
func firstMethod(requests map[string]inputRequest) string {
	key := slices.Min(slices.Collect(maps.Keys(requests)))
	return clean.Cut(clean.Line(requests[key].Method), progressLength)
}

// fulfil answers input requests, all at once: a person may answer them in any
// order. If one cannot be answered, the others are withdrawn.
func (c *Connection) fulfil(ctx context.Context, r *request, requests map[string]inputRequest) (map[string]json.RawMessage, error) {
	asking, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	stop := context.AfterFunc(c.Context, func() { giveUp(transport.ErrTransportClosed) })
	defer stop()
	var mu sync.Mutex
	answers := make(map[string]json.RawMessage, len(requests))
	var all cell.Group
	for key, asked := range requests {
		all.Go(func() {
			answer, err := cell.Value(func() (json.RawMessage, error) { return c.fulfilOne(asking, r, asked) })
			if err != nil {
				giveUp(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			answers[key] = answer
		})
	}
	all.Wait()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err := context.Cause(asking); err != nil {
		return nil, err
	}
	return answers, nil
}

// fulfilOne answers one input request.
func (c *Connection) fulfilOne(ctx context.Context, r *request, asked inputRequest) (json.RawMessage, error) {
	method := clean.Cut(clean.Line(asked.Method), progressLength)
	switch {
	case asked.Method == string(mcp.MethodListRoots):
		if is, declared := c.roots.result(); declared {
			return is, nil
		}
		fallthrough
	case asked.Method == string(mcp.MethodSamplingCreateMessage) && c.capabilities.Sampling == nil,
		asked.Method != string(mcp.MethodSamplingCreateMessage) && asked.Method != string(mcp.MethodElicitationCreate):
		r.wanted(method, false)
		return nil, &UnansweredError{method, reasonNoUser}
	}
	q, err := parseQuestion(asked.Method, asked.Params)
	if err != nil {
		return nil, &UnansweredError{method, err.Error()}
	}
	if !r.asks() {
		r.wanted(method, false)
		answer, err := answerResult(form.Answer{Action: form.Cancel}, q.Kind)
		if err != nil {
			return nil, &UnansweredError{method, reasonNoUser}
		}
		return answer, nil
	}
	answer, err := c.put(ctx, r, q)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, &UnansweredError{method, err.Error()}
	}
	return answer, nil
}

// addresses returns what the error asks to be done at addresses before the request
// is sent again, or nil. What is not an address that can be opened is left out.
func (e *ResponseError) addresses() (all []Question) {
	var is struct {
		Elicitations []json.RawMessage `json:"elicitations"`
	}
	if e.Code != mcp.URL_ELICITATION_REQUIRED || json.Unmarshal(e.data, &is) != nil {
		return nil
	}
	for _, one := range is.Elicitations {
		if q, err := parseQuestion(string(mcp.MethodElicitationCreate), one); err == nil && q.Kind == form.AskURL {
			q.Again = true
			all = append(all, q)
		}
	}
	return all
}

// openAddresses asks what the error of a request asks for. It returns nil if
// everything was accepted, so that the request is to be sent again, and otherwise
// the error.
func (c *Connection) openAddresses(ctx context.Context, r *request, rounds *inputRounds, err error) error {
	var answered *ResponseError
	if !errors.As(err, &answered) {
		return err
	}
	all := answered.addresses()
	if len(all) == 0 {
		return err
	}
	if !r.asks() {
		r.wanted(string(mcp.MethodElicitationCreate), false)
		return err
	}
	if err := rounds.next(string(mcp.MethodElicitationCreate), len(all)); err != nil {
		return err
	}
	asking, giveUp := context.WithCancel(ctx)
	defer giveUp()
	stop := context.AfterFunc(c.Context, giveUp)
	defer stop()
	var waiting cell.Group
	for _, q := range all {
		waiting.Go(func() {
			accepted := false
			defer func() {
				if !accepted {
					giveUp() // the others are in vain
				}
			}()
			accepted = c.opened(asking, r, q)
		})
	}
	waiting.Wait()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case asking.Err() != nil:
		return err
	}
	return nil
}

// opened asks the caller to open an address, and reports whether he accepts.
func (c *Connection) opened(ctx context.Context, r *request, q Question) bool {
	if q.ID != "" {
		done, forget := c.completions.expect(q.ID)
		defer forget()
		q.Done = done
	}
	a, err := r.OnQuestion(ctx, q)
	return err == nil && a.Action == form.Accept
}
