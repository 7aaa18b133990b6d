// Package store keeps memories of our own: a folder of plain Markdown files, one memory
// each (package fact).
//
//	user/<name>.md                  what holds everywhere
//	projects/<project>/<name>.md    what holds in one project
//
// The folder is the user's: it may be a git repository, be synced between machines, and
// be written by editors and other programs at any time. Nothing is ever overwritten in it.
// A new memory is a new file, whole or not there at all; one that is forgotten moves into
// the trash. Processes that write at once take turns by a lock of the folder itself.
package store

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/names"
	"ctxfs/providers/memory/fact"
	"ctxfs/providers/memory/files"
)

const (
	userFolder     = "user"
	projectsFolder = "projects"
)

// Options are the settings of a Store.
type Options struct {
	// Dir is the folder; it need not exist. Trash is where what is forgotten goes.
	Dir, Trash string
	// Home is the user's home folder.
	Home string
	// Hide reports whether a path must not be touched; it may be nil.
	Hide func(path string) bool
	Now  func() time.Time
}

// Store is the folder. It is safe for concurrent use, and by several processes.
type Store struct {
	opts Options

	mu     sync.Mutex // held while the folder is read
	cache  files.Cache[*fact.Memory]
	dirs   map[string]string // of projects, by the names of their folders
	placed map[*fact.Memory]*fact.Memory

	known  sync.Mutex
	all    []*fact.Memory
	faults []fs.Problem
}

// New returns the store of a folder. Nothing was read yet.
func New(opts Options) *Store {
	return &Store{opts: opts, cache: files.Cache[*fact.Memory]{Hide: opts.Hide}}
}

// Dir returns the folder.
func (s *Store) Dir() string { return s.opts.Dir }

// Load reads what has changed in the folder.
func (s *Store) Load() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.load()
}

// All returns the memories as they were last read, and what is wrong with the folder. Of a file in which git
// has left two versions there are two. The slices are not written to.
func (s *Store) All() ([]*fact.Memory, []fs.Problem) {
	s.known.Lock()
	defer s.known.Unlock()
	return s.all, s.faults
}

// load is Load for a caller that holds mu.
func (s *Store) load() {
	s.cache.Begin()
	all := s.cache.Below(s.opts.Dir, []string{fact.Extension}, s.parse)
	var faults []fs.Problem
	for _, err := range s.cache.End() {
		faults = append(faults, fs.Problem{
			What: "a memory cannot be read: " + clean.Line(err.Error()),
			Mend: "make it readable, or remove it",
		})
	}
	conflicts := 0
	for _, m := range all {
		if m.Part != "" {
			conflicts++
		}
	}
	if what := s.merging(); what != "" || conflicts > 0 {
		faults = append(faults, s.mergeProblem(what, conflicts/2))
	}
	s.settle(all)
	s.known.Lock()
	defer s.known.Unlock()
	s.all, s.faults = all, faults
}

// mergeProblem describes a merge that is not finished.
func (s *Store) mergeProblem(what string, conflicts int) fs.Problem {
	opts := s.opts
	dir := wording.ShellWord(wording.Tilde(opts.Dir, opts.Home))
	p := fs.Problem{What: "git is in the middle of a " + what + " in " + clean.Line(wording.Tilde(opts.Dir, opts.Home)), Mend: "git -C " + dir + " status"}
	if what == "" {
		p.What = "there are marks of a merge in " + clean.Line(wording.Tilde(opts.Dir, opts.Home))
	}
	if conflicts > 0 {
		p.What += ": " + wording.Count(conflicts, "memories") + " with two versions, which are both shown"
		p.Mend = "edit them: remove the marks, and the version that does not hold"
		if s.gitDir() != "" {
			p.Mend = "edit them, then: git -C " + dir + " add -A"
		}
	}
	return p
}

