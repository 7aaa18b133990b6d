package skills

import (
	"errors"
	iofs "io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/providers/internal/agents"
)

// source is a folder where agents look for the skills of their user.
type source struct {
	name string // what is added to a name that is taken
	dir  string
	// groups are folders in dir that contain skills from elsewhere and are never
	// skills themselves.
	groups []string
}

// sources returns the folders of all agents, in order of precedence: if several
// skills have one name, the first keeps it. Those that agents themselves read only
// for old users come after the others, the shared one after that, and the built-in
// skill after all.
func sources(m agents.Machine) (all []source) {
	seen := make(map[string]bool)
	add := func(name string, groups []string, folders ...agents.Path) {
		for _, dir := range m.Paths(folders...) {
			if !seen[dir] {
				seen[dir] = true
				all = append(all, source{name: name, dir: dir, groups: groups})
			}
		}
	}
	for _, deprecated := range []bool{false, true} {
		for _, a := range agents.All() {
			if a.Skills.Deprecated == deprecated {
				add(a.ID, a.Skills.Groups, a.Skills.User...)
			}
		}
	}
	add("agents", nil, agents.SharedSkills)
	return all
}

const (
	// maxDepth is how deep below a source skills are searched for.
	maxDepth = 4
	// maxFolders is how many folders of one source are searched.
	maxFolders = 2000
)

// scan is one search of all sources.
type scan struct {
	*Provider
	old   *snapshot
	dirty map[string]bool

	seen    map[string]bool // the folders searched, links resolved
	folders int             // how many of this source

	skills  []*skill // in order of precedence
	faults  []fault
	roots   []string // the folders whose files are passed through
	trees   []string // the folders to watch with all below
	files   []string // the files to watch
	modTime time.Time
}

// place is a folder that is searched.
type place struct {
	real    string // links resolved
	shown   string // the path as the user knows it
	source  *source
	depth   int  // 0 for the source itself
	grouped bool // it is one of the source's groups
	info    os.FileInfo
}

// scan searches all sources. It reuses cards in old unless their file is in dirty
// or has changed.
func (p *Provider) scan(old *snapshot, dirty map[string]bool) *scan {
	s := &scan{Provider: p, old: old, dirty: dirty, seen: make(map[string]bool)}
	for i := range p.sources {
		s.folders = 0
		s.root(&p.sources[i])
	}
	builtin := *p.builtin
	s.skills = append(s.skills, &builtin)
	return s
}

// root searches one source.
func (s *scan) root(src *source) {
	if s.hidden(src.dir) {
		return
	}
	s.trees = append(s.trees, src.dir)
	if _, err := os.Lstat(src.dir); errors.Is(err, iofs.ErrNotExist) {
		s.roots = append(s.roots, src.dir)
		return
	}
	real, info, err := s.resolve(src.dir)
	switch {
	case err != nil:
		s.roots = append(s.roots, src.dir)
		s.fault(unreadable(s.shown(src.dir), err))
	case !info.IsDir():
		s.roots = append(s.roots, src.dir)
		s.fault(fault{where: s.shown(src.dir), what: "is not a folder", fix: "move it away: skills are searched for here", severe: true})
	case !s.seen[real]:
		s.seen[real] = true
		s.roots = append(s.roots, real)
		s.modTime = latest(s.modTime, info.ModTime())
		s.search(place{real: real, shown: src.dir, source: src})
	}
}

// search searches a folder that is not a skill itself, and returns the number of
// skills found.
func (s *scan) search(in place) int {
	entries, err := os.ReadDir(in.real)
	if err != nil {
		if in.depth != 1 || in.grouped { // otherwise the folder itself is shown, with its fault
			s.fault(unreadable(s.shown(in.shown), err))
		}
		return 0
	}
	before := len(s.skills)
	// Skills come first: below other folders the limit may be reached.
	var others []place
	for _, e := range entries {
		if at, ok := s.inspect(in, e); ok {
			others = append(others, at)
		}
	}
	for _, at := range others {
		switch {
		case at.depth < maxDepth && s.search(at) > 0:
			s.roots = append(s.roots, at.real)
		case at.depth == 1 && !at.grouped:
			s.addSkill(at, "", false, nil)
		}
	}
	return len(s.skills) - before
}

