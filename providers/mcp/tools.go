package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"strings"

	"ctxfs/fs"
	"ctxfs/providers/facts"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/mcp/calls"
	"ctxfs/providers/mcp/catalogue"
	"ctxfs/providers/mcp/config"
	"ctxfs/providers/mcp/instance"
	"ctxfs/providers/mcp/wire"
)

// Toolbox is a server and its tools, as they are known without starting it.
type Toolbox struct {
	Server string `json:"server"` // the name of its folder
	State  string `json:"state"`
	// What says why the state is not "ready", Mend how to fix that.
	What string `json:"what,omitempty"`
	Mend string `json:"mend,omitempty"`

	Tools []Listed `json:"tools"`
}

// Listed is a tool in a list.
type Listed struct {
	Name    string `json:"name"` // as the server calls it
	File    string `json:"file"` // the name of its file, without ".json"
	Summary string `json:"summary,omitempty"`
}

// Tools returns the tools of the servers with a name, as in Restart; "" stands for
// all servers.
func (p *Provider) Tools(server string) ([]Toolbox, error) {
	chosen := p.all()
	if server != "" {
		var err error
		if chosen, err = p.choose(server); err != nil {
			return nil, err
		}
	}
	boxes := make([]Toolbox, 0, len(chosen))
	for _, s := range chosen {
		b := s.summary()
		box := Toolbox{Server: b.file, State: b.condition.State, Tools: make([]Listed, 0, len(b.tools))}
		if box.State != instance.StateReady {
			box.What, box.Mend = clean.Line(b.condition.What), b.condition.Fix
		}
		for _, t := range b.tools {
			box.Tools = append(box.Tools, Listed{Name: cmp.Or(clean.Line(t.Name), t.File), File: t.File, Summary: t.Summary})
		}
		boxes = append(boxes, box)
	}
	return boxes, nil
}

// ToolInfo is what is known of a tool. Its texts are clean.
type ToolInfo struct {
	Server      string // the name of its folder
	Name        string // its own
	File        string // that of its file, without ".json"
	Description string
	// Schema is the schema of its arguments.
	Schema *calls.Schema
	// Annotations are as the server gives them, or nil.
	Annotations json.RawMessage
	// Destructive says that the server marks it so.
	Destructive bool
}

// Tool returns what is known of a tool, by the names that Call accepts, without
// starting anything. Its error is a [*calls.ArgumentsError] if there is no such
// tool, and a [*calls.UseError] if the server's tools are not known yet.
func (p *Provider) Tool(server, name string) (ToolInfo, error) {
	s, err := p.chooseOne(server)
	if err != nil {
		return ToolInfo{}, &calls.ArgumentsError{What: err.Error()}
	}
	if !s.isKnown() {
		b := s.summary()
		return ToolInfo{}, &calls.UseError{Server: b.file, State: b.condition.State, What: "its tools are not known, it was never started", Mend: cmp.Or(b.condition.Fix, "start it: ctxfs mount")}
	}
	t, err := s.tool(name)
	if err != nil {
		return ToolInfo{}, err
	}
	info := ToolInfo{
		Server: s.summary().file, Name: clean.Line(t.Name), File: t.File,
		Description: clean.Text(t.Description), Schema: t.Schema, Annotations: t.Annotations, Destructive: t.Destructive,
	}
	return info, nil
}

// tool returns the tool with a name.
func (s *server) tool(name string) (*calls.Tool, error) {
	s.mu.Lock()
	shown, file := s.shown, s.file
	s.mu.Unlock()
	return s.toolCache.Find(shown, file, name)
}

// isKnown reports whether the server's tools are known.
func (s *server) isKnown() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shown != nil
}

