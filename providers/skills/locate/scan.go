package locate

import (
	"errors"
	iofs "io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/names"
	"ctxfs/providers/skills/read"
)

const (
	// maxDepth is how deep below a source skills are searched for.
	maxDepth = 4
	// MaxFolders is how many folders of one source are searched.
	MaxFolders = 10_000
)

// Found is a skill, a command or a subagent.
type Found struct {
	Source *Source
	// Name is that of its folder on disk; of a definition, how its agent calls it.
	Name string
	// Path is its folder, links resolved; "" for a definition, which is a file
	// alone.
	Path string
	Info os.FileInfo // of its folder
	// Shown is where it is, as the user knows it: its folder, or the definition.
	Shown string
	// File is its SKILL.md, or the definition, or "". Target is what that leads to if it is
	// a link.
	File, Target string
	Card         read.Card
	// Err is why its folder could not be searched.
	Err error
}

// Is reports whether it is of one kind.
func (f *Found) Is(kind read.Kind) bool { return f.Source.Kind == kind }

// The problems that are not errors of the system.
var (
	ErrNotFolder   = errors.New("is not a folder")
	ErrTooMany     = errors.New("contains more folders than are searched; some skills may be missing here")
	ErrOutside     = errors.New("is a link that leads out of its project, and is not followed")
	ErrNoSkillFile = errors.New("has no SKILL.md, and no folder below it has one")
)

// Fault is something that could not be looked into.
type Fault struct {
	Path string // as the user knows it
	Err  error
}

// Scan is what a search of some sources has found.
type Scan struct {
	*Finder
	// Known returns what an earlier search has found at a path, or nil: a folder of a skill,
	// or a definition. Dirty reports whether a file must be read again even if it looks the
	// same.
	Known func(path string) *Found
	Dirty func(path string) bool

	Found  []*Found // in order of precedence
	Faults []Fault
	// Roots are the folders whose files are passed through.
	Roots []string
	// Trees are the folders to watch with all below, Files the files to watch.
	Trees, Files []string
	// ModTime is when the newest of these was changed.
	ModTime time.Time

	seen    map[string]bool // the folders searched, links resolved
	folders int             // how many of this source
}

// Scan returns a search that has found nothing.
func (f *Finder) Scan(known func(path string) *Found, dirty func(path string) bool) *Scan {
	return &Scan{Finder: f, Known: known, Dirty: dirty, seen: make(map[string]bool)}
}

// place is a folder that is searched.
type place struct {
	real    string // links resolved
	shown   string // the path as the user knows it
	source  *Source
	depth   int  // 0 for the source itself
	grouped bool // it is one of the source's groups
	info    os.FileInfo
}

// Source searches one source.
func (s *Scan) Source(src *Source) {
	if s.opts.Hide(src.Dir) {
		return
	}
	s.folders = 0
	s.Trees = append(s.Trees, src.Dir)
	if _, err := os.Lstat(src.Dir); errors.Is(err, iofs.ErrNotExist) {
		s.Roots = append(s.Roots, src.Dir)
		return
	}
	real, info, err := s.follow(src.Dir, src.Root)
	switch {
	case err != nil:
		s.Roots = append(s.Roots, src.Dir)
		s.fault(src.Dir, err)
	case !info.IsDir():
		s.Roots = append(s.Roots, src.Dir)
		s.fault(src.Dir, ErrNotFolder)
	case src.Kind != read.Skill:
		s.Roots = append(s.Roots, real)
		s.ModTime = wording.Later(s.ModTime, info.ModTime())
		s.definitions(src, real)
	case !s.seen[real]:
		s.seen[real] = true
		s.Roots = append(s.Roots, real)
		s.ModTime = wording.Later(s.ModTime, info.ModTime())
		at := place{real: real, shown: src.Dir, source: src, info: info}
		if src.whole {
			if file, linked, err := read.FindSkillFile(real); file != "" {
				s.add(at, file, linked, err)
				return
			}
		}
		s.search(at)
	}
}

// Folder adds the skill in a folder, whose links are resolved, and that has a SKILL.md.
// Shown is the folder as the user knows it.
func (s *Scan) Folder(real, shown string) {
	info, err := os.Lstat(real)
	file, linked, _ := read.FindSkillFile(real)
	if err == nil && file != "" {
		s.add(place{real: real, shown: shown, source: &Source{Kind: read.Skill, Dir: filepath.Dir(real)}, info: info}, file, linked, nil)
	}
}

// search searches a folder that is not a skill itself, and returns the number of skills
// found.
func (s *Scan) search(in place) int {
	entries, err := os.ReadDir(in.real)
	if err != nil {
		if in.depth != 1 || in.grouped { // otherwise the folder itself is shown, with its fault
			s.fault(in.shown, err)
		}
		return 0
	}
	before := len(s.Found)
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
			s.Roots = append(s.Roots, at.real)
		case at.depth == 1 && !at.grouped:
			s.add(at, "", false, nil)
		}
	}
	return len(s.Found) - before
}

