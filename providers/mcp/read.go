package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/nearest"
	"ctxfs/providers/mcp/calls"
	"ctxfs/providers/mcp/catalogue"
	"ctxfs/providers/mcp/instance"
	"ctxfs/providers/mcp/wire"
)

// ReadResource reads a resource of a server, named as in Restart: by its URI, which
// may match a template, or by the name of its file in the folder resources. Errors
// are [*calls.UseError] and those of ctx.
func (p *Provider) ReadResource(ctx context.Context, name, uri string) (*calls.Reading, error) {
	return p.ask(ctx, name, catalogue.ResourceFolder, uri, func(_ *server, session *instance.Session, uri string) (*calls.Reading, error) {
		return readResource(ctx, session, uri)
	})
}

func readResource(ctx context.Context, session *instance.Session, uri string) (*calls.Reading, error) {
	raw, err := session.Request(ctx, "resources/read", map[string]any{"uri": uri})
	if err != nil {
		return nil, err
	}
	return calls.ResourceReading(raw)
}

// GetPrompt gets a prompt of a server, named as in Restart: by its name, or that
// of its file in the folder prompts. Errors are [*calls.UseError] and those of ctx.
func (p *Provider) GetPrompt(ctx context.Context, name, prompt string, args map[string]string) (*calls.Reading, error) {
	return p.ask(ctx, name, catalogue.PromptFolder, prompt, func(_ *server, session *instance.Session, name string) (*calls.Reading, error) {
		params := map[string]any{"name": name}
		if len(args) > 0 {
			params["arguments"] = args
		}
		raw, err := session.Request(ctx, "prompts/get", params)
		if err != nil {
			return nil, err
		}
		return calls.PromptReading(raw)
	})
}

// ask uses a server for something that one of its folders lists. If the server does
// not know it, the error suggests what was probably meant.
func (p *Provider) ask(ctx context.Context, name string, folder catalogue.Folder, what string, request func(*server, *instance.Session, string) (*calls.Reading, error)) (*calls.Reading, error) {
	s, err := p.chooseOne(name)
	if err != nil {
		return nil, err
	}
	session, err := p.use(ctx, s, instance.Waiting{})
	if err != nil {
		return nil, err
	}
	defer session.Release()
	file, known := s.namesByFile(folder)
	meant := what
	if original, ok := known[what]; ok {
		meant = original
	}
	r, err := request(s, session, meant)
	if fault := (*calls.UseError)(nil); errors.As(err, &fault) && errors.As(err, new(*wire.ResponseError)) {
		fault.Mend = "see what there is: ctxfs ls mcps/" + file + "/" + folder.Name()
		var words []string
		for name, original := range known {
			if original == meant { // it exists: something else is wrong
				fault.Mend = "see its arguments: ctxfs cat mcps/" + file + "/" + folder.Name() + "/" + name + ".json"
				return nil, fault
			}
			words = append(words, original)
		}
		if suggestion := nearest.Of(what, words); suggestion != "" {
			fault.Mend = fmt.Sprintf("did you mean %q?", clean.Line(suggestion))
		}
	}
	return r, err
}

// namesByFile returns the URIs or names of what a folder of the server lists, by
// the names of their files. Templates are left out.
func (s *server) namesByFile(folder catalogue.Folder) (file string, known map[string]string) {
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

// protocol returns the version of the protocol that the server last spoke, or "".
func (s *server) protocol() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shown == nil {
		return ""
	}
	return s.shown.Protocol
}
