// Package locate finds skills, and the commands and subagents that are shown like them:
// those of the machine and the user, those of plugins and extensions, and those of
// projects.
//
// Where each agent looks is in its description (package agents). A [Source] is one such
// folder (sources.go; plugins.go for those in plugins); the sources of a project are found
// by a walk (walk.go), because some agents read nested ones; a [Scan] searches sources
// (scan.go, definitions.go). Limits keep a folder that is not meant for skills from being
// searched for long.
package locate

import (
	"cmp"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"ctxfs/fs"
	"ctxfs/providers/internal/agents"
	"ctxfs/providers/skills/read"
)

// Scope is whose a source is.
type Scope string

// The scopes.
const (
	System  Scope = "system"
	User    Scope = "user"
	Plugin  Scope = "plugin"
	Project Scope = "project"
	Builtin Scope = "builtin" // the skill that comes with ctxfs
)

// Source is a folder in which agents look for things of one kind.
type Source struct {
	// Name is what is added to a name that is taken: the id of an agent, the name of a
	// plugin or of a workspace.
	Name string
	Kind read.Kind
	Dir  string
	// Files is the glob of the definitions, relative to Dir; "" for skills.
	Files string
	Scope Scope
	// Agent is the id of the agent whose folder it is; "" for one of many agents.
	Agent string
	// Plugin is the name of the plugin or extension that it is in.
	Plugin string
	// Root is the project's folder; "" outside of projects. Nothing is followed that leads
	// out of it.
	Root string
	// Readers are the agents that look there.
	Readers []Reader

	groups []string // folders in Dir that contain skills and are not skills
	whole  bool     // Dir may be a skill itself
}

// Reader is an agent that looks into a source.
type Reader struct {
	Agent string
	// Rank is lower where the agent prefers what it finds there; what has the same rank
	// is shown by the agent beside each other.
	Rank int
}

// The ranks of scopes, below which the folders of one scope come in their order.
const (
	rankFirst   = 0
	rankProject = 100
	rankUser    = 200
	rankSystem  = 300
	rankPlugin  = 400
)

// rank returns the rank of the n-th folder of a scope for an agent.
func rank(s agents.Skills, scope Scope, n int) int {
	switch {
	case s.KeepsAll:
		return rankFirst
	case scope == System && s.SystemFirst:
		return rankFirst + n
	case scope == User && s.UserFirst:
		return rankProject - 50 + n
	case scope == User:
		return rankUser + n
	case scope == Project:
		return rankProject + n
	case scope == Plugin:
		return rankPlugin
	}
	return rankSystem + n
}

// Options are the surroundings of a [Finder].
type Options struct {
	Machine agents.Machine
	// Hide reports whether a path is one of our own views; it may be nil.
	Hide func(path string) bool
	// GitIgnore are the user's patterns of what git ignores everywhere.
	GitIgnore []byte
}

// Finder finds sources and what is in them. It is safe for concurrent use, a [Scan] is not.
type Finder struct {
	opts   Options
	agents []agents.Agent
}

// New returns a Finder.
func New(opts Options) *Finder {
	if opts.Hide == nil {
		opts.Hide = func(string) bool { return false }
	}
	return &Finder{opts: opts, agents: agents.All()}
}

func (f *Finder) resolve(path string) (string, error) {
	return fs.DiskOptions{Hide: f.opts.Hide}.Resolve(path)
}

// folder is a folder of skills that an agent reads.
type folder struct {
	dir  string
	own  bool
	rank int
}

// folders returns the folders of one scope that an agent reads, in its order.
func folders(s agents.Skills, scope Scope, own, also []string) (all []folder) {
	add := func(dirs []string, own bool) {
		for _, dir := range dirs {
			all = append(all, folder{dir, own, rank(s, scope, len(all))})
		}
	}
	if s.AlsoFirst {
		add(also, false)
	}
	add(own, true)
	if !s.AlsoFirst {
		add(also, false)
	}
	return all
}

