package mcp

import (
	"encoding/json"
	"fmt"
	"sync"

	"ctxfs/providers/internal/arguments"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/nearest"
	"ctxfs/providers/internal/rawjson"
	"ctxfs/providers/mcp/catalogue"
)

// ToolInfo is what is known of a tool. Its texts are clean.
type ToolInfo struct {
	Server      string // the name of its folder
	Name        string // its own
	File        string // that of its file, without ".json"
	Description string
	// Schema is what it takes.
	Schema *Schema
	// Annotations are as the server gives them, or nil.
	Annotations json.RawMessage
	// Destructive says that the server calls it that.
	Destructive bool
}

// Tool tells of a tool by the names that Call takes. It is answered from
// memory, and starts nothing. Its error is an [*ArgumentsError] where there is
// no such tool, and a [*UseError] where nothing is known of the server yet.
func (p *Provider) Tool(server, name string) (ToolInfo, error) {
	s, err := p.chooseOne(server)
	if err != nil {
		return ToolInfo{}, &ArgumentsError{What: err.Error()}
	}
	if !s.isKnown() {
		b := s.brief()
		return ToolInfo{}, &UseError{Server: b.file, State: b.condition.state, What: "its tools are not known, it was never started", Mend: "start it: ctxfs mount"}
	}
	t, err := s.tool(name)
	if err != nil {
		return ToolInfo{}, err
	}
	info := ToolInfo{
		Server: s.brief().file, Name: clean.Line(t.name), File: t.file,
		Description: clean.Text(t.description), Schema: t.schema, Annotations: t.annotations, Destructive: t.destructive,
	}
	return info, nil
}

// tool is a tool as it is known, for a call. It never changes.
type tool struct {
	name, file  string
	description string
	input       json.RawMessage // its schema as it is shown, or nil
	schema      *arguments.Schema
	output      func() *arguments.Schema // of its structured results; nil where it promises none
	annotations json.RawMessage
	destructive bool
	maxText     int // the size in bytes that it wants its results to be handed over with, or 0
}

// maxMaxText bounds what a tool may ask for.
const maxMaxText = 500_000

// newTool takes a definition apart as it is shown.
func newTool(is catalogue.Item) *tool {
	t := &tool{name: is.Name, file: is.File}
	for name, value := range rawjson.Parts(is.Body) {
		switch name {
		case "description":
			_ = json.Unmarshal(value, &t.description) // of another type it is none
		case "arguments":
			t.input = value
		case "outputSchema":
			t.output = sync.OnceValue(func() *arguments.Schema { return arguments.Compile(value) })
		case "annotations":
			t.annotations = value
			var hints struct{ DestructiveHint bool }
			t.destructive = json.Unmarshal(value, &hints) == nil && hints.DestructiveHint
		case "_meta":
			var wish struct {
				Size float64 `json:"anthropic/maxResultSizeChars"`
			}
			if json.Unmarshal(value, &wish) == nil && wish.Size > 0 {
				t.maxText = int(min(wish.Size, maxMaxText))
			}
		}
	}
	t.schema = arguments.Compile(t.input)
	return t
}

// toolbox keeps the tools that have been called: their schemas take a while to
// compile.
type toolbox struct {
	mu    sync.Mutex
	of    *catalogue.Snapshot
	tools map[string]*tool // by file
}

// tool finds the one tool that is meant by a name: its own or, before it, that
// of its file.
func (s *server) tool(name string) (*tool, error) {
	s.mu.Lock()
	shown, file := s.shown, s.file
	s.mu.Unlock()
	var found *catalogue.Item
	var known []string
	for i := range shown.Tools() {
		is := &shown.Tools()[i]
		if is.File == name {
			found = is
			break
		}
		if is.Name == name {
			found = is
		}
		known = append(known, is.Name)
	}
	if found == nil {
		fault := &ArgumentsError{
			What: fmt.Sprintf("server %s has no tool %q", file, clean.Cut(clean.Line(name), catalogue.SummaryLength)),
			Hint: "see what there is: ctxfs tools " + file,
		}
		if near := nearest.Of(name, known); near != "" {
			fault.Hint = fmt.Sprintf("did you mean %q?", clean.Line(near))
		}
		return nil, fault
	}
	s.toolbox.mu.Lock()
	defer s.toolbox.mu.Unlock()
	if s.toolbox.of != shown {
		s.toolbox.of, s.toolbox.tools = shown, make(map[string]*tool)
	}
	t := s.toolbox.tools[found.File]
	if t == nil {
		t = newTool(*found)
		s.toolbox.tools[found.File] = t
	}
	return t, nil
}

// isKnown tells whether it is known what tools the server has.
func (s *server) isKnown() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shown != nil
}
