package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/nearest"
	"ctxfs/providers/mcp/catalogue"
	"ctxfs/providers/mcp/wire"
)

// Content is a part of a resource or of a prompt's message.
type Content struct {
	// Role is that of a message: "user" or "assistant".
	Role string `json:"role,omitempty"`
	URI  string `json:"uri,omitempty"`
	// MIMEType is as the server says; "" where it does not.
	MIMEType string `json:"mimeType,omitempty"`
	Text     string `json:"text,omitempty"` // without control characters
	// Blob are the bytes of what is no text, or nil.
	Blob []byte `json:"blob,omitempty"`
}

// Reading is what a server has answered.
type Reading struct {
	Description string    `json:"description,omitempty"`
	Contents    []Content `json:"contents"`
	// Raw is the whole result as it came.
	Raw json.RawMessage `json:"raw"`
}

// ReadResource asks a server, named as Restart names it, for a resource: by
// its URI, one that a template describes included, or by the name of its file
// in the folder resources.
func (p *Provider) ReadResource(ctx context.Context, server, uri string) (*Reading, error) {
	return p.ask(ctx, server, catalogue.ResourceFolder, uri, func(session *Session, uri string) (*Reading, error) {
		return readResource(ctx, session, uri)
	})
}

func readResource(ctx context.Context, session *Session, uri string) (*Reading, error) {
	raw, err := session.Request(ctx, "resources/read", map[string]any{"uri": uri})
	if err != nil {
		return nil, err
	}
	return resourceReading(raw)
}

// resourceReading is the result of a request for a resource.
func resourceReading(raw json.RawMessage) (*Reading, error) {
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

// GetPrompt asks a server, named as Restart names it, for a prompt, by its name
// or that of its file in the folder prompts.
func (p *Provider) GetPrompt(ctx context.Context, server, prompt string, args map[string]string) (*Reading, error) {
	return p.ask(ctx, server, catalogue.PromptFolder, prompt, func(session *Session, name string) (*Reading, error) {
		params := map[string]any{"name": name}
		if len(args) > 0 {
			params["arguments"] = args
		}
		raw, err := session.Request(ctx, "prompts/get", params)
		if err != nil {
			return nil, err
		}
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
	})
}

// ask uses a server for something that stands in one of its folders. Where the
// server does not know it, the error names what was probably meant.
func (p *Provider) ask(ctx context.Context, server string, folder catalogue.Folder, what string, request func(*Session, string) (*Reading, error)) (*Reading, error) {
	session, err := p.Use(ctx, server, Waiting{})
	if err != nil {
		return nil, err
	}
	defer session.Release()
	file, known := session.s.known(folder)
	meant := what
	if original, ok := known[what]; ok {
		meant = original
	}
	r, err := request(session, meant)
	if fault := (*UseError)(nil); errors.As(err, &fault) && errors.As(err, new(*wire.AnsweredError)) {
		fault.Mend = "see what there is: ctxfs ls mcps/" + file + "/" + folder.Name()
		var words []string
		for name, original := range known {
			if original == meant { // it is there: something else is wrong
				fault.Mend = "see what it wants: ctxfs cat mcps/" + file + "/" + folder.Name() + "/" + name + ".json"
				return nil, fault
			}
			words = append(words, original)
		}
		if near := nearest.Of(what, words); near != "" {
			fault.Mend = fmt.Sprintf("did you mean %q?", clean.Line(near))
		}
	}
	return r, err
}

// known are the URIs or names of what is in a folder of the server, by the
// names of their files. What a template describes has none.
func (s *server) known(folder catalogue.Folder) (file string, known map[string]string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	known = make(map[string]string)
	if s.shown == nil {
		return s.file, known
	}
	for _, i := range s.shown.Sections[folder].Items {
		var shown struct{ URI, Name string }
		if json.Unmarshal(i.Body, &shown) != nil {
			continue
		}
		switch {
		case folder != catalogue.ResourceFolder:
			known[i.File] = i.Name
		case shown.URI != "":
			known[i.File] = shown.URI
		}
	}
	return s.file, known
}

// wireResource is the content of a resource as it comes.
type wireResource struct {
	URI, MIMEType, Text string
	Blob                []byte
}

func (w wireResource) content() Content {
	return Content{URI: clean.Line(w.URI), MIMEType: clean.Line(w.MIMEType), Text: clean.Text(w.Text), Blob: w.Blob}
}

// wireContent is a part of a message as it comes: a text, a picture or a sound,
// a resource, or a link to one.
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
