package fleet

import (
	"fmt"
	"slices"
	"strings"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/nearest"
	"ctxfs/providers/mcp/calls"
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