// parse makes memories of a file: usually one.
func (s *Store) parse(rel string, f files.File) (all []*fact.Memory) {
	if rel == "README.md" {
		return nil
	}
	from := fact.Origin{
		Path: f.Path, Size: f.Size, ModTime: f.ModTime, Home: s.opts.Home, Now: s.opts.Now(),
		Name: nameOf(rel), Scope: cmp.Or(projectOf(rel), fact.User), Project: projectOf(rel),
	}
	versions := fact.Versions(f.Body)
	for i, v := range versions {
		if len(versions) > 1 {
			from.Part = []string{"ours", "theirs"}[i]
		}
		m := fact.Parse(v.File, from)
		if m == nil {
			continue
		}
		if len(versions) > 1 {
			m.Notes = append(m.Notes, fmt.Sprintf("git could not merge the file: this is the version of %s", clean.Line(v.Label)))
		}
		all = append(all, m)
	}
	return all
}

// nameOf returns the name of the memory in a file.
func nameOf(rel string) string {
	rel = strings.TrimSuffix(rel, path.Ext(rel))
	if of, rest, ok := strings.Cut(rel, "/"); ok && of == userFolder {
		rel = rest
	} else if ok && of == projectsFolder {
		if _, inProject, ok := strings.Cut(rest, "/"); ok {
			rest = inProject
		}
		rel = rest
	}
	return strings.ReplaceAll(rel, "/", "-")
}

// projectOf returns the name of the folder in projects that has a file, or "".
func projectOf(rel string) string {
	if rest, ok := strings.CutPrefix(rel, projectsFolder+"/"); ok {
		if project, _, ok := strings.Cut(rest, "/"); ok {
			return project
		}
	}
	return ""
}

// settle gives the memories in the folder of a project the folder on disk that others
// there name, if they agree.
func (s *Store) settle(all []*fact.Memory) {
	dirs := make(map[string]string)
	several := make(map[string]bool)
	for _, m := range all {
		if m.Project != "" && filepath.IsAbs(m.Scope) {
			several[m.Project] = several[m.Project] || dirs[m.Project] != "" && dirs[m.Project] != m.Scope
			dirs[m.Project] = m.Scope
		}
	}
	placed := make(map[*fact.Memory]*fact.Memory)
	for i, m := range all {
		dir := dirs[m.Project]
		if m.Project == "" || filepath.IsAbs(m.Scope) || dir == "" || several[m.Project] {
			continue
		}
		in := s.placed[m]
		if in == nil || in.Scope != dir {
			moved := *m
			moved.Scope, in = dir, &moved
		}
		placed[m], all[i] = in, in
	}
	s.dirs, s.placed = dirs, placed
}

// folderFor returns the folder for memories of a scope, below Dir. The caller holds mu.
func (s *Store) folderFor(scope string) string {
	if scope == fact.User {
		return userFolder
	}
	if !filepath.IsAbs(scope) {
		return filepath.Join(projectsFolder, names.File(scope))
	}
	base := names.File(filepath.Base(scope))
	for k := 1; ; k++ {
		name := base
		if k > 1 {
			name = fmt.Sprintf("%s~%d", base, k)
		}
		if at := s.dirs[name]; at == "" || at == scope {
			return filepath.Join(projectsFolder, name)
		}
	}
}

// errHidden reports that the folder is in a mount of ours.
var errHidden = errors.New("it is in a mount of ctxfs, which only shows it")

// prepare makes the folder.
func (s *Store) prepare() error {
	if fs.Hides(s.opts.Hide, s.opts.Dir) {
		return s.writable(errHidden)
	}
	return s.writable(os.MkdirAll(s.opts.Dir, 0o700))
}

// writable explains an error of writing.
func (s *Store) writable(err error) error {
	if err == nil {
		return nil
	}
	return &Fault{
		what: fmt.Sprintf("the folder of memories %s cannot be written: %v", wording.Tilde(s.opts.Dir, s.opts.Home), wording.Cause(err)),
		err:  err,
	}
}

// Fault is an error with what to do about it.
type Fault struct {
	what string
	err  error
}

func (f *Fault) Error() string { return f.what }

// Fix says what to do.
func (f *Fault) Fix() string {
	return "make it writable, or name another one in config.toml: [memory] dir = \"~/memory\""
}

func (f *Fault) Unwrap() error { return f.err }
