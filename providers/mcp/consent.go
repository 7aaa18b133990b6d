package mcp

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/nearest"
	"ctxfs/providers/internal/trust"
	"ctxfs/providers/mcp/calls"
	"ctxfs/providers/mcp/catalogue"
	"ctxfs/providers/mcp/clients"
	"ctxfs/providers/mcp/config"
	"ctxfs/providers/mcp/pins"
)

// Project is a folder whose files configure servers, or that is trusted.
type Project struct {
	Folder string `json:"folder"`
	// Trusted is when the project was last trusted; zero if it is not.
	Trusted time.Time `json:"trusted,omitzero"`
	// Whole is the root of the project that is trusted as a whole, with its rules, skills
	// and notes; "" if none is.
	Whole   string          `json:"whole,omitempty"`
	Servers []ProjectServer `json:"servers"`
}

// ProjectServer is a server that is configured by a file of a project.
type ProjectServer struct {
	Name  string `json:"name"`
	File  string `json:"file"`
	Runs  string `json:"runs"`  // a program, or the address of a host
	State string `json:"state"` // "trusted", "untrusted", or "changed" since it was trusted
}

// Trust trusts the project of a folder as a whole, and the servers that the files in the
// folder configure, as they are now, which it starts. Each file is trusted until its
// entries change. The error says what is missing: a state folder, a project, or a file
// that can be read.
func (p *Provider) Trust(folder string) (Project, error) {
	return p.decide(folder, func(project string) error {
		some, err := p.finder.Approve(project, p.env.Now())
		if err != nil {
			return err
		}
		switch root := p.opts.Root(project); {
		case root != "":
			return p.opts.Trust.Trust(root)
		case !some:
			return fmt.Errorf("%s is no project, and no file in it configures a server for any program that ctxfs knows", project)
		}
		return nil
	})
}

// Revoke takes back the trust in a project. Its servers are stopped.
func (p *Provider) Revoke(folder string) (Project, error) {
	return p.decide(folder, func(project string) error {
		servers := p.finder.Revoke(project)
		whole := p.opts.Trust.Revoke(project)
		if root := p.opts.Root(project); root != "" && errors.Is(whole, trust.ErrNot) {
			whole = p.opts.Trust.Revoke(root)
		}
		if servers == nil && errors.Is(whole, trust.ErrNot) || whole == nil && errors.Is(servers, clients.ErrNotTrusted) {
			return nil // it was trusted in one way only
		}
		return cmp.Or(servers, whole)
	})
}

// decide changes whether a project is trusted, and applies that.
func (p *Provider) decide(folder string, change func(project string) error) (Project, error) {
	p.changing.Lock()
	defer p.changing.Unlock()
	project, ok := p.finder.ProjectFolder(folder)
	if !ok {
		project = filepath.Clean(folder) // one that was deleted can be revoked
	}
	if p.opts.StateDir == "" || p.closed {
		return Project{}, errors.New("there is no folder for what is trusted")
	}
	if err := change(project); err != nil {
		return Project{}, err
	}
	p.apply(p.discover())
	return p.projectOf(p.discover(project), project), nil
}

// Projects returns the projects that configure servers or are trusted, sorted by
// folder.
func (p *Provider) Projects() []Project {
	p.changing.Lock()
	defer p.changing.Unlock()
	all := p.discover()
	folders := slices.Concat(all.Projects, slices.Collect(maps.Keys(all.Trusted)))
	for _, f := range p.opts.Trust.All() {
		folders = append(folders, f.Dir)
	}
	slices.Sort(folders)
	var projects []Project
	for _, folder := range slices.Compact(folders) {
		project := p.projectOf(all, folder)
		if len(project.Servers) > 0 || !project.Trusted.IsZero() {
			projects = append(projects, project)
		}
	}
	return projects
}

