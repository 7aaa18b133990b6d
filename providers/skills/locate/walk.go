package locate

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"ctxfs/providers/internal/ignore"
)

const (
	// maxWalked is how many folders of a project are walked, and maxWalk how long that
	// takes.
	maxWalked = 20_000
	maxWalk   = 10 * time.Second
	// maxNested is how many of them have folders for agents.
	maxNested = 500
)

// Tree is what a walk has found in a project.
type Tree struct {
	Sources []Source
	// Watch are the folders that do not exist yet, and whose creation adds a source.
	Watch []string
	// Stopped is why the walk ended early, as a clause; "" if it did not.
	Stopped string
	Faults  []Fault

	folders map[string]walked
}

// walked is what is known of a folder that was walked.
type walked struct {
	modified time.Time
	looked   time.Time
	names    []string // of the folders in it
	heads    []string // of those that may be for agents
	ignores  bool     // it has a .gitignore
}

// settled is how long a folder must not have changed for its modification time to tell
// of the next change: clocks of file systems are coarse.
const settled = 2 * time.Second

// Walk finds the sources of a project: in its root, and in the folders below for agents
// that look there, too. It leaves out what git ignores, hidden folders, other repositories
// and other file systems. Name is that of its workspace, old what an earlier walk has
// found, or nil: folders that have not changed since are not read again. Stop ends it.
func (f *Finder) Walk(root, name string, old *Tree, now func() time.Time, stop func() bool) *Tree {
	t := &Tree{folders: make(map[string]walked)}
	w := walk{Finder: f, tree: t, old: old, now: now, inRoot: f.heads(false), nested: f.heads(true)}
	if info, err := os.Lstat(root); err == nil {
		w.device, _ = deviceOf(info)
	}
	begun, nested := now(), 0
	type pending struct {
		dir string
		in  *ignore.Matcher // of the folder that it is in; nil for the root
	}
	for queue := []pending{{dir: root}}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		switch {
		case len(t.folders) >= maxWalked:
			t.Stopped = "it has more folders than are walked; skills below " + at.dir + " may be missing"
		case now().Sub(begun) > maxWalk || stop():
			t.Stopped = "walking it took too long; skills below " + at.dir + " may be missing"
		case nested >= maxNested:
			t.Stopped = "more folders in it have skills than are looked at; those below " + at.dir + " may be missing"
		}
		if t.Stopped != "" {
			break
		}
		here, ok := w.look(at.dir, at.dir == root)
		if !ok {
			continue
		}
		t.folders[at.dir] = here
		if len(here.heads) > 0 {
			nested++
			t.Sources = append(t.Sources, f.in(root, at.dir, name, func(name string) bool { return slices.Contains(here.heads, name) })...)
		}
		ignored := f.ignored(at.dir, at.in, here)
		for _, name := range here.names {
			if dir := filepath.Join(at.dir, name); !ignored.Ignored(name, true) && !f.opts.Hide(dir) {
				queue = append(queue, pending{dir, ignored})
			}
		}
	}
	for head := range w.inRoot {
		t.Watch = append(t.Watch, filepath.Join(root, head))
	}
	slices.Sort(t.Watch)
	return t
}

// ignored returns what git ignores in a folder, given that of the folder it is in.
func (f *Finder) ignored(dir string, in *ignore.Matcher, here walked) *ignore.Matcher {
	if in == nil {
		return ignore.Of(dir, f.opts.GitIgnore)
	}
	var patterns []byte
	if here.ignores {
		patterns = ignore.Read(filepath.Join(dir, ".gitignore"))
	}
	return in.In(filepath.Base(dir), patterns)
}

// walk is one walk.
type walk struct {
	*Finder
	tree           *Tree
	old            *Tree
	now            func() time.Time
	device         uint64
	inRoot, nested map[string]bool
}

// look looks into a folder, unless it is known not to have changed. It reports false for
// what is not walked.
func (w *walk) look(dir string, isRoot bool) (walked, bool) {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() {
		return walked{}, false
	}
	if dev, ok := deviceOf(info); !ok || dev != w.device {
		return walked{}, false
	}
	now := w.now()
	if w.old != nil {
		known, ok := w.old.folders[dir]
		if ok && known.modified.Equal(info.ModTime()) && known.looked.Sub(known.modified) > settled {
			return known, true
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		w.tree.Faults = append(w.tree.Faults, Fault{dir, err})
		return walked{}, false
	}
	heads := w.nested
	if isRoot {
		heads = w.inRoot
	}
	here := walked{modified: info.ModTime(), looked: now}
	for _, e := range entries {
		name := e.Name()
		if name == ".git" && !isRoot {
			return walked{}, false // a repository of its own
		}
		if heads[name] {
			here.heads = append(here.heads, name)
		}
		here.ignores = here.ignores || name == ".gitignore"
		if e.IsDir() && !strings.HasPrefix(name, ".") && name != "node_modules" {
			here.names = append(here.names, name)
		}
	}
	return here, true
}

// deviceOf returns the number of the file system of a file.
func deviceOf(info os.FileInfo) (uint64, bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return uint64(st.Dev), true
}
