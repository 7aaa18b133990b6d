// Package files finds and reads the files in which agents keep plans and lists of tasks.
// Where they are is in the descriptions of agents (package agents).
//
// A plan is Markdown, with front matter (Cursor) or without; a list is Markdown with boxes
// (Kiro, Copilot, Cline), JSON (Claude Code, opencode, Kiro: json.go) or a table of a
// database (Copilot, opencode: database.go). What cannot be read as that is said and not
// shown. Of a project nothing is read that lies outside of it.
package files

import (
	"errors"
	"fmt"
	"io"
	iofs "io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/facts"
	"ctxfs/providers/internal/agents"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/sqlite"
)

const (
	// maxRead is how much of a file is read, and maxText how much of its text is kept, in
	// bytes.
	maxRead = 1 << 20
	maxText = 64 << 10
	// maxFiles is how many files one pattern may match: the last ones by name.
	maxFiles = 2000
)

// Options are the surroundings of a [Finder].
type Options struct {
	Machine agents.Machine
	// Hide reports whether a path is one of our own views; it may be nil.
	Hide func(path string) bool
}

// Finder finds files. It is not safe for concurrent use.
type Finder struct {
	opts  Options
	known map[string]*known // by path
	round int
}

// known is what a file had when it was read.
type known struct {
	size  int64
	mod   time.Time
	round int
	found []Found
}

// Found is a plan or a list in a file.
type Found struct {
	Agent string
	// Path is that of the file, or of the folder if each task is a file.
	Path string
	// Root is the folder of the project that it belongs to, "" for the user's.
	Root string
	// Names are parts of the path; one may be the id of a session.
	Names   []string
	ModTime time.Time
	// Plan is what the file has. Of a task only the time of the file is known.
	Plan facts.Plan
	// Loose is set for a plan whose boxes agents need not check when a task is done.
	Loose bool
	// Err is why it cannot be read; nil if it can.
	Err error
}

// New returns a Finder that has read nothing.
func New(opts Options) *Finder {
	if opts.Hide == nil {
		opts.Hide = func(string) bool { return false }
	}
	return &Finder{opts: opts, known: make(map[string]*known)}
}

// source is one pattern of an agent in a folder, through which alone files are read.
type source struct {
	agent   string
	dir     string // absolute
	root    string // "" for the user's
	fsys    iofs.FS
	open    func(name string) (*os.File, error)
	pattern string // relative to dir
	list    bool   // the agent keeps up to date what is done
}

// User returns what is in the user's files.
func (f *Finder) User() (all []Found) {
	for _, a := range agents.All() {
		for list, places := range [...][]agents.Path{a.Plans.Texts.User, a.Plans.Lists.User} {
			for _, p := range f.opts.Machine.Paths(places...) {
				all = append(all, f.user(a.ID, p, list == 1)...)
			}
		}
	}
	return all
}

// user returns what matches a path of the user.
func (f *Finder) user(agent, pattern string, list bool) []Found {
	dir, rest := split(pattern)
	real, err := fs.DiskOptions{Hide: f.opts.Hide}.Resolve(dir)
	if err != nil {
		return nil
	}
	from := inFolder(real)
	from.agent, from.pattern, from.list = agent, rest, list
	return f.match(from)
}

