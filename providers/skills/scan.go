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
)

const (
	// maxDepth is how deep below a source skills are looked for.
	maxDepth = 4
	// maxFolders is how many folders of one source are looked at.
	maxFolders = 2000
)

// scan is one look at all sources.
type scan struct {
	*Provider
	old   *snapshot
	dirty map[string]bool

	seen    map[string]bool // folders looked at, links resolved
	folders int             // of this source

	skills  []*skill // in order of precedence
	faults  []fault
	roots   []string // folders that are passed through
	trees   []string // to be watched with all below
	files   []string // to be watched
	modTime time.Time
}

// place is a folder that is looked at.
type place struct {
	real    string // links resolved
	given   string // as the user knows it
	source  *source
	depth   int  // 0 for the source itself
	grouped bool // one of the source's groups
	info    os.FileInfo
}

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
		s.fault(fault{where: s.shown(src.dir), what: "is not a folder", mend: "move it away: this is where skills are looked for", grave: true})
	case !s.seen[real]:
		s.seen[real] = true
		s.roots = append(s.roots, real)
		s.modTime = latest(s.modTime, info.ModTime())
		s.group(place{real: real, given: src.dir, source: src})
	}
}

// group looks for skills in a folder that is none, and returns how many it
// found.
func (s *scan) group(in place) int {
	entries, err := os.ReadDir(in.real)
	if err != nil {
		if in.depth != 1 || in.grouped { // else the folder itself is shown, with its fault
			s.fault(unreadable(s.shown(in.given), err))
		}
		return 0
	}
	before := len(s.skills)
	// What is a skill comes first, before the limit is reached below others.
	var others []place
	for _, e := range entries {
		if at, ok := s.entry(in, e); ok {
			others = append(others, at)
		}
	}
	for _, at := range others {
		switch {
		case at.depth < maxDepth && s.group(at) > 0:
			s.roots = append(s.roots, at.real)
		case at.depth == 1 && !at.grouped:
			s.found(at, "", false, nil)
		}
	}
	return len(s.skills) - before
}

// entry looks at one entry of a folder: a skill is taken up, a folder that
// may hold skills is returned.
func (s *scan) entry(in place, e os.DirEntry) (other place, ok bool) {
	name := e.Name()
	grouped := in.depth == 0 && slices.Contains(in.source.groups, name)
	if name == "node_modules" || strings.HasPrefix(name, ".") && !grouped {
		return place{}, false
	}
	at := place{
		real: filepath.Join(in.real, name), given: filepath.Join(in.given, name),
		source: in.source, depth: in.depth + 1, grouped: grouped,
	}
	if !e.IsDir() && e.Type() != iofs.ModeSymlink || s.hidden(at.real) {
		return place{}, false
	}
	if s.folders >= maxFolders {
		if s.folders == maxFolders {
			s.folders++
			s.fault(fault{
				where: s.shown(in.source.dir), what: "holds more folders than are looked at; some skills may be missing here",
				mend: "move what is no skill out of it", grave: true,
			})
		}
		return place{}, false
	}
	var err error
	if e.Type() == iofs.ModeSymlink {
		at.real, at.info, err = s.resolve(at.real)
		if err == nil && (!at.info.IsDir() || within(in.real, at.real)) {
			return place{}, false // no skill, or a loop
		}
		if err == nil {
			s.trees = append(s.trees, at.real)
		}
	} else if at.info, err = os.Lstat(at.real); errors.Is(err, iofs.ErrNotExist) {
		return place{}, false // gone since
	}
	if err != nil {
		s.fault(unreadable(s.shown(at.given), err))
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
		s.found(at, file, linked, err)
	}
	return place{}, false
}

// found takes up the skill at a place. Without a file it has a fault: err, or
// that it has no SKILL.md.
func (s *scan) found(at place, file string, linked bool, err error) {
	sk := &skill{own: filepath.Base(at.given), source: at.source.name, path: at.real, file: file, info: at.info}
	old := s.old.byPath[at.real]
	if old != nil && os.SameFile(old.info, at.info) {
		sk.node = old.node
	} else {
		dir, err := fs.NewDiskDir(at.real, s.disk())
		if err != nil {
			return // gone since
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
		case old != nil && old.target == sk.target && !s.dirty[file] && old.card.current(sk.target):
			sk.card = old.card
		default:
			sk.card = readCard(sk.target)
		}
		s.modTime = latest(s.modTime, sk.card.modTime())
		sk.faults = sk.card.faults(s.shown(filepath.Join(at.given, filepath.Base(file))), sk.own)
	case err == nil:
		_, err = os.ReadDir(at.real)
		if err == nil {
			sk.faults = []fault{noSkillFile(s.shown(at.given))}
			break
		}
		fallthrough
	default:
		sk.faults = []fault{unreadable(s.shown(at.given), err)}
	}
	s.skills = append(s.skills, sk)
}

func (s *scan) fault(f fault) { s.faults = append(s.faults, f) }

func (s *scan) shown(path string) string { return shown(s.opts.Home, path) }

// resolve follows links, and describes what they lead to.
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
