// Package workspaces knows the folders in which agents and people work: those that a
// configuration names, and those with recent work. Each is a project as package project
// finds it, or a folder of no project that an agent has worked in. The worktrees of a
// repository are one workspace with it.
//
// It reads nothing in these folders except for the few bytes with which git joins a
// worktree to its repository.
package workspaces

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/facts"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/project"
)

const (
	// Lately is for how long a folder stays a workspace after the last work there,
	// unless the settings say otherwise.
	Lately = 14 * 24 * time.Hour
	// maxWorkspaces limits how many there are; those with the oldest work are left
	// out.
	maxWorkspaces = 100
	// examined is for how long a folder that was looked at is not looked at again.
	examined = time.Minute
	// patience is how long a folder may take to answer.
	patience = 2 * time.Second
)

// Workspace is a folder in which agents or people work.
type Workspace struct {
	// Name is its file name in the tree. A workspace keeps it.
	Name string
	// Dir is its absolute path without symbolic links: that of the repository where it
	// is one.
	Dir string
	// Worktrees are the folders of its linked worktrees with recent work, sorted.
	Worktrees []string
	// Time is when the last work there happened; zero if it is only configured.
	Time time.Time

	alone bool                 // it is a folder of no project
	last  map[string]time.Time // when the last work in each worktree happened
}

// Folders returns its folder and those of its worktrees.
func (w Workspace) Folders() []string { return append([]string{w.Dir}, w.Worktrees...) }

// Has reports whether a path is at or below the workspace or one of its worktrees.
func (w Workspace) Has(path string) bool {
	return slices.ContainsFunc(w.Folders(), func(dir string) bool { return fs.Within(path, dir) })
}

// Options are the surroundings of a [Set].
type Options struct {
	Projects *project.Resolver
	// Home is the user's home folder, which is no workspace, nor is what it is in.
	Home string
	// Names is the path of the file that keeps names; "" keeps them only in memory.
	Names string
	// Kept is the path of the file that keeps the set, so that another process begins
	// with it: "" for none.
	Kept string
	// Visits returns the folders with work since a time, see [facts.VisitSource].
	Visits func(since time.Time) []facts.Visit
	Now    func() time.Time
	// Lazy has the first use of a set look for the workspaces if Update was never
	// called, for a process that has no worker to call it.
	Lazy bool
}

// Set is the set of all workspaces. It is safe for concurrent use.
type Set struct {
	opts   Options
	names  *names
	prober *fs.Prober

	first    sync.Once
	updating sync.Mutex
	places   map[string]place // of folders that were visited

	mu         sync.Mutex
	configured []string
	lately     time.Duration
	all        []Workspace
	tell       []func(paths []string)
}

// place is what a visited folder is part of.
type place struct {
	root      string // of the workspace; "" if it is in no project
	worktree  string // its worktree, where that is another folder
	alone     string // the folder itself, if it is in no project and may be a workspace
	lookedFor time.Time
}

// New returns the set as it was last kept. It looks at no folder; Update does.
func New(opts Options) *Set {
	s := &Set{opts: opts, names: loadNames(opts.Names), prober: fs.NewProber(patience), places: make(map[string]place), lately: Lately}
	s.all = slices.DeleteFunc(readKept(opts.Kept), func(w Workspace) bool { return slices.ContainsFunc(w.Folders(), opts.Projects.Hides) })
	s.names.assign(s.all)
	for _, w := range s.all { // until they are looked at
		if s.places[w.Dir] = (place{root: w.Dir}); w.alone {
			s.places[w.Dir] = place{alone: w.Dir}
		}
		for dir := range w.last {
			s.places[dir] = place{root: w.Dir, worktree: dir}
		}
	}
	return s
}

// Configure sets which folders are workspaces without any work there, and for how
// long others are after the last work. It takes effect at the next Update.
func (s *Set) Configure(dirs []string, lately time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.configured, s.lately = slices.Clone(dirs), lately
}

