package mcp

import (
	"context"
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"strings"

	"ctxfs/fs"
	"ctxfs/fs/facts"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/mcp/catalogue"
	"ctxfs/providers/mcp/config"
	"ctxfs/providers/mcp/instance"
	"ctxfs/providers/mcp/server"
	"ctxfs/providers/mcp/wire"
)

// Documents implements fs.Documented: one document for each tool, resource and
// prompt of the server with that folder, and one for its STATUS.md while it does not
// work; "" stands for every server.
func (p *Provider) Documents(folder string) iter.Seq[fs.Document] {
	return func(yield func(fs.Document) bool) {
		for _, s := range p.All() {
			b := s.Summary()
			if folder != "" && b.File != folder {
				continue
			}
			for folder, section := range b.Sections {
				for _, item := range section.Items {
					if !yield(document(b, catalogue.Folder(folder), item)) {
						return
					}
				}
			}
			if c := &b.Condition; (c.Failing() || c.Starting()) && !yield(statusDocument(b)) {
				return
			}
		}
	}
}

// Facts implements facts.Provider: uses, from the log of calls.
func (p *Provider) Facts() facts.Sources {
	return facts.Sources{Uses: func(context.Context, func(string) string) iter.Seq[facts.Part[facts.Use]] {
		return slices.Values(p.callLog.Uses())
	}}
}

// documentText is how much of a description is indexed, in bytes.
const documentText = 16 << 10

// document returns the document of a tool, resource or prompt.
func document(b server.Summary, f catalogue.Folder, t catalogue.Item) fs.Document {
	var tool struct {
		Title       string          `json:"title"`
		Description string          `json:"description"`
		Arguments   json.RawMessage `json:"arguments"`
	}
	_ = json.Unmarshal(t.Body, &tool) // a part of another type is left out
	names, details := parameters(tool.Arguments)
	signature := ""
	if f != catalogue.ResourceFolder {
		signature = b.File + "/" + t.Signature()
	}
	return fs.Document{
		Path:      b.File + "/" + f.Name() + "/" + t.File + ".json",
		Title:     b.File + "/" + t.File,
		Kind:      strings.TrimSuffix(f.Name(), "s"),
		Signature: signature,
		Use:       t.Call(b.File, f),
		Known:     b.Clients,
		Quiet:     b.Condition.Failing() || b.Condition.State == config.StateUntrusted,
		Place:     b.Project,
		Fields: map[string]string{
			"name":        clean.Line(t.Name),
			"title":       clean.Line(clean.Prefix(tool.Title, documentText)),
			"description": clean.Text(clean.Prefix(tool.Description, documentText)),
			"server":      b.File,
			"about":       b.About,
			"parameters":  names,
			"details":     details,
		},
	}
}

// statusDocument returns the document of a server's STATUS.md: what it says, and what
// people call that.
func statusDocument(b server.Summary) fs.Document {
	c := &b.Condition
	called := "it does not work: it is down, failing, broken, unreachable"
	switch c.State {
	case wire.StateNeedsAuth:
		called = "it needs a login: sign in, OAuth, authentication"
	case config.StateUnresolved:
		called = "it does not work: an environment variable is missing, not set"
	case instance.StateStarting, instance.StateInstalling:
		called = "it is starting"
	}
	return fs.Document{
		Path: b.File + "/STATUS.md", Title: b.File + "/STATUS.md", Kind: "status",
		Fields: map[string]string{
			"name": "MCP server " + b.File, "server": b.File, "details": called, "body": clean.Text(clean.Prefix(c.Stderr, documentText)),
			"description": clean.Line(c.State + ": " + c.What),
		},
	}
}

// parameters returns the names and the descriptions of a schema's properties, or of
// a prompt's arguments, one per line.
func parameters(schema json.RawMessage) (names, details string) {
	var object struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	var list []json.RawMessage
	if json.Unmarshal(schema, &list) == nil {
		object.Properties = make(map[string]json.RawMessage)
		for _, argument := range list {
			var named struct{ Name string }
			_ = json.Unmarshal(argument, &named)
			object.Properties[named.Name] = argument
		}
	} else {
		_ = json.Unmarshal(schema, &object)
	}
	var name, detail strings.Builder
	for _, n := range slices.Sorted(maps.Keys(object.Properties)) {
		var property struct {
			Description string `json:"description"`
		}
		_ = json.Unmarshal(object.Properties[n], &property) // a schema may also be true or false
		name.WriteString(clean.Line(n) + "\n")
		if d := clean.Line(clean.Prefix(property.Description, documentText)); d != "" {
			detail.WriteString(d + "\n")
		}
	}
	return name.String(), detail.String()
}

// Costs implements facts.CostSource: the servers that are not disabled, those of projects where
// dir is in one of them.
func (p *Provider) Costs(ctx context.Context, dir string) (all []facts.Cost, _ error) {
	for _, s := range p.All() {
		if ctx.Err() != nil {
			return all, ctx.Err()
		}
		def := s.Definition()
		if def.Disabled || len(def.Projects) > 0 && !slices.ContainsFunc(def.Projects, func(root string) bool { return dir != "" && fs.Within(dir, root) }) {
			continue
		}
		all = append(all, s.Cost())
	}
	return all, nil
}

// Calls implements facts.CallSource.
func (p *Provider) Calls(ctx context.Context, q facts.CallsQuery) ([]facts.ToolCalls, error) {
	return p.callLog.Tally(ctx, q)
}
