package calls

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/rawjson" // Content is a part of a resource or of a message of a prompt.
)

type Content struct {
	// Role is the role of a message: "user" or "assistant".
	Role string `json:"role,omitempty"`
	URI  string `json:"uri,omitempty"`
	// MIMEType is what the server says, or "".
	MIMEType string `json:"mimeType,omitempty"`
	Text     string `json:"text,omitempty"` // without control characters
	// Blob is binary content, or nil.
	Blob []byte `json:"blob,omitempty"`
}

// Reading is the answer to a request for a resource or a prompt.
type Reading struct {
	Description string    `json:"description,omitempty"`
	Contents    []Content `json:"contents"`
	// Raw is the whole result as the server sent it.
	Raw json.RawMessage `json:"raw"`
}

// ResourceReading reads the result of a request for a resource.
func ResourceReading(raw json.RawMessage) (*Reading, error) {
	var result struct{ Contents []wireResource }
	if err := json.Unmarshal(raw, &result); err != nil {
		return nil, fmt.Errorf("resources/read: the result has a wrong form: %w", err)
	}
	r := &Reading{Raw: raw, Contents: []Content{}}
	for _, c := range result.Contents {
		r.Contents = append(r.Contents, c.content())
	}
	return r, nil
}

// wireResource is the content of a resource as the server sends it.
type wireResource struct {
	URI, MIMEType, Text string
	Blob                []byte
}

func (w wireResource) content() Content {
	return Content{URI: clean.Line(w.URI), MIMEType: clean.Line(w.MIMEType), Text: clean.Text(w.Text), Blob: w.Blob}
}

// wireContent is a part of a message as the server sends it: a text, an image or
// audio, a resource, or a link to one.
type wireContent struct {
	Type, Text, MIMEType, URI, Name string
	Data                            []byte
	Resource                        wireResource
}

func (w wireContent) content() Content {
	switch w.Type {
	case "resource":
		return w.Resource.content()
	case "resource_link":
		return Content{URI: clean.Line(w.URI), MIMEType: clean.Line(w.MIMEType), Text: clean.Line(strings.TrimSpace(w.Name + " " + w.URI))}
	}
	return Content{MIMEType: clean.Line(w.MIMEType), Text: clean.Text(w.Text), Blob: w.Data}
}

// PromptReading reads the result of a request for a prompt.
func PromptReading(raw json.RawMessage) (*Reading, error) {
	var result struct {
		Description string
		Messages    []struct {
			Role    string
			Content wireContent
		}
	}
	if err := json.Unmarshal(raw, &result); err != nil {
		return nil, fmt.Errorf("prompts/get: the result has a wrong form: %w", err)
	}
	r := &Reading{Raw: raw, Description: clean.Line(result.Description), Contents: []Content{}}
	for _, m := range result.Messages {
		c := m.Content.content()
		c.Role = clean.Line(m.Role)
		r.Contents = append(r.Contents, c)
	}
	return r, nil
}

// callResult is the result of a call as the server sent it.
type callResult struct {
	content    []json.RawMessage
	structured json.RawMessage
	failed     bool
	inputs     json.RawMessage // what the tool asks for first; nil where it asks for nothing
}

var errForm = errors.New("tools/call: the result has a wrong form")

func readCallResult(raw json.RawMessage) (r callResult, err error) {
	if !bytes.HasPrefix(bytes.TrimSpace(raw), []byte("{")) {
		return r, errForm
	}
	whole := rawjson.Visit(raw, func(name string, value json.RawMessage) {
		switch name {
		case "content":
			if string(value) != "null" && value[0] != '[' {
				err = errForm // nothing of it would be shown
			}
			for _, block := range rawjson.Parts(value) {
				r.content = append(r.content, block)
			}
		case "structuredContent":
			if string(value) != "null" {
				r.structured = value
			}
		case "isError":
			r.failed = string(value) == "true"
		case "resultType":
			if string(value) == `"input_required"` && r.inputs == nil {
				r.inputs = json.RawMessage("{}")
			}
		case "inputRequests":
			r.inputs = value
		}
	})
	if !whole {
		err = errForm
	}
	return r, err
}

// wantsInput returns the error of a result that asks for input first.
func (r callResult) wantsInput(file string) error {
	var asked []string
	for _, request := range rawjson.Parts(r.inputs) {
		var is struct {
			Method string
			Params struct{ Message string }
		}
		if json.Unmarshal(request, &is) == nil {
			asked = append(asked, strings.TrimSpace(clean.Line(is.Method+" "+is.Params.Message)))
		}
	}
	if len(asked) == 0 {
		return &UseError{Server: file, What: "the server is too busy for the call", Mend: "call again later"}
	}
	return &UseError{
		Server: file,
		What:   "the tool asks for input (" + clean.Cut(strings.Join(asked, ", "), 1000) + "), which a call cannot give",
		Mend:   "give it as an argument if the tool takes it as one, or use a client that asks its user",
	}
}
