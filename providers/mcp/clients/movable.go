package clients

import (
	"cmp"
	"slices"
	"strings"

	"ctxfs/providers/internal/agents"
	"ctxfs/providers/internal/syntax"
	"ctxfs/providers/mcp/config"
)

// Movable is a server in an agent's file, as the agent loads it.
type Movable struct {
	// Moved is what is to be remembered of the entry.
	Moved
	// Syntax is that of the file.
	Syntax agents.Syntax
	// Server is the server as ctxfs runs it, perhaps by another entry: nil if ctxfs shows
	// none for this entry.
	Server *config.Server
	// Done says that the entry was moved.
	Done bool
	// Stays says why the entry has to stay where it is; "" if it can be moved.
	Stays string
}

// Movable returns the servers in the user's files of an agent, or, where project is not
// "", in the files of that project, with those that were moved before.
func (f *Finder) Movable(all *Discovery, agent, project string) (found []Movable, err error) {
	m := f.machine()
	out, err := ReadMoved(f.opts.Moved)
	if err != nil {
		return nil, err
	}
	places := userPlaces(m)
	if project != "" {
		places = projectPlaces(project, places)
	}
	for _, place := range places {
		if place.agent.ID != agent || place.scope != config.ScopeUser && place.scope != config.ScopeProject || place.files != nil {
			continue
		}
		gone := movedInto(f.opts.Moved, out, place.path)
		for _, e := range gone.entries {
			found = append(found, Movable{Moved: e, Done: true, Syntax: place.agent.MCP.Syntax, Server: all.server(place.path, e.Project, e.Name())})
		}
		c := place.readFile(m, moved{})
		if c.Fault != nil || len(c.Entries) == 0 {
			continue
		}
		text, _, err := readRegular(place.path)
		if err != nil {
			continue
		}
		file, err := place.parse(text)
		if err != nil {
			continue
		}
		for _, e := range c.Entries {
			if e.isGateway() || e.partial {
				continue
			}
			path, index := place.entryPath(m, file, e)
			if path == nil {
				continue
			}
			value, _ := file.At(path...)
			one := Movable{Moved: Moved{
				Agent: agent, File: place.path, Project: e.Project, Path: path, Index: index, Entry: value.JSON(),
			}, Syntax: place.agent.MCP.Syntax, Server: all.server(place.path, e.Project, e.Name)}
			one.Stays = one.stays(value)
			found = slices.DeleteFunc(found, func(m Movable) bool { return m.File == one.File && slices.Equal(m.Path, one.Path) })
			found = append(found, one)
		}
	}
	return found, nil
}

// entryPath returns the keys on the way to an entry, and its place among the others.
func (p clientPlace) entryPath(m machine, file syntax.Value, e *Entry) (path []string, index int) {
	path = []string{p.agent.MCP.Key}
	if e.Scope == config.ScopeLocal {
		projects, _ := file.Get("projects")
		for _, member := range projects.Members {
			if folder, ok := m.projectFolder(member.Name); ok && folder == e.Project {
				if _, has := member.Value.At(p.agent.MCP.Key, e.Name); has {
					path = []string{"projects", member.Name, p.agent.MCP.Key}
				}
			}
		}
		if len(path) == 1 {
			return nil, 0
		}
	}
	servers, _ := file.At(path...)
	index = slices.IndexFunc(servers.Members, func(s syntax.Member) bool { return s.Name == e.Name })
	if index < 0 {
		return nil, 0
	}
	return append(path, e.Name), index
}

// server returns the server that an entry makes, or that it is the same as.
func (all *Discovery) server(file, project, name string) *config.Server {
	is := func(s config.Source) bool {
		return s.File == file && s.Name == name && (s.Scope != config.ScopeLocal || s.Project == project)
	}
	for _, s := range all.Servers {
		if is(s.Source) || slices.ContainsFunc(s.AlsoIn, is) {
			return s
		}
	}
	return nil
}

// stays returns why the entry cannot be moved: what ctxfs cannot run has to stay where it
// works.
func (m Movable) stays(entry syntax.Value) string {
	if m.Server == nil {
		return "ctxfs shows no server for it: another entry of its name takes its place (see ctxfs config)"
	}
	if helper, ok := entry.Get("headersHelper"); ok && helper.Text != "" {
		return "`headersHelper` is a command, which ctxfs does not run"
	}
	fault := m.Server.Fault
	switch {
	case fault == nil, fault.WantsProject, fault.State == config.StateUntrusted:
		return ""
	}
	return cmp.Or(strings.TrimSuffix(fault.What, "."), "ctxfs cannot start it")
}
