package fleet

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/nearest"
	"ctxfs/providers/mcp/calls"
	"ctxfs/providers/mcp/instance"
	"ctxfs/providers/mcp/server"
)

// Choose returns the servers with a name: the one whose folder has it, or else
// those whose entries have it.
func (f *Fleet) Choose(name string) ([]*server.Server, error) {
	var known []string
	var chosen []*server.Server
	for _, s := range f.All() {
		called := s.Names()
		known = append(known, called...)
		if slices.Contains(called, name) {
			chosen = append(chosen, s)
		}
	}
	// A folder's name takes precedence over that of another server's entry.
	if i := slices.IndexFunc(chosen, func(s *server.Server) bool { return s.Folder() == name }); i >= 0 {
		chosen = chosen[i : i+1]
	}
	if len(chosen) == 0 {
		msg := fmt.Sprintf("no server is called %q", clean.Line(name))
		if meant := nearest.Of(name, known); meant != "" {
			return nil, fmt.Errorf("%s; did you mean %q?", msg, clean.Line(meant))
		}
		return nil, fmt.Errorf("%s; list them: ctxfs ls mcps", msg)
	}
	return chosen, nil
}

// ChooseFor returns the server of a call. Its error is a [*calls.ArgumentsError],
// which says so if the caller's project configures a server of that name and was never
// trusted.
func (f *Fleet) ChooseFor(c *calls.Call) (*server.Server, error) {
	s, err := f.ChooseOne(c.Server)
	if err == nil {
		return s, nil
	}
	bad := &calls.ArgumentsError{What: err.Error()}
	at := c.Caller.Standpoint()
	if c.Project != "" {
		at = fs.Standpoint{Dir: c.Project, Folders: c.ProjectFolders}
	}
	if at.Dir == "" || f.IsServer(c.Server) {
		return nil, bad
	}
	if folder, err := f.o.Projects.Named(at); err == nil {
		if file := f.finder.Configures(folder, c.Server); file != "" {
			bad.What = fmt.Sprintf("no server is called %q; %s configures one, but its project is not trusted", clean.Line(c.Server), clean.Line(file))
			bad.Hint = "if you trust the project, run: ctxfs trust " + wording.ShellWord(clean.Line(folder))
		}
	}
	return nil, bad
}

// IsServer reports whether a server has that name.
func (f *Fleet) IsServer(name string) bool {
	_, err := f.Choose(name)
	return err == nil
}

// ChooseOne returns the one server with a name.
func (f *Fleet) ChooseOne(name string) (*server.Server, error) {
	chosen, err := f.Choose(name)
	if err != nil {
		return nil, err
	}
	if len(chosen) > 1 {
		var files []string
		for _, s := range chosen {
			files = append(files, s.Folder())
		}
		return nil, fmt.Errorf("%q is the name of several servers; name the folder of one: %s", clean.Line(name), strings.Join(files, ", "))
	}
	return chosen[0], nil
}

// Accept pins the definitions of a server's tools: see [server.Server.Accept]. The
// server is named as in Restart.
func (f *Fleet) Accept(name string, tools ...string) (server.Accepted, error) {
	s, err := f.ChooseOne(name)
	if err != nil {
		return server.Accepted{}, err
	}
	return s.Accept(tools...)
}

// UserFiles returns the files of the user in which servers are looked for.
func (f *Fleet) UserFiles() []string { return f.finder.UserFiles() }

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

// ToolInfo is what is known of a tool.
type ToolInfo struct {
	Server string // the name of its folder
	*calls.Tool
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
	return ToolInfo{s.Folder(), t}, nil
}
