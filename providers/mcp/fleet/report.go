package fleet

import (
	"cmp"
	"slices"

	"ctxfs/fs"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/nearest"
	"ctxfs/providers/mcp/config"
	"ctxfs/providers/mcp/server"
)

// Report lists the entries of files that configure servers, and says which have
// precedence. It contains no secrets: no arguments, variables, or headers, and of
// an address only the host.
type Report struct {
	// Entries are those of all files, sorted by the names of the servers. If
	// several configure one server, the decisive one comes first.
	Entries []Entry `json:"entries"`
	// Files are those that exist.
	Files    []File       `json:"files"`
	Problems []fs.Problem `json:"problems"`
}

// Entry is one entry of a file.
type Entry struct {
	Name string `json:"name"`
	// Folder is the server's folder in mcps; "" if the entry makes no server.
	Folder string `json:"folder,omitempty"`
	// State is that of the server; "passed-over" where the entry makes none.
	State     string `json:"state"`
	Why       string `json:"why,omitempty"`  // that state
	Mend      string `json:"mend,omitempty"` // a command or change
	Transport string `json:"transport,omitempty"`
	Runs      string `json:"runs,omitempty"` // a program, or the address of a host
	Client    string `json:"client"`
	Scope     string `json:"scope"`
	Project   string `json:"project,omitempty"`
	File      string `json:"file"`
	Line      int    `json:"line,omitempty"`
	// SharedBy is "user", "project" or "session": whose calls share a process of the
	// server. SharedBecause is why.
	SharedBy      string `json:"shared_by,omitempty"`
	SharedBecause string `json:"shared_because,omitempty"`
	// Times are in seconds; 0 is the default.
	StartTimeout float64  `json:"start_timeout,omitempty"`
	CallTimeout  float64  `json:"call_timeout,omitempty"`
	AllowTools   []string `json:"allow_tools,omitzero"` // absent is all
	DenyTools    []string `json:"deny_tools,omitempty"`
	Notes        []string `json:"notes,omitempty"`
}

// File is a configuration file.
type File struct {
	Path    string `json:"path"`
	Client  string `json:"client"`
	Scope   string `json:"scope"`
	Entries int    `json:"entries"`
	Fault   string `json:"fault,omitempty"`
}

// PassedOver marks an entry that is no server of its own.
const PassedOver = "passed-over"

// Configuration reads all configuration files and reports what they say. If folder
// is not "", its files are read as those of a known project.
func (f *Fleet) Configuration(folder string) Report {
	f.changing.Lock()
	defer f.changing.Unlock()
	var folders []string
	if project, ok := f.finder.ProjectFolder(folder); ok {
		folders = append(folders, project)
	}
	all := f.discover(folders...)
	report := Report{Entries: []Entry{}, Files: []File{}, Problems: []fs.Problem{}}
	running := make(map[string]*server.Server)
	for _, s := range f.All() {
		running[s.Definition().Identity()] = s
	}
	for _, d := range all.Servers {
		e, c := entryOf(d), server.AtRest(d, nil)
		if s := running[d.Identity()]; s != nil && s.Definition().Unchanged(d) {
			b := s.Summary()
			e.Folder, c = b.File, b.Condition
		}
		e.State, e.Why, e.Mend = c.State, clean.Line(c.What), clean.Line(c.Fix)
		report.Entries = append(report.Entries, e)
	}
	for _, d := range all.PassedOver {
		e := entryOf(d.Server)
		e.State, e.Why = PassedOver, clean.Line(d.Why)
		report.Entries = append(report.Entries, e)
	}
	slices.SortStableFunc(report.Entries, func(a, b Entry) int { return cmp.Compare(a.Name, b.Name) })
	for _, c := range all.Files {
		if c.Exists {
			f := File{Path: c.Path, Client: c.Client, Scope: c.Scope, Entries: len(c.Entries)}
			if c.Fault != nil {
				f.Fault = clean.Line(c.Fault.What)
			}
			report.Files = append(report.Files, f)
		}
	}
	for _, problem := range all.Problems {
		report.Problems = append(report.Problems, fs.Problem{What: clean.Line(problem.What), Mend: clean.Line(problem.Mend)})
	}
	return report
}

// entryOf returns what may be shown of an entry.
func entryOf(d *config.Server) Entry {
	e := Entry{
		Name: clean.Line(d.Name), Transport: d.Transport, Runs: d.Runs(),
		Client: d.Client, Scope: d.Scope, Project: d.Project, File: d.File, Line: d.Line,
		SharedBy: d.Sharing.By, SharedBecause: clean.Line(d.Sharing.Why),
		StartTimeout: d.StartTimeout.Seconds(), CallTimeout: d.CallTimeout.Seconds(),
	}
	for _, t := range d.Tools.And(d.Limits).Denied() {
		e.DenyTools = append(e.DenyTools, clean.Line(t))
	}
	if d.Tools.Allow != nil {
		e.AllowTools = []string{}
	}
	for _, t := range d.Tools.Allow {
		e.AllowTools = append(e.AllowTools, clean.Line(t))
	}
	for _, n := range d.Notes {
		e.Notes = append(e.Notes, clean.Line(d.Redact(n)))
	}
	return e
}

// Of returns the part of the report that concerns a server, by the name of its
// folder or of an entry. If no server has the name, suggestion is the most similar
// one.
func (r Report) Of(name string) (part Report, suggestion string) {
	part = Report{Entries: []Entry{}, Files: []File{}, Problems: []fs.Problem{}}
	var known []string
	for _, e := range r.Entries {
		known = append(known, e.Name, e.Folder)
		if e.Name == name || e.Folder == name {
			part.Entries = append(part.Entries, e)
		}
	}
	if len(part.Entries) == 0 {
		suggestion = nearest.Of(name, known)
	}
	return part, suggestion
}