// All returns all workspaces, those with the latest work first: those that were kept
// until Update was first called. The slice is not written to.
func (s *Set) All() []Workspace {
	if s.opts.Lazy {
		s.first.Do(func() { s.update() })
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all
}

// Of returns the workspace that has a path: the innermost one.
func (s *Set) Of(path string) (best Workspace, ok bool) {
	path, longest := filepath.Clean(path), 0
	for _, w := range s.All() {
		for _, dir := range w.Folders() {
			if fs.Within(path, dir) && len(dir) > longest {
				best, ok, longest = w, true, len(dir)
			}
		}
	}
	return best, ok
}

// Root returns the folder of the workspace in which a program stands, or in which it
// would stand after work there; "" if that cannot be one.
func (s *Set) Root(at fs.Standpoint) string {
	if root, _ := s.opts.Projects.Of(at); root != "" {
		if main := s.repositoryOf(root); main != "" {
			return main
		}
		return root
	}
	root, _ := fs.Probe(s.prober, at.Dir, func() (string, error) { return s.alone(at.Dir), nil })
	return root
}

// RootAt returns the folder of the workspace that a folder on disk is in, by its absolute
// path, as Root does.
func (s *Set) RootAt(dir string) string {
	p, err := fs.Probe(s.prober, dir, func() (place, error) { return s.examine(dir), nil })
	if err != nil {
		return ""
	}
	return cmp.Or(p.root, p.alone)
}

// Update looks for the workspaces again, and reports whether any has changed. It waits
// for folders that do not answer, two seconds for each at most.
func (s *Set) Update() (changed bool) {
	s.first.Do(func() { changed = s.update() })
	return s.update() || changed
}

func (s *Set) update() (changed bool) {
	s.updating.Lock()
	defer s.updating.Unlock()
	s.mu.Lock()
	configured, since := s.configured, s.opts.Now().Add(-s.lately)
	s.mu.Unlock()

	found := make(map[string]*Workspace)
	at := func(root string) *Workspace {
		if found[root] == nil {
			found[root] = &Workspace{Dir: root}
		}
		return found[root]
	}
	seen := make(map[string]bool)
	for _, dir := range configured {
		if p := s.place(dir, true); p.root != "" {
			at(p.root)
		}
		seen[dir] = true
	}
	for _, v := range append(s.opts.Visits(since), s.known()...) {
		if v.Time.Before(since) || !filepath.IsAbs(v.Dir) {
			continue
		}
		dir := filepath.Clean(v.Dir)
		seen[dir] = true
		p := s.place(dir, v.Certain)
		if p.root == "" {
			continue
		}
		w := at(p.root)
		w.Time = wording.Later(w.Time, v.Time)
		w.alone = p.root == p.alone
		if p.worktree != "" && v.Time.After(w.last[p.worktree]) {
			if w.last == nil {
				w.last = make(map[string]time.Time)
			}
			w.last[p.worktree] = v.Time
		}
	}
	maps.DeleteFunc(s.places, func(dir string, _ place) bool { return !seen[dir] })

	all := make([]Workspace, 0, len(found))
	for _, w := range found {
		if s.opts.Projects.Hides(w.Dir) {
			continue // it has become a view of ours
		}
		w.Worktrees = slices.Sorted(maps.Keys(w.last))
		all = append(all, *w)
	}
	slices.SortFunc(all, func(a, b Workspace) int {
		return cmp.Or(b.Time.Compare(a.Time), strings.Compare(a.Dir, b.Dir))
	})
	all = all[:min(len(all), maxWorkspaces)]
	s.names.assign(all)

	s.mu.Lock()
	changed = !slices.EqualFunc(all, s.all, func(a, b Workspace) bool {
		return a.Name == b.Name && a.Dir == b.Dir && a.Time.Equal(b.Time) && slices.Equal(a.Worktrees, b.Worktrees)
	})
	s.all = all
	s.mu.Unlock()
	if changed && !s.opts.Lazy {
		keep(s.opts.Kept, all)
	}
	return changed
}

// known returns the workspaces of the set as visits: a visit stays true while its
// source has not read it yet, or has forgotten it.
func (s *Set) known() (all []facts.Visit) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.all {
		all = append(all, facts.Visit{Dir: w.Dir, Time: w.Time, Certain: w.alone})
		for dir, at := range w.last {
			all = append(all, facts.Visit{Dir: dir, Time: at})
		}
	}
	return all
}

// place returns what a folder is part of. A folder of no project is a workspace of its
// own if it is settled. One that does not answer is part of what it was part of.
func (s *Set) place(dir string, settled bool) place {
	now := s.opts.Now()
	p, ok := s.places[dir]
	if !ok || now.Sub(p.lookedFor) >= examined {
		if now, err := fs.Probe(s.prober, dir, func() (place, error) { return s.examine(dir), nil }); err == nil {
			p = now
		}
		p.lookedFor = now
		s.places[dir] = p
	}
	if p.root == "" && settled {
		p.root = p.alone
	}
	return p
}

// examine looks at a folder, which may be on a disk that does not answer.
func (s *Set) examine(dir string) (p place) {
	p.root, _ = s.opts.Projects.At(dir)
	if p.root == "" {
		p.alone = s.alone(dir)
	} else if main := s.repositoryOf(p.root); main != "" && main != p.root {
		p.root, p.worktree = main, p.root
	}
	return p
}

// alone returns a folder of no project without symbolic links, if it may be a workspace:
// not the home folder nor a folder above it, none where every user may write, and none in
// a view of ours.
func (s *Set) alone(dir string) string {
	real, err := s.opts.Projects.Resolve(dir)
	if err != nil {
		return ""
	}
	info, err := os.Stat(real)
	if err != nil || !info.IsDir() || info.Mode()&os.ModeSticky != 0 {
		return ""
	}
	if home, err := filepath.EvalSymlinks(s.opts.Home); err == nil && fs.Within(home, real) {
		return ""
	}
	return real
}

// Notice has a function called with paths in workspaces that have changed on disk, as far
// as their folders are watched: for a new folder only its own. It must only enqueue.
func (s *Set) Notice(tell func(paths []string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tell = append(s.tell, tell)
}

// Noticed passes on which paths have changed on disk. The code that watches workspaces
// calls it.
func (s *Set) Noticed(paths []string) {
	s.mu.Lock()
	tell := slices.Clone(s.tell)
	s.mu.Unlock()
	for _, t := range tell {
		t(paths)
	}
}
