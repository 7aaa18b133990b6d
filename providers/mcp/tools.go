package mcp

import (
	"cmp"

	"ctxfs/providers/internal/clean"
)

// Toolbox is a server and its tools, as they are known without starting it.
type Toolbox struct {
	Server string `json:"server"` // the name of its folder
	State  string `json:"state"`
	// What says why the state is not "ready", Mend what to do about it.
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

// Tools lists the tools of the servers that a name means, as Restart does; ""
// means all servers.
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
		b := s.brief()
		box := Toolbox{Server: b.file, State: b.condition.state, Tools: make([]Listed, 0, len(b.tools))}
		if box.State != stateReady {
			box.What, box.Mend = clean.Line(b.condition.what), b.condition.mend
		}
		for _, t := range b.tools {
			box.Tools = append(box.Tools, Listed{Name: cmp.Or(clean.Line(t.Name), t.File), File: t.File, Summary: t.Summary})
		}
		boxes = append(boxes, box)
	}
	return boxes, nil
}
