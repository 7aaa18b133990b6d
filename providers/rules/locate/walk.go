package locate

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"ctxfs/providers/internal/ignore"
	"ctxfs/providers/rules/scope"
)

const (
	// maxFolders is how many folders of a project are walked.
	maxFolders = 20_000
	// maxWalk is how long a walk takes.
	maxWalk = 10 * time.Second
	// maxFiles is how many files of rules of a project are read, and maxText how many
	// bytes they have.
	maxFiles = 2000
	maxText  = 16 << 20
)

// Tree is what a walk has found in a project.
type Tree struct {
	Places []scope.Place
	Faults []Fault
	// Repositories are the folders of other repositories in it, which were not walked.
	Repositories []string
	// Stopped is why the walk ended early, as a clause; "" if it did not.
	Stopped string
	// Folders is how many folders were walked.
	Folders int
	// Watch are the files whose changes change this, and the folders, which end with a
	// slash, as far as they are known: new files elsewhere are found by the next walk.
	Watch []string
	// Heads are the names of entries, of any folder, that may be rules or lead to them,
	// or say what git ignores.
	Heads map[string]bool

	folders map[string]folder
}

// folder is what is known of a folder that was walked.
type folder struct {
	modified time.Time
	looked   time.Time
	names    []string // of the folders in it
	rules    bool     // an entry may be one of rules
	ignores  bool     // it has a .gitignore
}

// settled is how long a folder must not have changed for its modification time to tell
// of the next change: clocks of file systems are coarse.
const settled = 2 * time.Second

// Walk finds all rules of a project, the nearest to the root first. Old is what an
// earlier walk has found, or nil: folders that have not changed since are not read
// again. Stop ends it.
func (f *Finder) Walk(root string, old *Tree, now func() time.Time, stop func() bool) *Tree {
	all := &found{Finder: f}
	t := &Tree{folders: make(map[string]folder), Heads: f.nestedHeads(root)}
	w := walk{found: all, tree: t, old: old, now: now}
	if info, err := os.Lstat(root); err == nil {
		w.device, _ = deviceOf(info)
	}
	begun, known := now(), len(f.used)
	type pending struct {
		dir string
		in  *ignore.Matcher // of the folder that it is in; nil for the root
	}
	for queue := []pending{{dir: root}}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		switch {
		case t.Folders >= maxFolders:
			t.Stopped = "it has more folders than are walked; rules below " + at.dir + " may be missing"
		case now().Sub(begun) > maxWalk || stop():
			t.Stopped = "walking it took too long; rules below " + at.dir + " may be missing"
		case len(f.used)-known > maxFiles || all.bytes > maxText:
			t.Stopped = "it has more rules than are read; those below " + at.dir + " may be missing"
		}
		if t.Stopped != "" {
			break
		}
		here, ok := w.look(at.dir, at.dir == root)
		if !ok {
			continue
		}
		t.folders[at.dir] = here
		t.Folders++
		if here.rules || at.dir == root {
			all.in(at.dir, root, scope.Project)
		}
		ignored := f.ignored(at.dir, at.in, here)
		for _, name := range here.names {
			if dir := at.dir + "/" + name; !ignored.Ignored(name, true) && !f.opts.Hide(dir) {
				queue = append(queue, pending{dir, ignored})
			}
		}
	}
	all.named(root)
	slices.SortStableFunc(all.places, byPlace)
	t.Places, t.Faults = all.places, append(t.Faults, all.faults...)
	t.Watch = f.watchable(root, t.Places)
	return t
}

// ignored returns what git ignores in a folder, given that of the folder it is in.
func (f *Finder) ignored(dir string, in *ignore.Matcher, here folder) *ignore.Matcher {
	if in == nil {
		return ignore.Of(dir, f.opts.GitIgnore)
	}
	var patterns []byte
	if here.ignores {
		patterns = ignore.Read(filepath.Join(dir, gitIgnore))
	}
	return in.In(filepath.Base(dir), patterns)
}

// walk is one walk.
type walk struct {
	*found
	tree   *Tree
	old    *Tree
	now    func() time.Time
	device uint64
}

// look looks into a folder, unless it is known not to have changed. It reports false for
// what is not walked.
func (w *walk) look(dir string, isRoot bool) (folder, bool) {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() {
		return folder{}, false
	}
	if dev, ok := deviceOf(info); !ok || dev != w.device {
		return folder{}, false
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
		return folder{}, false
	}
	here := folder{modified: info.ModTime(), looked: now}
	for _, e := range entries {
		name := e.Name()
		if name == ".git" && !isRoot {
			w.tree.Repositories = append(w.tree.Repositories, dir)
			return folder{}, false
		}
		here.rules = here.rules || w.tree.Heads[name]
		here.ignores = here.ignores || name == gitIgnore
		if e.IsDir() && !strings.HasPrefix(name, ".") && name != "node_modules" {
			here.names = append(here.names, name)
		}
	}
	if !isRoot && isBare(entries) {
		w.tree.Repositories = append(w.tree.Repositories, dir)
		return folder{}, false
	}
	return here, true
}

// isBare reports whether entries are those of a bare repository.
func isBare(entries []os.DirEntry) bool {
	has := func(name string, dir bool) bool {
		return slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() == name && e.IsDir() == dir })
	}
	return has("HEAD", false) && has("objects", true) && has("refs", true)
}

const gitIgnore = ".gitignore"

// nestedHeads returns the first names of the patterns that count below a root.
func (f *Finder) nestedHeads(root string) map[string]bool {
	heads := map[string]bool{gitIgnore: true}
	for _, a := range f.agentsAt(root) {
		for _, text := range a.Rules.Nested {
			head, _, _ := strings.Cut(text, "/")
			heads[head] = true
		}
	}
	return heads
}

// watchable returns what to watch in a project: where rules of the root may be, and the
// files that were found.
func (f *Finder) watchable(root string, places []scope.Place) (paths []string) {
	for _, a := range f.agentsAt(root) {
		for _, text := range slices.Concat(a.Rules.Project, a.Rules.Settings.Project) {
			fixed := text
			if isGlob(text) {
				fixed, _ = splitGlob(text)
			}
			if a.named[text] && isGlob(text) {
				continue // it may be large
			}
			if fixed != "" {
				paths = append(paths, strings.TrimSuffix(root, "/")+"/"+fixed)
			}
		}
	}
	for _, p := range places {
		paths = append(paths, p.File.Watch()...)
		if fixed, _ := splitGlob(p.Pattern); isGlob(p.Pattern) && fixed != "" && !p.Named {
			paths = append(paths, p.Dir+"/"+fixed)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// deviceOf returns the number of the file system of a file.
func deviceOf(info os.FileInfo) (uint64, bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return uint64(st.Dev), true
}
