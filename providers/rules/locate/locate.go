// Package locate finds files of rules: those of the machine and the user, those that may
// hold for a path, and all of a project.
//
// What an agent reads is in its description (package agents). For one path it suffices to
// look into the folders from the project's root down to it ([Finder.For]), so that is
// exact whenever it is asked. All rules of a project are found by a walk ([Finder.Walk]),
// which leaves out what git ignores, other repositories, other file systems and hidden
// folders, and is bounded.
package locate

import (
	"cmp"
	"errors"
	iofs "io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"ctxfs/fs"
	"ctxfs/providers/internal/agents"
	"ctxfs/providers/rules/read"
	"ctxfs/providers/rules/scope"
)

// Options are the surroundings of a [Finder].
type Options struct {
	Machine agents.Machine
	// Hide reports whether a path is one of our own views; it may be nil.
	Hide func(path string) bool
	// GitIgnore are the user's patterns of what git ignores everywhere.
	GitIgnore []byte
}

// Finder finds files of rules. It is not safe for concurrent use.
type Finder struct {
	opts  Options
	files map[key]*read.File
	used  map[key]bool
	// agents are all agents as they are configured, by project; "" is the user.
	agents map[string][]configured
}

// key identifies a file, with the folder that it may not lead out of, and how far its
// imports are followed.
type key struct {
	path, root string
	hops       int
}

// New returns a Finder that has read nothing.
func New(opts Options) *Finder {
	if opts.Hide == nil {
		opts.Hide = func(string) bool { return false }
	}
	return &Finder{opts: opts, files: make(map[key]*read.File), used: make(map[key]bool), agents: make(map[string][]configured)}
}

// Fault is something that could not be looked into.
type Fault struct {
	Path string
	Err  error
}

// pattern is where an agent looks for rules.
type pattern struct {
	agent configured
	level scope.Level
	kind  int
	text  string // as package agents or the settings have it
}

// found are the places that are being found.
type found struct {
	*Finder
	places []scope.Place
	faults []Fault
	bytes  int                 // of texts
	names  map[string][]string // what matches in the folder at hand, by pattern
}

// User returns the rules of the machine and the user, of all agents. The settings of the
// project at root may leave some out; "" is no project.
func (f *Finder) User(root string) ([]scope.Place, []Fault) {
	all := &found{Finder: f}
	for _, a := range f.agentsAt(root) {
		for level, paths := range map[scope.Level][]agents.Path{scope.System: a.Rules.System, scope.User: a.Rules.User} {
			for kind, p := range paths {
				for _, path := range f.opts.Machine.Paths(p) {
					all.user(pattern{agent: a, level: level, kind: kind, text: string(p)}, path)
				}
			}
		}
		all.elsewhere(a, "", scope.User)
	}
	slices.SortStableFunc(all.places, byPlace)
	return all.places, all.faults
}

// user adds what matches a path of the user with "*" and "**" in it.
func (f *found) user(p pattern, path string) {
	dir, name := splitGlob(path)
	f.names = make(map[string][]string)
	for _, name := range f.matching(filepath.Clean(dir), name, "") {
		f.add(p, "", filepath.Join(dir, name), name, "")
	}
}

// For returns the rules of a project that may hold for a path, whichever agent reads
// them: those in the folders from the root down to it, and of agents that look there
// those in the folders above. Root is without symbolic links; path need not exist.
func (f *Finder) For(root, path string) ([]scope.Place, []Fault) {
	all := &found{Finder: f}
	for dir := filepath.Dir(root); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if f.opts.Hide(dir) {
			break
		}
		all.in(dir, root, scope.Above)
	}
	all.below(root, path)
	all.named(root)
	slices.SortStableFunc(all.places, byPlace)
	return all.places, all.faults
}

// below looks into the folders from the root down to a path.
func (f *found) below(root, path string) {
	dirs := []string{root}
	if rel, err := filepath.Rel(root, path); err == nil && filepath.IsLocal(rel) && rel != "." {
		dir := root
		for name := range strings.SplitSeq(rel, "/") {
			dir = filepath.Join(dir, name)
			dirs = append(dirs, dir)
		}
	}
	for _, dir := range dirs {
		if info, err := os.Lstat(dir); f.opts.Hide(dir) || err != nil || !info.IsDir() {
			return
		}
		f.in(dir, root, scope.Project)
	}
}