// inspect looks at one entry of a folder. A skill is added; a folder that may
// contain skills is returned.
func (s *scan) inspect(in place, e os.DirEntry) (other place, ok bool) {
	name := e.Name()
	grouped := in.depth == 0 && slices.Contains(in.source.groups, name)
	if name == "node_modules" || strings.HasPrefix(name, ".") && !grouped {
		return place{}, false
	}
	at := place{
		real: filepath.Join(in.real, name), shown: filepath.Join(in.shown, name),
		source: in.source, depth: in.depth + 1, grouped: grouped,
	}
	if !e.IsDir() && e.Type() != iofs.ModeSymlink || s.hidden(at.real) {
		return place{}, false
	}
	if s.folders >= maxFolders {
		if s.folders == maxFolders {
			s.folders++
			s.fault(fault{
				where: s.shown(in.source.dir), what: "contains more folders than are searched; some skills may be missing here",
				fix: "move what is not a skill out of it", severe: true,
			})
		}
		return place{}, false
	}
	var err error
	if e.Type() == iofs.ModeSymlink {
		at.real, at.info, err = s.resolve(at.real)
		if err == nil && (!at.info.IsDir() || within(in.real, at.real)) {
			return place{}, false // not a skill, or a loop
		}
		if err == nil {
			s.trees = append(s.trees, at.real)
		}
	} else if at.info, err = os.Lstat(at.real); errors.Is(err, iofs.ErrNotExist) {
		return place{}, false // deleted since
	}
	if err != nil {
		s.fault(unreadable(s.shown(at.shown), err))
		return place{}, false
	}
	if s.seen[at.real] {
		return place{}, false
	}
	s.seen[at.real] = true
	s.folders++

	file, linked, err := findSkillFile(at.real)
	if file == "" && err == nil {
		return at, true
	}
	if file != "" || at.depth == 1 && !grouped {
		s.addSkill(at, file, linked, err)
	}
	return place{}, false
}

// addSkill adds the skill at a place. Without a file it has a fault: err or, if
// that is nil, that it has no SKILL.md.
func (s *scan) addSkill(at place, file string, linked bool, err error) {
	sk := &skill{folder: filepath.Base(at.shown), source: at.source.name, path: at.real, file: file, info: at.info}
	old := s.old.byPath[at.real]
	if old != nil && os.SameFile(old.info, at.info) {
		sk.node = old.node
	} else {
		dir, err := fs.NewDiskDir(at.real, s.disk())
		if err != nil {
			return // deleted since
		}
		sk.node = &skillFolder{DiskDir: dir, opts: s.disk()}
	}
	s.roots = append(s.roots, at.real)
	switch {
	case file != "":
		sk.target = file
		if linked {
			s.files = append(s.files, file)
			sk.target, err = s.disk().Resolve(file)
		}
		switch {
		case err != nil:
			sk.card = card{err: err}
		case old != nil && old.target == sk.target && !s.dirty[file] && old.card.isCurrent(sk.target):
			sk.card = old.card
		default:
			sk.card = readCard(sk.target)
		}
		s.modTime = latest(s.modTime, sk.card.modTime())
		sk.faults = sk.card.faults(s.shown(filepath.Join(at.shown, filepath.Base(file))), sk.folder)
	case err == nil:
		_, err = os.ReadDir(at.real)
		if err == nil {
			sk.faults = []fault{noSkillFile(s.shown(at.shown))}
			break
		}
		fallthrough
	default:
		sk.faults = []fault{unreadable(s.shown(at.shown), err)}
	}
	s.skills = append(s.skills, sk)
}

func (s *scan) fault(f fault) { s.faults = append(s.faults, f) }

func (s *scan) shown(path string) string { return shown(s.opts.Home, path) }

// resolve follows symbolic links and returns what they lead to.
func (s *scan) resolve(path string) (real string, info os.FileInfo, err error) {
	if real, err = s.disk().Resolve(path); err == nil {
		info, err = os.Lstat(real)
	}
	return real, info, err
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
