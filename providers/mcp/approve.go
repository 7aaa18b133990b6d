package mcp

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"ctxfs/providers/internal/clean"
)

// Project is a folder that configures servers, or whose servers are trusted.
type Project struct {
	Folder string `json:"folder"`
	// Trusted is when its servers were last trusted; zero if they are not.
	Trusted time.Time       `json:"trusted,omitzero"`
	Servers []ProjectServer `json:"servers"`
}

// ProjectServer is a server that a file of a project configures.
type ProjectServer struct {
	Name  string `json:"name"`
	File  string `json:"file"`
	Runs  string `json:"runs"`  // a program, or the address of a host
	State string `json:"state"` // "trusted", "untrusted" or "changed"
}

// Trust allows the servers that the files in a project's folder configure as
// they are now, and starts them. It holds until one of them changes.
func (p *Provider) Trust(folder string) (Project, error) {
	return p.decide(folder, func(a *approvals, project string, files map[string]string) error {
		if len(files) == 0 {
			return fmt.Errorf("no file in %s configures a server for any program that ctxfs knows", project)
		}
		a.Projects[project] = approval{Time: p.env.Now().UTC().Truncate(time.Second), Files: files}
		return nil
	})
}

// Revoke takes back what Trust allowed. The servers end.
func (p *Provider) Revoke(folder string) (Project, error) {
	return p.decide(folder, func(a *approvals, project string, _ map[string]string) error {
		if _, ok := a.Projects[project]; !ok {
			return fmt.Errorf("%s is not trusted; ctxfs trust --list shows what is", project)
		}
		delete(a.Projects, project)
		return nil
	})
}

// decide changes the approvals with regard to a folder. Files are those in it
// that configure servers, with their sums.
func (p *Provider) decide(folder string, change func(a *approvals, project string, files map[string]string) error) (Project, error) {
	project, ok := p.surroundings().projectFolder(folder)
	if !ok {
		project = filepath.Clean(folder) // one that has gone can be revoked
	}
	p.changing.Lock()
	defer p.changing.Unlock()
	path := p.approvalsPath()
	if path == "" || p.closed {
		return Project{}, errors.New("there is no folder for what is trusted")
	}
	all := p.discover(project)
	files := make(map[string]string)
	for _, c := range all.files {
		if rel, err := filepath.Rel(project, c.path); c.scope == scopeProject && c.project == project && err == nil {
			if c.bad != nil {
				return Project{}, fmt.Errorf("%s; correct it first", c.bad.What)
			}
			if len(c.defs) > 0 {
				files[rel] = c.sum
			}
		}
	}
	a, err := readApprovals(path)
	if err == nil || len(a.Projects) == 0 { // a damaged file is written anew
		err = change(&a, project, files)
	}
	if err == nil {
		err = a.write(path)
	}
	if err != nil {
		return Project{}, err
	}
	all = p.discover()
	p.apply(all)
	shown := p.discover(project).of(project)
	shown.Trusted = a.Projects[project].Time
	return shown, nil
}

// Projects are those that configure servers or are trusted, by folder.
func (p *Provider) Projects() []Project {
	p.changing.Lock()
	defer p.changing.Unlock()
	all := p.discover()
	a, _ := readApprovals(p.approvalsPath()) // a damaged file is told of by Status
	folders := slices.Concat(all.projects, slices.Collect(maps.Keys(a.Projects)))
	slices.Sort(folders)
	var projects []Project
	for _, folder := range slices.Compact(folders) {
		project := all.of(folder)
		project.Trusted = a.Projects[folder].Time
		if len(project.Servers) > 0 || !project.Trusted.IsZero() {
			projects = append(projects, project)
		}
	}
	return projects
}

// of tells what the files of a project configure.
func (all *discovery) of(folder string) Project {
	project := Project{Folder: folder, Servers: []ProjectServer{}}
	for _, c := range all.files {
		if c.scope != scopeProject || c.project != folder {
			continue
		}
		for _, d := range c.defs {
			project.Servers = append(project.Servers, ProjectServer{
				Name: clean.Line(d.name), File: d.file, Runs: d.runs(), State: d.trust.String(),
			})
		}
	}
	return project
}

// String is the word for people and scripts.
func (t trust) String() string {
	switch t {
	case trusted:
		return "trusted"
	case trustLapsed:
		return "changed"
	}
	return "untrusted"
}

// runs is what may be shown of what is started or asked.
func (d *definition) runs() string {
	if d.transport == stdio {
		return clean.Line(d.redact(d.program()))
	}
	return clean.Line(d.redact(d.address()))
}