// in looks into one folder.
func (f *found) in(dir, root string, level scope.Level) {
	f.names = make(map[string][]string)
	bound := root
	if level == scope.Above {
		bound = dir
	}
	for _, a := range f.agentsAt(root) {
		for kind, text := range a.Rules.Project {
			nested := slices.Contains(a.Rules.Nested, text)
			if dir != root && !nested || level == scope.Above && !(a.Rules.Above && (a.top == "" || fs.Within(dir, a.top))) {
				continue
			}
			p := pattern{agent: a, level: level, kind: kind, text: text}
			for _, name := range f.matching(dir, text, bound) {
				f.add(p, dir, filepath.Join(dir, name), name, bound)
			}
		}
	}
}

// add adds a file; one that cannot be read, too.
func (f *found) add(p pattern, dir, path, name, bound string) {
	known := len(f.used)
	file := f.read(path, bound, p.agent.Rules.Imports)
	if len(f.used) > known {
		f.bytes += len(file.Text)
	}
	place := scope.Place{
		Agent: p.agent.ID, Level: p.level, Dir: dir, Pattern: p.text, Kind: p.kind, Name: name, File: file,
		Below: p.level == scope.Project && dir != bound, Named: p.agent.named[p.text], Settings: p.agent.settings,
	}
	if p.level != scope.System && p.agent.leavesOut(path, f.opts.Hide) {
		place.Out = "because " + p.agent.outBy + " leaves it out"
	}
	f.places = append(f.places, place)
}

// leavesOut reports whether settings leave a file out, by its own path or that to which it
// leads.
func (c configured) leavesOut(path string, hide func(string) bool) bool {
	if len(c.out) == 0 {
		return false
	}
	real, err := fs.DiskOptions{Hide: hide}.Resolve(path)
	return slices.ContainsFunc(c.out, func(glob string) bool {
		return scope.Match(glob, path) || err == nil && scope.Match(glob, real)
	})
}

// named adds what the settings of a project name and nothing here reads.
func (f *found) named(root string) {
	for _, a := range f.agentsAt(root) {
		f.elsewhere(a, root, scope.Project)
	}
}

// elsewhere adds what settings name and nothing here reads: those of the user, or of the
// project in a folder.
func (f *found) elsewhere(a configured, dir string, level scope.Level) {
	for _, e := range a.elsewhere {
		if e.own == (level == scope.User) {
			f.places = append(f.places, scope.Place{Agent: a.ID, Level: level, Dir: dir, Pattern: e.text, Name: e.text, Named: true, File: read.Elsewhere(e.text)})
		}
	}
}

// read reads a file, or returns what is known of it. Without an "@" it is the same
// however far imports are followed.
func (f *Finder) read(path, bound string, hops int) *read.File {
	file := f.readWith(key{path, bound, 0})
	if hops == 0 || !strings.Contains(file.Raw, "@") {
		return file
	}
	return f.readWith(key{path, bound, hops})
}

func (f *Finder) readWith(k key) *read.File {
	file := f.files[k]
	if file == nil || !f.used[k] && !file.IsCurrent() {
		file = read.Read(k.path, read.Options{Root: k.root, Home: f.opts.Machine.Home, Hops: k.hops, Hide: f.opts.Hide})
		f.files[k] = file
	}
	f.used[k] = true
	return file
}

// Forget ends a round: files that were not asked for in it are forgotten, and the others
// are looked at again in the next.
func (f *Finder) Forget() {
	maps.DeleteFunc(f.files, func(k key, _ *read.File) bool { return !f.used[k] })
	clear(f.used)
	clear(f.agents)
}

const (
	// maxDepth is how deep a folder of rules is searched.
	maxDepth = 8
	// maxEntries is how many entries of a folder of rules are looked at.
	maxEntries = 2000
)

// matching returns the names below a folder that match a pattern, sorted. Out of bound,
// if it is not "", no link to a folder is followed.
func (f *found) matching(dir, text, bound string) []string {
	if names, ok := f.names[text]; ok {
		return names
	}
	var names []string
	if fixed, rest := splitGlob(text); !isGlob(text) {
		if info, err := os.Lstat(filepath.Join(dir, text)); err == nil && !info.IsDir() && !f.opts.Hide(filepath.Join(dir, text)) {
			if !f.otherwise(dir, text, info) {
				names = []string{text}
			}
		} else if err != nil && !errors.Is(err, iofs.ErrNotExist) && !isNotDir(err) {
			f.faults = append(f.faults, Fault{filepath.Join(dir, text), err})
		}
	} else {
		s := search{found: f, pattern: text, bound: bound, left: maxEntries, seen: make(map[string]bool)}
		depth := 1
		if strings.Contains(rest, "/") {
			depth = maxDepth
		}
		s.walk(filepath.Join(dir, fixed), fixed, depth)
		names = s.names
		slices.Sort(names)
	}
	f.names[text] = names
	return names
}