// projectOf returns what the files of a project configure, and since when it is trusted.
func (p *Provider) projectOf(all *clients.Discovery, folder string) Project {
	project := Project{Folder: folder, Trusted: all.Trusted[folder], Servers: []ProjectServer{}}
	root := cmp.Or(p.opts.Root(folder), folder)
	for _, f := range p.opts.Trust.All() {
		if f.Dir == root && p.opts.Trust.Trusts(root) {
			project.Whole = root
			if f.Time.After(project.Trusted) {
				project.Trusted = f.Time
			}
		}
	}
	for _, c := range all.Files {
		if c.Scope != config.ScopeProject || c.Project != folder {
			continue
		}
		for _, d := range c.Entries {
			project.Servers = append(project.Servers, ProjectServer{
				Name: clean.Line(d.Name), File: d.File, Runs: d.Runs(), State: d.Trust.String(),
			})
		}
	}
	return project
}

// Accepted is the outcome of Accept.
type Accepted struct {
	// Server is the name of its folder.
	Server string `json:"server"`
	// Tools are those whose pinned definition was replaced, in the order of the
	// folder.
	Tools []AcceptedTool `json:"tools"`
}

// AcceptedTool is a tool whose definition is now pinned as it is shown.
type AcceptedTool struct {
	Tool  string    `json:"tool"`  // the name of its file, without ".json"
	Since time.Time `json:"since"` // when this definition was first seen
}

var errNoPins = errors.New("there is no folder for pinned definitions")

// Accept pins the definitions of a server's tools as they are shown now: those of
// the tools named, by their own names or those of their files, or all. The server
// is named as in Restart; it is neither started nor asked. Definitions that have
// not changed keep the time of their pins.
func (p *Provider) Accept(server string, tools ...string) (Accepted, error) {
	s, err := p.chooseOne(server)
	if err != nil {
		return Accepted{}, err
	}
	if p.pins.Dir == "" {
		return Accepted{}, errNoPins
	}
	s.pinning.Lock()
	defer s.pinning.Unlock()
	s.mu.Lock()
	d, shown, file, known := s.def, s.shown, s.file, s.pins
	s.mu.Unlock()
	result := Accepted{Server: file, Tools: []AcceptedTool{}}
	if shown == nil {
		return result, &calls.UseError{Server: file, What: "none of its tools is known", Mend: "see why: ctxfs cat mcps/" + file + "/STATUS.md"}
	}
	chosen, err := chooseTools(shown, file, tools)
	if err != nil {
		return result, err
	}
	state, accepted, err := p.pins.Accept(known, catalogue.KeysOf(d), shown, chosen, p.env.Now().UTC())
	if unreadable := (*pins.UnreadableError)(nil); errors.As(err, &unreadable) {
		return result, &calls.UseError{Server: file, What: unreadable.Reason, Mend: "pin all of its tools as they are shown now: " + pins.AcceptCommand(file)}
	}
	if err != nil {
		return result, fmt.Errorf("the pinned definitions cannot be saved: %w", err)
	}
	for _, tool := range accepted {
		result.Tools = append(result.Tools, AcceptedTool{tool.File, tool.Since})
	}
	s.update(func() { s.setPins(state) })
	return result, nil
}

// chooseTools returns the file names of the tools that are named; nil stands for
// all.
func chooseTools(s *catalogue.Snapshot, server string, named []string) (map[string]bool, error) {
	if len(named) == 0 {
		return nil, nil
	}
	chosen := make(map[string]bool)
	var known []string
	for _, i := range s.Tools() {
		chosen[i.File] = false
		known = append(known, i.Name, i.File)
	}
	for _, name := range named {
		found := false
		if _, ok := chosen[name]; ok {
			chosen[name], found = true, true
		}
		for _, i := range s.Tools() {
			if !found && i.Name == name {
				chosen[i.File], found = true, true
			}
		}
		if found {
			continue
		}
		fault := &calls.UseError{Server: server, What: fmt.Sprintf("no tool is called %q", clean.Line(name)), Mend: "see what there is: ctxfs ls mcps/" + server + "/tools"}
		if meant := nearest.Of(name, known); meant != "" {
			fault.Mend = fmt.Sprintf("did you mean %q?", clean.Line(meant))
		}
		return nil, fault
	}
	return chosen, nil
}

// setPins replaces the state of the pins. It must be called within update.
func (s *server) setPins(state pins.State) {
	s.pinsChanged = s.pinsChanged || !s.pins.SameDrifts(&state)
	s.pins = state
}
