package mcp

import (
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/mcp/clients"
	"ctxfs/providers/mcp/config"
)

// Project is a folder whose files configure servers, or that is trusted.
type Project struct {
	Folder string `json:"folder"`
	// Trusted is when the project was last trusted; zero if it is not.
	Trusted time.Time       `json:"trusted,omitzero"`
	Servers []ProjectServer `json:"servers"`
}

// ProjectServer is a server that is configured by a file of a project.
type ProjectServer struct {
	Name  string `json:"name"`
	File  string `json:"file"`
	Runs  string `json:"runs"`  // a program, or the address of a host
	State string `json:"state"` // "trusted", "untrusted", or "changed" since it was trusted
}

// Trust trusts the servers that the files in a project's folder configure, as they
// are now, and starts them. Each file is trusted until its entries change. The
// error says what is missing: a state folder, a server, or a file that can be read.
func (p *Provider) Trust(folder string) (Project, error) {
	return p.decide(folder, func(project string) error { return p.finder.Approve(project, p.env.Now()) })
}

// Revoke takes back the trust in a project. Its servers are stopped.
func (p *Provider) Revoke(folder string) (Project, error) {
	return p.decide(folder, p.finder.Revoke)
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
	return projectOf(p.discover(project), project), nil
}

// Projects returns the projects that configure servers or are trusted, sorted by
// folder.
func (p *Provider) Projects() []Project {
	p.changing.Lock()
	defer p.changing.Unlock()
	all := p.discover()
	folders := slices.Concat(all.Projects, slices.Collect(maps.Keys(all.Trusted)))
	slices.Sort(folders)
	var projects []Project
	for _, folder := range slices.Compact(folders) {
		project := projectOf(all, folder)
		if len(project.Servers) > 0 || !project.Trusted.IsZero() {
			projects = append(projects, project)
		}
	}
	return projects
}

// projectOf returns what the files of a project configure.
func projectOf(all *clients.Discovery, folder string) Project {
	project := Project{Folder: folder, Trusted: all.Trusted[folder], Servers: []ProjectServer{}}
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