// inspect looks at one entry of a folder. A skill is added; a folder that may contain
// skills is returned.
func (s *Scan) inspect(in place, e os.DirEntry) (other place, ok bool) {
	name := e.Name()
	grouped := in.depth == 0 && slices.Contains(in.source.groups, name)
	if name == "node_modules" || strings.HasPrefix(name, ".") && !grouped {
		return place{}, false
	}
	at := place{
		real: filepath.Join(in.real, name), shown: filepath.Join(in.shown, name),
		source: in.source, depth: in.depth + 1, grouped: grouped,
	}
	if !e.IsDir() && e.Type() != iofs.ModeSymlink || s.opts.Hide(at.real) {
		return place{}, false
	}
	if s.folders >= MaxFolders {
		if s.folders == MaxFolders {
			s.folders++
			s.fault(in.source.Dir, ErrTooMany)
		}
		return place{}, false
	}
	var err error
	if e.Type() == iofs.ModeSymlink {
		at.real, at.info, err = s.follow(at.real, in.source.Root)
		if err == nil && (!at.info.IsDir() || within(in.real, at.real)) {
			return place{}, false // not a skill, or a loop
		}
		if err == nil {
			s.Trees = append(s.Trees, at.real)
		}
	} else if at.info, err = os.Lstat(at.real); errors.Is(err, iofs.ErrNotExist) {
		return place{}, false // deleted since
	}
	if err != nil {
		s.fault(at.shown, err)
		return place{}, false
	}
	if s.seen[at.real] {
		return place{}, false
	}
	s.seen[at.real] = true
	s.folders++

	file, linked, err := read.FindSkillFile(at.real)
	if file == "" && err == nil {
		return at, true
	}
	if file != "" || at.depth == 1 && !grouped {
		s.add(at, file, linked, err)
	}
	return place{}, false
}

// add adds the skill at a place. Without a file it has a fault: err or, if that is nil,
// that it has no SKILL.md.
func (s *Scan) add(at place, file string, linked bool, err error) {
	found := &Found{Source: at.source, Name: filepath.Base(at.shown), Path: at.real, Info: at.info, Shown: at.shown, File: file, Err: err}
	if file == "" && err == nil {
		if _, found.Err = os.ReadDir(at.real); found.Err == nil {
			found.Err = ErrNoSkillFile
		}
	}
	if file != "" {
		s.read(found, file, linked, at.real)
	}
	s.Roots = append(s.Roots, at.real)
	s.Found = append(s.Found, found)
}

// read reads the SKILL.md or the definition at a path, which may be a link.
func (s *Scan) read(found *Found, file string, linked bool, key string) {
	found.Target = file
	var err error
	if linked {
		s.Files = append(s.Files, file)
		found.Target, _, err = s.follow(file, found.Source.Root)
	}
	old := s.Known(key)
	switch {
	case err != nil:
		found.Card = read.Card{Err: err}
	case old != nil && old.Target == found.Target && !s.Dirty(file) && old.Card.IsCurrent(found.Target):
		found.Card = old.Card
	case found.Source.Kind == read.Skill:
		found.Card = read.SkillCard(found.Target)
	default:
		found.Card = read.DefinitionCard(found.Target)
	}
	s.ModTime = wording.Later(s.ModTime, found.Card.ModTime())
}

// maxDefinitions is how many commands or subagents one source has.
const maxDefinitions = 2000

func (s *Scan) definitions(src *Source, real string) {
	count := 0
	err := filepath.WalkDir(real, func(path string, e iofs.DirEntry, err error) error {
		if err != nil {
			s.fault(path, err)
			return iofs.SkipDir
		}
		rel, _ := filepath.Rel(real, path)
		switch {
		case path == real:
			return nil
		case s.opts.Hide(path) || strings.HasPrefix(e.Name(), ".") || e.Name() == "node_modules":
			return skip(e)
		case e.IsDir():
			if strings.Count(rel, "/")+1 >= maxDepth || !strings.Contains(src.Files, "**") {
				return iofs.SkipDir
			}
			return nil
		case !matches(src.Files, rel):
			return nil
		case count == maxDefinitions:
			s.fault(src.Dir, ErrTooMany)
			return iofs.SkipAll
		}
		count++
		found := &Found{Source: src, Name: definitionName(rel), Shown: filepath.Join(src.Dir, rel), File: path}
		s.read(found, path, e.Type() == iofs.ModeSymlink, path)
		if key := string(src.Kind) + " " + found.Target; found.Target == "" || !s.seen[key] {
			s.seen[key] = found.Target != ""
		} else {
			return nil
		}
		s.Found = append(s.Found, found)
		return nil
	})
	if err != nil {
		s.fault(src.Dir, err)
	}
}

func skip(e iofs.DirEntry) error {
	if e.IsDir() {
		return iofs.SkipDir
	}
	return nil
}

// matches reports whether a name matches a glob of definitions. README.md describes a
// folder.
func matches(glob, rel string) bool {
	base := filepath.Base(rel)
	last := glob[strings.LastIndexByte(glob, '/')+1:]
	ok, err := filepath.Match(last, base)
	return err == nil && ok && !strings.EqualFold(base, "README.md")
}

// definitionName returns how agents call a definition: git/commit.md is git:commit.
func definitionName(rel string) string {
	for _, ext := range []string{".prompt.md", ".agent.md", ".chatmode.md", ".md", ".toml"} {
		if rest, ok := strings.CutSuffix(rel, ext); ok {
			rel = rest
			break
		}
	}
	return strings.ReplaceAll(rel, "/", ":")
}

// FileName returns the name of its folder in a tree, if nothing else has it.
func (f *Found) FileName() string {
	if f.Path == "" {
		return names.File(f.Name)
	}
	return f.Name
}

func (s *Scan) fault(path string, err error) { s.Faults = append(s.Faults, Fault{path, err}) }

// follow follows symbolic links, but not out of a project's root if there is one, and
// returns what they lead to.
func (s *Scan) follow(path, root string) (real string, info os.FileInfo, err error) {
	if real, err = s.resolve(path); err != nil {
		return "", nil, err
	}
	if root != "" && !fs.Within(real, root) {
		return "", nil, ErrOutside
	}
	info, err = os.Lstat(real)
	return real, info, err
}

func within(path, root string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && filepath.IsLocal(rel)
}
