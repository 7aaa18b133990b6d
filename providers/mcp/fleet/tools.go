package fleet

import (
	"cmp"
	"encoding/json"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/mcp/calls"
	"ctxfs/providers/mcp/instance"
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
// All servers.
func (f *Fleet) Tools(server string) ([]Toolbox, error) {
	chosen := f.All()
	if server != "" {
		var err error
		if chosen, err = f.Choose(server); err != nil {
			return nil, err
		}
	}
	boxes := make([]Toolbox, 0, len(chosen))
	for _, s := range chosen {
		b := s.Summary()
		box := Toolbox{Server: b.File, State: b.Condition.State, Tools: make([]Listed, 0, len(b.Tools))}
		if box.State != instance.StateReady {
			box.What, box.Mend = clean.Line(b.Condition.What), b.Condition.Fix
		}
		for _, t := range b.Tools {
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
	// Destructive reports that the server marks it so.
	Destructive bool
}

// Tool returns what is known of a tool, by the names that Call accepts, without
// starting anything. Its error is a [*calls.ArgumentsError] if there is no such
// tool, and a [*calls.UseError] if the server's tools are not known yet.
func (f *Fleet) Tool(server, name string) (ToolInfo, error) {
	s, err := f.ChooseOne(server)
	if err != nil {
		return ToolInfo{}, &calls.ArgumentsError{What: err.Error()}
	}
	if !s.IsKnown() {
		b := s.Summary()
		return ToolInfo{}, &calls.UseError{Server: b.File, State: b.Condition.State, What: "its tools are not known, it was never started", Mend: cmp.Or(b.Condition.Fix, "start it: ctxfs mount")}
	}
	t, err := s.Tool(name)
	if err != nil {
		return ToolInfo{}, err
	}
	info := ToolInfo{
		Server: s.Folder(), Name: clean.Line(t.Name), File: t.File,
		Description: clean.Text(t.Description), Schema: t.Schema, Annotations: t.Annotations, Destructive: t.Destructive,
	}
	return info, nil
}
