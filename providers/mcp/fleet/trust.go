package fleet

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/trust"
	"ctxfs/providers/mcp/clients"
	"ctxfs/providers/mcp/config"
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
func (f *Fleet) Trust(folder string) (Project, error) {
	return f.decide(folder, func(project string) error {
		some, err := f.finder.Approve(project, f.o.Server.Env.Now())
		if err != nil {
			return err
		}
		switch root := f.o.Root(project); {
		case root != "":
			return f.o.Trust.Trust(root)
		case !some:
			return fmt.Errorf("%s is no project, and no file in it configures a server for any program that ctxfs knows", project)
		}
		return nil
	})
}

// Revoke takes back the trust in a project. Its servers are stopped.
func (f *Fleet) Revoke(folder string) (Project, error) {
	return f.decide(folder, func(project string) error {
		servers := f.finder.Revoke(project)
		whole := f.o.Trust.Revoke(project)
		if root := f.o.Root(project); root != "" && errors.Is(whole, trust.ErrNot) {
			whole = f.o.Trust.Revoke(root)
		}
		if servers == nil && errors.Is(whole, trust.ErrNot) || whole == nil && errors.Is(servers, clients.ErrNotTrusted) {
			return nil // it was trusted in one way only
		}
		return cmp.Or(servers, whole)
	})
}

// decide changes whether a project is trusted, and applies that.
func (f *Fleet) decide(folder string, change func(project string) error) (Project, error) {
	f.changing.Lock()
	defer f.changing.Unlock()
	project, ok := f.finder.ProjectFolder(folder)
	if !ok {
		project = filepath.Clean(folder) // one that was deleted can be revoked
	}
	if f.closed {
		return Project{}, ErrNotHere
	}
	if err := change(project); err != nil {
		return Project{}, err
	}
	f.apply(f.discover())
	return f.projectOf(f.discover(project), project), nil
}

// Projects returns the projects that configure servers or are trusted, sorted by
// folder.
func (f *Fleet) Projects() []Project {
	f.changing.Lock()
	defer f.changing.Unlock()
	all := f.discover()
	folders := slices.Concat(all.Projects, slices.Collect(maps.Keys(all.Trusted)))
	for _, t := range f.o.Trust.All() {
		folders = append(folders, t.Dir)
	}
	slices.Sort(folders)
	var projects []Project
	for _, folder := range slices.Compact(folders) {
		project := f.projectOf(all, folder)
		if len(project.Servers) > 0 || !project.Trusted.IsZero() {
			projects = append(projects, project)
		}
	}
	return projects
}

// projectOf returns what the files of a project configure, and since when it is trusted.
func (f *Fleet) projectOf(all *clients.Discovery, folder string) Project {
	project := Project{Folder: folder, Trusted: all.Trusted[folder], Servers: []ProjectServer{}}
	root := cmp.Or(f.o.Root(folder), folder)
	for _, t := range f.o.Trust.All() {
		if t.Dir == root && f.o.Trust.Trusts(root) {
			project.Whole = root
			if t.Time.After(project.Trusted) {
				project.Trusted = t.Time
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