// inFolder returns a source of the user's files in a folder.
func inFolder(dir string) source {
	return source{dir: dir, fsys: os.DirFS(dir), open: func(name string) (*os.File, error) {
		return os.OpenFile(filepath.Join(dir, name), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	}}
}

// split returns the folder that a pattern begins with, and the rest.
func split(pattern string) (dir, rest string) {
	i := strings.IndexByte(pattern, '*')
	if i < 0 {
		i = len(pattern)
	}
	i = strings.LastIndexByte(pattern[:i], '/')
	return pattern[:i+1], pattern[i+1:]
}

// Project returns what is in the files of a project.
func (f *Finder) Project(dir string) (all []Found, err error) {
	if f.opts.Hide(dir) {
		return nil, iofs.ErrNotExist
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	from := source{dir: dir, root: dir, fsys: root.FS(), open: func(name string) (*os.File, error) {
		return root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	}}
	for _, a := range agents.All() {
		from.agent = a.ID
		for list, patterns := range [...][]string{a.Plans.Texts.Project, a.Plans.Lists.Project} {
			for _, p := range patterns {
				from.pattern, from.list = p, list == 1
				all = append(all, f.match(from)...)
			}
		}
	}
	return all, nil
}

// match reads the files that match a pattern.
func (f *Finder) match(s source) (all []Found) {
	names, err := iofs.Glob(withoutViews{s.fsys, s.dir, f.opts.Hide}, s.pattern)
	if err != nil {
		return nil
	}
	if len(names) > maxFiles {
		all = append(all, Found{Agent: s.agent, Path: filepath.Join(s.dir, filepath.Dir(s.pattern)), Root: s.root, Err: tooMany(len(names))})
		names = names[len(names)-maxFiles:]
	}
	for _, name := range names {
		if full := filepath.Join(s.dir, name); !f.opts.Hide(full) {
			all = append(all, f.read(s, name, full)...)
		}
	}
	return grouped(all)
}

// stat returns what is known of a file, or of what a link leads to unless that is in a
// view of ours.
func (f *Finder) stat(s source, name, full string) (os.FileInfo, error) {
	info, err := os.Lstat(full)
	if err != nil || info.Mode()&iofs.ModeSymlink == 0 {
		return info, err
	}
	if _, err := (fs.DiskOptions{Hide: f.opts.Hide}).Resolve(full); err != nil {
		return nil, err
	}
	return iofs.Stat(s.fsys, name)
}

// read reads a file, or returns what is known of it.
func (f *Finder) read(s source, name, full string) []Found {
	info, err := f.stat(s, name, full)
	if err == nil && info.IsDir() {
		return nil
	}
	base := Found{Agent: s.agent, Path: full, Root: s.root, Names: namesIn(name)}
	if err != nil || !info.Mode().IsRegular() {
		if err == nil {
			err = errors.New("it is no regular file")
		}
		base.Err = err
		return []Found{base}
	}
	base.ModTime = info.ModTime().UTC()
	isDatabase := strings.HasSuffix(name, ".db")
	modified := base.ModTime
	if isDatabase { // what was written last may be in its log
		if log, err := iofs.Stat(s.fsys, name+"-wal"); err == nil && log.ModTime().After(modified) {
			modified = log.ModTime()
		}
	}
	if k := f.known[full]; k != nil && k.size == info.Size() && k.mod.Equal(modified) {
		k.round = f.round
		return k.found
	}
	var found []Found
	if isDatabase {
		found = readDatabase(base)
	} else {
		found = s.parse(base, name)
	}
	f.known[full] = &known{size: info.Size(), mod: modified, round: f.round, found: found}
	return found
}

// Forget ends a round: files that are not there any more are forgotten.
func (f *Finder) Forget() {
	maps.DeleteFunc(f.known, func(_ string, k *known) bool { return k.round != f.round })
	f.round++
}

// parse reads a file that is no database.
func (s source) parse(base Found, name string) []Found {
	text, cut, err := s.head(name, maxRead)
	if err != nil {
		base.Err = err
		return []Found{base}
	}
	if path.Ext(name) == ".json" {
		if cut {
			base.Err = errors.New("it is longer than what is read")
			return []Found{base}
		}
		return parseJSON(base, text)
	}
	base.Plan = markdown(base, text, cut)
	base.Loose = !s.list
	if base.Plan.Text == "" && len(base.Plan.Tasks) == 0 {
		return nil
	}
	return []Found{base}
}

// head returns the beginning of a file.
func (s source) head(name string, most int64) (text []byte, cut bool, err error) {
	file, err := s.open(name)
	if err != nil {
		return nil, false, err
	}
	defer file.Close()
	text, err = io.ReadAll(io.LimitReader(file, most+1))
	if cut = int64(len(text)) > most; cut {
		text = text[:most]
	}
	return text, cut, err
}

// namesIn returns the parts of a path that may be ids of sessions.
func namesIn(name string) (all []string) {
	for part := range strings.SplitSeq(name, "/") {
		part = strings.TrimSuffix(part, path.Ext(part))
		part = strings.TrimPrefix(part, "focus_chain_taskid_") // Cline
		part, _, _ = strings.Cut(part, "-agent-")              // Claude Code
		all = append(all, part)
	}
	return all
}

// tooMany reports that so many files match a pattern, and not all are read.
type tooMany int

func (n tooMany) Error() string {
	return fmt.Sprintf("has %d files with plans; the last %d by name are read", int(n), maxFiles)
}

// Fault returns why a file cannot be read, as a clause.
func (f Found) Fault() string {
	var many tooMany
	switch {
	case f.Err == nil:
		return ""
	case errors.As(f.Err, &many):
		return many.Error()
	case errors.Is(f.Err, iofs.ErrPermission):
		return "cannot be read: permission denied"
	case errors.Is(f.Err, iofs.ErrNotExist):
		return "is a link to nothing"
	}
	for _, known := range []error{sqlite.ErrDamaged, sqlite.ErrBusy, sqlite.ErrUnfinished, sqlite.ErrSchema} {
		if errors.Is(f.Err, known) {
			return "cannot be read: " + known.Error()
		}
	}
	return "cannot be read: " + clean.Cut(clean.Line(fs.Cause(f.Err)), 200)
}
