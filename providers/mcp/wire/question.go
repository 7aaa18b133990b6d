package wire

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"ctxfs/fs/form"
	"ctxfs/providers/internal/clean"
)

// Question is what a server asks back while it works on a request.
type Question struct {
	Kind    string
	Message string          // what it asks for, as the server wrote it
	Schema  json.RawMessage // of AskForm: the JSON Schema of the answer, an object
	URL     string          // of AskURL
	ID      string          // of AskURL: how the server names it when it is done, "" if it does not
	Request json.RawMessage // of AskSampling: the parameters of sampling/createMessage

	// Done is closed when the server says that what AskURL asked for is done at
	// its address. It is nil if the server cannot say so.
	Done <-chan struct{}
	// Again reports that the request has failed for want of what AskURL asks for: the
	// answer [form.Accept] sends it again. So it is best given when Done is closed, or
	// when the user says so. Otherwise Accept only means that the user opens the
	// address, and the server waits by itself.
	Again bool
	// Uncertain reports that several requests waited when the server asked, and that
	// it has not said which of them it needs the answer for: this one began last.
	Uncertain bool
}

// Limits on what a server may ask. What is beyond them is refused without being
// asked.
const (
	maxForm     = 1 << 20  // the parameters of elicitation/create, in bytes
	maxSampling = 16 << 20 // those of sampling/createMessage, which may hold images
	maxAddress  = 8 << 10  // a URL, in bytes
)

// parseQuestion reads the parameters of elicitation/create or
// sampling/createMessage. The error is for the server and for the caller.
func parseQuestion(method string, params json.RawMessage) (q Question, err error) {
	limit := maxForm
	if method == string(mcp.MethodSamplingCreateMessage) {
		limit = maxSampling
	}
	if len(params) > limit {
		return q, fmt.Errorf("the question is longer than %d MiB", limit>>20)
	}
	if method == string(mcp.MethodSamplingCreateMessage) {
		var is struct {
			Messages []json.RawMessage `json:"messages"`
		}
		if json.Unmarshal(params, &is) != nil || len(is.Messages) == 0 {
			return q, fmt.Errorf("the request for a model's answer has no messages")
		}
		return Question{Kind: form.AskSampling, Request: params}, nil
	}
	var is struct {
		Mode    string          `json:"mode"`
		Message string          `json:"message"`
		Schema  json.RawMessage `json:"requestedSchema"`
		URL     string          `json:"url"`
		ID      string          `json:"elicitationId"`
	}
	if err := json.Unmarshal(params, &is); err != nil {
		return q, fmt.Errorf("the question has a wrong form: %w", err)
	}
	switch cmp.Or(is.Mode, form.AskForm) {
	case form.AskForm:
		if len(is.Schema) == 0 || string(is.Schema) == "null" {
			is.Schema = json.RawMessage(`{"type":"object","properties":{}}`) // nothing but whether the user agrees
		}
		return Question{Kind: form.AskForm, Message: is.Message, Schema: is.Schema}, nil
	case form.AskURL:
		if _, err := WebAddress(is.URL); err != nil {
			return q, err
		}
		return Question{Kind: form.AskURL, Message: is.Message, URL: is.URL, ID: is.ID}, nil
	}
	return q, fmt.Errorf("the mode %q of the question is unknown", clean.Cut(clean.Line(is.Mode), 40))
}

// WebAddress parses an address that is to be opened. It refuses what a browser would not
// open as a page, such as a script or a file of the user.
func WebAddress(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	switch {
	case len(address) > maxAddress:
		return nil, fmt.Errorf("the address is longer than %d KiB", maxAddress>>10)
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return nil, errors.New("the address is not a URL with http or https")
	case clean.Line(address) != address || strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r == 0x7f }):
		return nil, errors.New("the address holds control characters or spaces")
	}
	return u, nil
}

// errRefused is the code of an answer that says that the user has declined: the
// specification has it for sampling.
const errRefused = -1

// refusal is an answer that is an error.
type refusal struct {
	code int
	text string
}

func (e *refusal) Error() string { return e.text }

// put asks the caller of a request a question, and returns the result for the
// server, or a refusal. It ends with ctx.
func (c *Connection) put(ctx context.Context, r *request, q Question) (json.RawMessage, error) {
	if q.Kind == form.AskURL && q.ID != "" {
		done, forget := c.completions.expect(q.ID)
		context.AfterFunc(r.ctx, forget) // it may be done after the answer
		q.Done = done
	}
	a, err := r.OnQuestion(ctx, q)
	if err != nil && ctx.Err() == nil {
		return nil, &refusal{mcp.INTERNAL_ERROR, clean.Cut(clean.Line("the question could not be answered: "+err.Error()), progressLength)}
	}
	if err != nil {
		a = form.Answer{Action: form.Cancel}
	}
	return answerResult(a, q.Kind)
}

// answerResult returns an answer as the result of the server's request.
func answerResult(a form.Answer, kind string) (json.RawMessage, error) {
	is := struct {
		Action  string          `json:"action"`
		Content json.RawMessage `json:"content,omitempty"`
	}{Action: a.Action}
	switch {
	case a.Action != form.Accept && a.Action != form.Decline && a.Action != form.Cancel:
		return nil, &refusal{mcp.INTERNAL_ERROR, "the question could not be answered"}
	case kind == form.AskSampling && a.Action != form.Accept:
		return nil, &refusal{errRefused, "the user has not approved the request for a model's answer"}
	case kind == form.AskSampling && len(a.Content) > 0:
		return a.Content, nil
	case kind == form.AskSampling:
		return nil, &refusal{mcp.INTERNAL_ERROR, "the model has given no answer"}
	case kind == form.AskForm && a.Action == form.Accept:
		is.Content = a.Content
		if len(is.Content) == 0 {
			is.Content = json.RawMessage("{}")
		}
	}
	return json.Marshal(is)
}