// otherwise reports whether a file is known by its name in other case: some file systems
// do not tell them apart.
func (f *found) otherwise(dir, name string, info os.FileInfo) bool {
	for known := range f.names {
		if known != name && strings.EqualFold(known, name) && len(f.names[known]) > 0 {
			other, err := os.Lstat(filepath.Join(dir, known))
			if err == nil && os.SameFile(info, other) {
				return true
			}
		}
	}
	return false
}

// search looks for what matches a pattern.
type search struct {
	*found
	pattern string
	bound   string
	left    int
	seen    map[string]bool // folders, links resolved
	names   []string
}

// walk searches a folder whose entries have names that begin with prefix.
func (s *search) walk(dir, prefix string, depth int) {
	real, err := fs.DiskOptions{Hide: s.opts.Hide}.Resolve(dir)
	switch {
	case err != nil || s.seen[real]:
		return
	case s.bound != "" && real != s.bound && !strings.HasPrefix(real, s.bound+"/"):
		s.faults = append(s.faults, Fault{dir, read.ErrOutside})
		return
	}
	s.seen[real] = true
	entries, err := os.ReadDir(real)
	if err != nil {
		if !isNotDir(err) && !errors.Is(err, iofs.ErrNotExist) {
			s.faults = append(s.faults, Fault{dir, err})
		}
		return
	}
	for _, e := range entries {
		name := prefix + e.Name()
		if s.left--; s.left < 0 {
			s.faults = append(s.faults, Fault{dir, errTooMany})
			return
		}
		isDir := e.IsDir()
		if e.Type() == iofs.ModeSymlink {
			info, err := os.Stat(s.inOurReach(filepath.Join(real, e.Name())))
			isDir = err == nil && info.IsDir()
		}
		switch {
		case isDir && depth > 1 && e.Name() != ".git" && e.Name() != "node_modules":
			s.walk(filepath.Join(dir, e.Name()), name+"/", depth-1)
		case !isDir && scope.Match(s.pattern, name) && !isTemporary(e.Name()):
			s.names = append(s.names, name)
		}
	}
}

// inOurReach returns what a path leads to, or a path of nothing if that is in a view of
// ours.
func (s *search) inOurReach(path string) string {
	real, err := fs.DiskOptions{Hide: s.opts.Hide}.Resolve(path)
	if err != nil {
		return "\x00"
	}
	return real
}

var errTooMany = errors.New("has more entries than are looked at")

func isNotDir(err error) bool { return errors.Is(err, syscall.ENOTDIR) }

// isTemporary reports whether a file is no rule even where every file is one
// (docs.roocode.com/features/custom-instructions).
func isTemporary(name string) bool {
	return slices.Contains([]string{".DS_Store", "Thumbs.db", "desktop.ini"}, name) || strings.HasPrefix(name, ".#") || strings.HasSuffix(name, "~") ||
		slices.Contains([]string{".bak", ".cache", ".crdownload", ".db", ".dmp", ".dump", ".eml", ".lock", ".log", ".old", ".part", ".partial", ".pyc", ".pyo", ".stackdump", ".swo", ".swp", ".temp", ".tmp"}, filepath.Ext(name))
}

// byPlace orders places by agent, as package agents lists them, level, folder and name.
func byPlace(a, b scope.Place) int {
	return cmp.Or(cmp.Compare(a.Level, b.Level), strings.Compare(a.File.Path, b.File.Path))
}

// UserPaths returns where rules of the machine and the user may be, and the settings that
// name them: paths of files, and of folders, which end with a slash.
func (f *Finder) UserPaths() (paths []string) {
	m := f.opts.Machine
	for _, a := range f.agentsAt("") {
		for _, p := range slices.Concat(a.Rules.System, a.Rules.User, a.Rules.Settings.System, a.Rules.Settings.User) {
			for _, path := range m.Paths(p) {
				switch {
				case !isGlob(path):
					paths = append(paths, path)
				case !a.named[string(p)]: // what users name may be large
					fixed, _ := splitGlob(path)
					paths = append(paths, fixed)
				}
			}
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}