// Own returns the sources of the machine and of the user: of several skills of one name
// the first one keeps it. The folders that agents keep for themselves come first, then
// those that they read only for old users, then the one that they share.
func (f *Finder) Own() []Source {
	m := f.opts.Machine
	byDir := make(map[string]*Source)
	var all []*Source
	for _, a := range f.agents {
		for _, scope := range []Scope{System, User} {
			own, also := a.Skills.User, a.Skills.Also.User
			if scope == System {
				own, also = a.Skills.System, a.Skills.Also.System
			}
			for _, dir := range folders(a.Skills, scope, m.Paths(own...), m.Paths(also...)) {
				s := byDir[dir.dir]
				if s == nil {
					s = &Source{Kind: read.Skill, Dir: dir.dir, Scope: scope}
					byDir[dir.dir] = s
					all = append(all, s)
				}
				if dir.own && s.Agent == "" {
					s.Agent, s.Name, s.groups = a.ID, a.ID, a.Skills.Groups
				}
				s.Readers = append(s.Readers, Reader{a.ID, dir.rank})
			}
		}
	}
	shared := m.Paths(agents.SharedSkills)
	order := func(s *Source) int {
		owner := slices.IndexFunc(f.agents, func(a agents.Agent) bool { return a.ID == s.Agent })
		switch {
		case slices.Contains(shared, s.Dir):
			s.Name, s.Agent = "agents", ""
			return 3000
		case s.Scope == System && f.agents[owner].Skills.SystemFirst:
			return owner
		case s.Scope == System:
			return 4000 + owner
		case f.agents[owner].Skills.Deprecated:
			return 2000 + owner
		}
		return 1000 + owner
	}
	slices.SortStableFunc(all, func(a, b *Source) int { return cmp.Compare(order(a), order(b)) })
	found := make([]Source, 0, len(all))
	for _, s := range all {
		found = append(found, *s)
	}
	return append(found, f.definitions()...)
}

// definitions returns the user's sources of commands, then those of subagents.
func (f *Finder) definitions() (all []Source) {
	m := f.opts.Machine
	for _, kind := range []read.Kind{read.Command, read.Subagent} {
		for _, a := range f.agents {
			places := a.Commands
			if kind == read.Subagent {
				places = a.Subagents
			}
			for _, scope := range []Scope{System, User} {
				paths := places.User
				if scope == System {
					paths = places.System
				}
				for _, pattern := range m.Paths(paths...) {
					dir, files := split(pattern)
					all = append(all, Source{
						Name: a.ID, Kind: kind, Dir: dir, Files: files, Scope: scope, Agent: a.ID,
						Readers: []Reader{{a.ID, rank(a.Skills, scope, 0)}},
					})
				}
			}
		}
	}
	return all
}

// split splits a pattern into the folder before its first "*" and the rest.
func split(pattern string) (dir, files string) {
	i := strings.IndexByte(pattern, '*')
	j := strings.LastIndexByte(pattern[:i], '/')
	return pattern[:j], pattern[j+1:]
}

// in returns the sources in one folder of a project: in its root, or in a nested one.
func (f *Finder) in(root, dir, name string, has func(name string) bool) (all []Source) {
	for _, kind := range []read.Kind{read.Skill, read.Command, read.Subagent} {
		byDir := make(map[string]int)
		for _, a := range f.agents {
			if dir != root && !a.Skills.Nested {
				continue
			}
			add := func(rel, files string, rank int) {
				head, _, _ := strings.Cut(rel, "/")
				if !has(head) {
					return
				}
				key := rel + "\x00" + files
				i, known := byDir[key]
				if !known {
					i = len(all)
					byDir[key] = i
					all = append(all, Source{
						Name: name, Kind: kind, Dir: filepath.Join(dir, rel), Files: files, Scope: Project, Agent: f.owner(kind, rel, files), Root: root,
					})
				}
				all[i].Readers = append(all[i].Readers, Reader{a.ID, rank})
			}
			// What is nested deeper is preferred.
			depth := strings.Count(strings.TrimPrefix(dir, root), "/")
			switch kind {
			case read.Skill:
				for _, folder := range folders(a.Skills, Project, a.Skills.Project, a.Skills.Also.Project) {
					add(folder.dir, "", folder.rank-min(depth, 4)*10*min(1, folder.rank))
				}
			case read.Command:
				for _, pattern := range a.Commands.Project {
					d, files := split(pattern)
					add(d, files, rankProject)
				}
			case read.Subagent:
				for _, pattern := range a.Subagents.Project {
					d, files := split(pattern)
					add(d, files, rankProject)
				}
			}
		}
	}
	return all
}

// owner returns the agent whose folder in a project it is, by the agent's description;
// "" for one that agents share.
func (f *Finder) owner(kind read.Kind, rel, files string) string {
	owners := 0
	var owner string
	for _, a := range f.agents {
		own := a.Skills.Project
		pattern := rel
		switch kind {
		case read.Command:
			own, pattern = a.Commands.Project, path.Join(rel, files)
		case read.Subagent:
			own, pattern = a.Subagents.Project, path.Join(rel, files)
		}
		if slices.Contains(own, pattern) {
			if owners++; owners == 1 {
				owner = a.ID
			}
		}
	}
	if rel == ".agents/skills" {
		return ""
	}
	return owner
}

// heads returns the first names of the folders of projects.
func (f *Finder) heads(nested bool) map[string]bool {
	all := make(map[string]bool)
	for _, a := range f.agents {
		if nested && !a.Skills.Nested {
			continue
		}
		for _, pattern := range slices.Concat(a.Skills.Project, a.Skills.Also.Project, a.Commands.Project, a.Subagents.Project) {
			head, _, _ := strings.Cut(pattern, "/")
			all[head] = true
		}
	}
	return all
}