// Documents implements fs.Documented: one document for each tool, resource and
// prompt of the server with that folder, and one for its STATUS.md while it does not
// work; "" stands for every server.
func (p *Provider) Documents(folder string) iter.Seq[fs.Document] {
	return func(yield func(fs.Document) bool) {
		for _, s := range p.all() {
			b := s.summary()
			if folder != "" && b.file != folder {
				continue
			}
			for folder, section := range b.sections {
				for _, item := range section.Items {
					if !yield(document(b, catalogue.Folder(folder), item)) {
						return
					}
				}
			}
			if c := &b.condition; (c.Failing() || c.Starting()) && !yield(statusDocument(b)) {
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
func document(b summary, f catalogue.Folder, t catalogue.Item) fs.Document {
	var tool struct {
		Title       string          `json:"title"`
		Description string          `json:"description"`
		Arguments   json.RawMessage `json:"arguments"`
	}
	_ = json.Unmarshal(t.Body, &tool) // a part of another type is left out
	names, details := parameters(tool.Arguments)
	signature := ""
	if f != catalogue.ResourceFolder {
		signature = b.file + "/" + t.Signature()
	}
	return fs.Document{
		Path:      b.file + "/" + f.Name() + "/" + t.File + ".json",
		Title:     b.file + "/" + t.File,
		Kind:      strings.TrimSuffix(f.Name(), "s"),
		Signature: signature,
		Use:       t.Call(b.file, f),
		Known:     b.clients,
		Quiet:     b.condition.Failing() || b.condition.State == config.StateUntrusted,
		Place:     b.project,
		Fields: map[string]string{
			"name":        clean.Line(t.Name),
			"title":       clean.Line(clean.Prefix(tool.Title, documentText)),
			"description": clean.Text(clean.Prefix(tool.Description, documentText)),
			"server":      b.file,
			"about":       b.about,
			"parameters":  names,
			"details":     details,
		},
	}
}

// statusDocument returns the document of a server's STATUS.md: what it says, and what
// people call that.
func statusDocument(b summary) fs.Document {
	c := &b.condition
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
		Path: b.file + "/STATUS.md", Title: b.file + "/STATUS.md", Kind: "status",
		Fields: map[string]string{
			"name": "MCP server " + b.file, "server": b.file, "details": called, "body": clean.Text(clean.Prefix(c.Stderr, documentText)),
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
	for _, s := range p.all() {
		if ctx.Err() != nil {
			return all, ctx.Err()
		}
		s.mu.Lock()
		def := s.def
		s.mu.Unlock()
		if def.Disabled || len(def.Projects) > 0 && !slices.ContainsFunc(def.Projects, func(root string) bool { return dir != "" && fs.Within(dir, root) }) {
			continue
		}
		all = append(all, s.cost())
	}
	return all, nil
}

// cost returns what the definitions of the server's tools take in a request.
func (s *server) cost() facts.Cost {
	s.mu.Lock()
	def, file, shown, cat := s.def, s.file, s.shown, s.unsaved
	s.mu.Unlock()
	one := facts.Cost{Kind: facts.ServerCost, Name: file, Agents: askedBy(def)}
	if cat == nil && shown != nil {
		cat = s.p.cache.Catalogue(catalogue.KeysOf(def))
	}
	if cat == nil {
		one.Unknown = "it was never started"
		return one
	}
	names := make(map[string]bool)
	for _, t := range shown.Tools() {
		names[t.Name] = true
	}
	one.Count = len(names)
	one.Tokens = cat.Tokens(func(name string) bool { return names[name] })
	return one
}

// askedBy returns the ids of the agents whose configuration has a server; nil if it
// is in that of ctxfs, which is for all.
func askedBy(def *config.Server) (agents []string) {
	for _, source := range def.Sources() {
		if source.Client == "ctxfs" {
			return nil
		}
		if !slices.Contains(agents, source.Client) {
			agents = append(agents, source.Client)
		}
	}
	slices.Sort(agents)
	return agents
}

// Calls implements facts.CallSource.
func (p *Provider) Calls(ctx context.Context, q facts.CallsQuery) ([]facts.ToolCalls, error) {
	return p.callLog.Tally(ctx, q)
}
