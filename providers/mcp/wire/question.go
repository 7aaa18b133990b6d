package wire

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"ctxfs/providers/internal/clean"
)

// The kinds of a [Question].
const (
	AskForm     = "form"     // values for the fields of a schema
	AskURL      = "url"      // to do something at an address, such as logging in
	AskSampling = "sampling" // the answer of a language model
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
	// Again says that the request has failed for want of what AskURL asks for: the
	// answer [Accept] sends it again. So it is best given when Done is closed, or
	// when the user says so. Otherwise Accept only means that the user opens the
	// address, and the server waits by itself.
	Again bool
	// Uncertain says that several requests waited when the server asked, and that
	// it has not said which of them it needs the answer for: this one began last.
	Uncertain bool
}

// The actions of an [Answer].
const (
	Accept  = "accept"
	Decline = "decline" // the user does not want to
	Cancel  = "cancel"  // nobody has decided
)

// Answer is the answer to a [Question].
type Answer struct {
	Action string
	// Content is the answer's content if Action is Accept: an object with the
	// fields of AskForm, the result of AskSampling, nothing of AskURL.
	Content json.RawMessage
}

// Limits on what a server may ask. What is beyond them is refused, and nobody is
// asked.
const (
	maxForm     = 1 << 20  // the parameters of elicitation/create, in bytes
	maxSampling = 16 << 20 // those of sampling/createMessage, which may hold images
	maxFields   = 500      // of a form
	maxNesting  = 32       // of the schema of a form; one is two or three levels deep
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
		return Question{Kind: AskSampling, Request: params}, nil
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
	switch cmp.Or(is.Mode, AskForm) {
	case AskForm:
		if len(is.Schema) == 0 || string(is.Schema) == "null" {
			is.Schema = json.RawMessage(`{"type":"object","properties":{}}`) // nothing but whether the user agrees
		}
		if err := checkForm(is.Schema); err != nil {
			return q, err
		}
		return Question{Kind: AskForm, Message: is.Message, Schema: is.Schema}, nil
	case AskURL:
		if err := checkAddress(is.URL); err != nil {
			return q, err
		}
		return Question{Kind: AskURL, Message: is.Message, URL: is.URL, ID: is.ID}, nil
	}
	return q, fmt.Errorf("the mode %q of the question is unknown", clean.Cut(clean.Line(is.Mode), 40))
}

// checkAddress refuses what a browser would not open as a page, such as a script
// or a file of the user.
func checkAddress(address string) error {
	u, err := url.Parse(address)
	switch {
	case len(address) > maxAddress:
		return fmt.Errorf("the address is longer than %d KiB", maxAddress>>10)
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return fmt.Errorf("the address is not a URL with http or https")
	case strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r == 0x7f }):
		return fmt.Errorf("the address holds control characters or spaces")
	}
	return nil
}

// checkForm refuses a schema that no form can be made of. The protocol allows
// objects with fields of primitive types; other schemas that can be answered are
// tolerated.
func checkForm(schema json.RawMessage) error {
	var is struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	var whole map[string]any
	if json.Unmarshal(schema, &whole) != nil || whole == nil || json.Unmarshal(schema, &is) != nil {
		return fmt.Errorf("the schema of the form is not an object with properties")
	}
	if n := len(is.Properties); n > maxFields {
		return fmt.Errorf("the form has %d fields, more than %d", n, maxFields)
	}
	return (&references{of: map[string][]string{}}).check(whole)
}

// references are the references of a schema, by the part of the schema that they
// are in: "" or a definition.
type references struct {
	of map[string][]string
}

// check refuses a schema that is nested too deeply, refers to itself, or to
// something outside.
func (r *references) check(schema map[string]any) error {
	for _, key := range []string{"$defs", "definitions"} {
		parts, _ := schema[key].(map[string]any)
		for name, part := range parts {
			if err := r.gather("#/"+key+"/"+name, part, 0); err != nil {
				return err
			}
		}
	}
	for key, value := range schema {
		if key == "$defs" || key == "definitions" {
			continue
		}
		if err := r.gather("", value, 0); err != nil {
			return err
		}
	}
	if ref, ok := schema["$ref"].(string); ok {
		r.of[""] = append(r.of[""], ref)
	}
	return r.follow("", map[string]bool{})
}

// gather collects the references in a part of the schema.
func (r *references) gather(part string, value any, depth int) error {
	if depth > maxNesting {
		return fmt.Errorf("the schema of the form is nested too deeply")
	}
	switch is := value.(type) {
	case map[string]any:
		for key, value := range is {
			if ref, ok := value.(string); ok && strings.HasSuffix(strings.ToLower(key), "ref") && strings.HasPrefix(key, "$") {
				r.of[part] = append(r.of[part], ref)
			}
			if err := r.gather(part, value, depth+1); err != nil {
				return err
			}
		}
	case []any:
		for _, value := range is {
			if err := r.gather(part, value, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// follow refuses references that lead back to where they come from. A part is
// followed once: done holds whether one that was begun has been finished.
func (r *references) follow(part string, done map[string]bool) error {
	done[part] = false
	for _, ref := range r.of[part] {
		if !strings.HasPrefix(ref, "#/$defs/") && !strings.HasPrefix(ref, "#/definitions/") {
			return fmt.Errorf("the schema of the form refers to %q", clean.Cut(clean.Line(ref), 80))
		}
		finished, begun := done[ref]
		if begun && !finished {
			return fmt.Errorf("the schema of the form refers to itself")
		}
		if !begun {
			if err := r.follow(ref, done); err != nil {
				return err
			}
		}
	}
	done[part] = true
	return nil
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
	if q.Kind == AskURL && q.ID != "" {
		done, forget := c.completions.expect(q.ID)
		context.AfterFunc(r.ctx, forget) // it may be done after the answer
		q.Done = done
	}
	a, err := r.OnQuestion(ctx, q)
	if err != nil && ctx.Err() == nil {
		return nil, &refusal{mcp.INTERNAL_ERROR, clean.Cut(clean.Line("the question could not be answered: "+err.Error()), progressLength)}
	}
	if err != nil {
		a = Answer{Action: Cancel}
	}
	return a.result(q.Kind)
}

// result returns the answer as the result of the server's request.
func (a Answer) result(kind string) (json.RawMessage, error) {
	is := struct {
		Action  string          `json:"action"`
		Content json.RawMessage `json:"content,omitempty"`
	}{Action: a.Action}
	switch {
	case a.Action != Accept && a.Action != Decline && a.Action != Cancel:
		return nil, &refusal{mcp.INTERNAL_ERROR, "the question could not be answered"}
	case kind == AskSampling && a.Action != Accept:
		return nil, &refusal{errRefused, "the user has not approved the request for a model's answer"}
	case kind == AskSampling && len(a.Content) > 0:
		return a.Content, nil
	case kind == AskSampling:
		return nil, &refusal{mcp.INTERNAL_ERROR, "the model has given no answer"}
	case kind == AskForm && a.Action == Accept:
		is.Content = a.Content
		if len(is.Content) == 0 {
			is.Content = json.RawMessage("{}")
		}
	}
	return json.Marshal(is)
}
