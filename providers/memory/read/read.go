// Package read finds what agents remember: the files in which each of them keeps its
// memories, in its own form, as memories of one shape.
//
// Where these files are stands in package agents. notes.go takes long files apart; each
// other file of this package reads the form of some agents, and names its source.
package read

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/providers/internal/agents"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/workspaces"
	"ctxfs/providers/memory/fact"
	"ctxfs/providers/memory/files"
)

// Options are the surroundings of a Reader.
type Options struct {
	Machine    agents.Machine
	Workspaces *workspaces.Set
	// Configs are further files that configure MCP servers.
	Configs []string
	// Hide reports whether a path must not be touched; it may be nil.
	Hide func(path string) bool
	Now  func() time.Time
}

// Reader reads what agents remember. It is not safe for concurrent use.
type Reader struct {
	opts    Options
	cache   files.Cache[*fact.Memory]
	configs files.Cache[string]
	logged  map[string]logged // the folders of Claude Code's projects, by their names there
	scopes  map[string]string // of its folders of memories, as they were last read
	found   Found
}

// Found is what agents remember.
type Found struct {
	Memories []*fact.Memory
	// Notes are sentences about what cannot be shown.
	Notes []string
	// Watch are the files in which it is, and the folders, which end with a slash.
	Watch []string
}

// New returns a Reader that has read nothing yet.
func New(opts Options) *Reader {
	return &Reader{
		opts: opts, cache: files.Cache[*fact.Memory]{Hide: opts.Hide}, configs: files.Cache[string]{Hide: opts.Hide},
		logged: make(map[string]logged), scopes: make(map[string]string),
	}
}

// Read reads what has changed.
func (r *Reader) Read() Found {
	r.found = Found{}
	r.cache.Begin()
	r.configs.Begin()
	for _, read := range []func(){r.claude, r.codex, r.gemini, r.graphs, r.vscode, r.goose, r.droid, r.windsurf, r.letta} {
		read()
	}
	for _, err := range append(r.cache.End(), r.configs.End()...) {
		r.found.Notes = append(r.found.Notes, "cannot be read: "+clean.Line(err.Error()))
	}
	slices.Sort(r.found.Notes)
	return r.found
}

// owner is whose memories files have, where their front matter does not say it.
type owner struct {
	agent, scope, within string
}

// origin returns where a file is from.
func (r *Reader) origin(f files.File, o owner) fact.Origin {
	base := filepath.Base(f.Path)
	return fact.Origin{
		Path: f.Path, Size: f.Size, ModTime: f.ModTime, Home: r.opts.Machine.Home, Now: r.opts.Now(),
		Name: strings.TrimSuffix(base, filepath.Ext(base)), Scope: o.scope, Agent: o.agent, Within: o.within,
	}
}

// places returns the files and folders of users in which an agent keeps memories and that
// exist, with what stood for each "*" in them.
func (r *Reader) places(agent string) (paths []string) {
	for _, path := range r.opts.Machine.Paths(agents.ByID(agent).Memory.User...) {
		paths = append(paths, r.expand(path)...)
	}
	return paths
}

// expand returns the paths that a pattern matches.
func (r *Reader) expand(pattern string) []string {
	before, _, _ := strings.Cut(pattern, "*")
	if fs.Hides(r.opts.Hide, before) {
		return nil
	}
	if strings.Contains(pattern, "*") {
		found, _ := filepath.Glob(pattern)
		return found
	}
	if _, err := os.Lstat(pattern); err != nil {
		return nil
	}
	return []string{pattern}
}

// inProjects calls read with each place in a project in which an agent keeps memories.
func (r *Reader) inProjects(agent string, read func(path string, o owner)) {
	for _, w := range r.opts.Workspaces.All() {
		for _, dir := range w.Folders() {
			for _, rel := range agents.ByID(agent).Memory.Project {
				path := filepath.Join(dir, filepath.FromSlash(rel))
				if fs.Hides(r.opts.Hide, path) {
					continue
				}
				if _, err := os.Lstat(path); err == nil {
					read(path, owner{agent, w.Dir, w.Dir})
				}
			}
		}
	}
}

func (r *Reader) add(all []*fact.Memory) { r.found.Memories = append(r.found.Memories, all...) }

// folder adds the memories in a folder, with all below it: each file is one, except for
// lists, which are files in which an agent keeps many.
func (r *Reader) folder(dir string, o owner, lists ...string) {
	r.found.Watch = append(r.found.Watch, dir+"/")
	r.add(r.cache.Below(dir, []string{fact.Extension}, func(rel string, f files.File) []*fact.Memory {
		if strings.HasPrefix(rel, "skills/") {
			return nil // shown as skills
		}
		if slices.Contains(lists, rel) {
			return r.notes(f, o, notesOf(string(f.Body)))
		}
		return one(fact.Parse(f.Body, r.origin(f, o)))
	}))
}

// file adds the memories in a file that has many: of those for which wanted is true, all
// if it is nil.
func (r *Reader) file(path string, o owner, wanted func(note) bool) {
	r.found.Watch = append(r.found.Watch, path)
	r.add(r.cache.File(path, files.MaxList, func(f files.File) []*fact.Memory {
		all := notesOf(string(f.Body))
		if wanted != nil {
			all = slices.DeleteFunc(all, func(n note) bool { return !wanted(n) })
		}
		return r.notes(f, o, all)
	}))
}

func (r *Reader) notes(f files.File, o owner, all []note) (memories []*fact.Memory) {
	for i, n := range all {
		from := r.origin(f, o)
		from.Name, from.Part, from.Type, from.Size = "", fmt.Sprint(i), n.is, 0
		memories = append(memories, one(fact.Parse([]byte(n.text), from))...)
	}
	return memories
}

func one(m *fact.Memory) []*fact.Memory {
	if m == nil {
		return nil
	}
	return []*fact.Memory{m}
}

// note reports a sentence about what cannot be shown.
func (r *Reader) note(format string, args ...any) {
	r.found.Notes = append(r.found.Notes, fmt.Sprintf(format, args...))
}

// readSmall returns a file's text, or its beginning; "" if it cannot be read.
func (r *Reader) readSmall(path string) string {
	text := r.configs.File(path, files.MaxList, func(f files.File) []string { return []string{string(f.Body)} })
	return strings.Join(text, "")
}

// projectOf returns the scope for a folder in which an agent has worked: the user's where
// that is no project.
func (r *Reader) projectOf(dir string) string {
	dir = filepath.Clean(dir)
	if !filepath.IsAbs(dir) || fs.Within(r.opts.Machine.Home, dir) {
		return fact.User
	}
	return dir
}
