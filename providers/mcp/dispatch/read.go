package dispatch

import (
	"context"
	"errors"
	"fmt"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/nearest"
	"ctxfs/providers/mcp/calls"
	"ctxfs/providers/mcp/catalogue"
	"ctxfs/providers/mcp/fleet"
	"ctxfs/providers/mcp/instance"
	"ctxfs/providers/mcp/server"
	"ctxfs/providers/mcp/wire"
)

// ReadResource reads a resource of a server, named as in Restart: by its URI, which
// may match a template, or by the name of its file in the folder resources. Errors
// are [*calls.UseError] and those of ctx.
func (d *Dispatcher) ReadResource(ctx context.Context, name, uri string) (*calls.Reading, error) {
	return d.ask(ctx, name, catalogue.ResourceFolder, uri, func(_ *server.Server, session *instance.Session, uri string) (*calls.Reading, error) {
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
func (d *Dispatcher) GetPrompt(ctx context.Context, name, prompt string, args map[string]string) (*calls.Reading, error) {
	return d.ask(ctx, name, catalogue.PromptFolder, prompt, func(_ *server.Server, session *instance.Session, name string) (*calls.Reading, error) {
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

// KeepResource reads a resource as ReadResource does, and shows its content as a
// file in the folder resources from then on. The file is updated while the server
// runs. A server with a kept resource is not stopped when it is unused.
func (d *Dispatcher) KeepResource(ctx context.Context, name, uri string) (*calls.Reading, error) {
	return d.ask(ctx, name, catalogue.ResourceFolder, uri, func(s *server.Server, session *instance.Session, uri string) (*calls.Reading, error) {
		r, err := readResource(ctx, session, uri)
		if err != nil {
			return nil, err
		}
		if err := s.Kept.Keep(uri, r); err != nil {
			return nil, &calls.UseError{Server: s.Folder(), What: clean.Line(err.Error()), Cause: err}
		}
		return r, nil
	})
}

// ForgetResource removes the file that KeepResource created. It does not start
// the server.
func (d *Dispatcher) ForgetResource(name, uri string) error {
	s, err := d.o.Fleet.ChooseOne(name)
	switch {
	case err != nil:
		return err
	case d.o.Offline:
		return fleet.ErrNotHere
	}
	return s.ForgetResource(uri)
}

// ask uses a server for something that one of its folders lists. If the server does
// not know it, the error suggests what was probably meant.
func (d *Dispatcher) ask(ctx context.Context, name string, folder catalogue.Folder, what string, request func(*server.Server, *instance.Session, string) (*calls.Reading, error)) (*calls.Reading, error) {
	s, err := d.o.Fleet.ChooseOne(name)
	if err != nil {
		return nil, err
	}
	session, _, err := d.o.Fleet.Use(ctx, s, server.Place{}, instance.Waiting{})
	if err != nil {
		return nil, err
	}
	defer session.Release()
	file, known := s.NamesByFile(folder)
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

// KnownTool describes the tool of a call. A server about which nothing is known is
// started, and waited for as the call says.
func (d *Dispatcher) KnownTool(ctx context.Context, c *calls.Call) (fleet.ToolInfo, error) {
	info, err := d.o.Fleet.Tool(c.Server, c.Tool)
	if err == nil {
		return info, nil
	}
	s, chooseErr := d.o.Fleet.ChooseFor(c)
	if chooseErr != nil {
		return fleet.ToolInfo{}, chooseErr
	}
	if useErr := (*calls.UseError)(nil); !errors.As(err, &useErr) {
		return fleet.ToolInfo{}, err
	}
	sought := *c
	made := &judgedCall{d: d, server: s}
	if err := made.locate(&sought); err != nil {
		return fleet.ToolInfo{}, err
	}
	session, err := made.use(ctx, instance.Waiting{Limit: s.Patience(c.Timeout), Progress: c.Progress})
	if err != nil {
		return fleet.ToolInfo{}, err
	}
	defer session.Release()
	return d.o.Fleet.Tool(c.Server, c.Tool)
}
