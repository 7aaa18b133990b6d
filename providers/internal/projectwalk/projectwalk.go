// Package projectwalk walks the folders of a project to find what agents read in them.
//
// A walk goes breadth first, so that what ends it early costs what is deepest. It leaves
// out what git ignores, hidden folders and node_modules, other repositories, other file
// systems and symbolic links. It is bounded, and cheap to repeat: a folder that has not
// changed since an earlier walk is not read again.
package projectwalk

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
	// maxFolders is how many folders of a project are walked.
	maxFolders = 20_000
	// maxTime is how long a walk takes.
	maxTime = 10 * time.Second
	// settled is how long a folder must not have changed for its modification time to tell
	// of the next change: clocks of file systems are coarse.
	settled = 2 * time.Second
)

// Options are what a walk is for, and what it leaves out. All functions are required.
type Options struct {
	// Sought is what the walk is for, in the plural, as [Tree.Stopped] names it.
	Sought string
	// Keep reports whether a name in a folder is one to visit it for. It is not asked
	// about folders that are not read again: for these, the earlier walk's answers hold.
	Keep func(dir, name string) bool
	// Hide reports whether a folder below the root is left out.
	Hide func(dir string) bool
	// GitIgnore are the user's patterns of what git ignores everywhere.
	GitIgnore []byte
	// SkipBare leaves out bare repositories, too, which have no .git to tell them by.
	SkipBare bool
	// Full is asked before each folder. It returns why nothing more is to be found, as a
	// clause, which ends the walk; "" if there may be more.
	Full func() string
	// Stop is asked before each folder, and reports whether to end the walk.
	Stop func() bool
	Now  func() time.Time
}

// Tree is what a walk has seen of a project.
type Tree struct {
	// Folders is how many folders were walked.
	Folders int
	// Repositories are the folders of other repositories, which were not walked.
	Repositories []string
	// Stopped is why the walk ended early, as a clause; "" if it did not.
	Stopped string

	known map[string]folder
}

// folder is what is known of a folder that was walked.
type folder struct {
	modified time.Time
	looked   time.Time
	names    []string // of the folders in it
	kept     []string // names of entries, as Options.Keep says
	ignores  bool     // it has a .gitignore
}

// Walk walks a project. Old is what an earlier walk with the same Keep has seen, or nil.
// For each folder, visit is called once with the names in it that are kept, in order, or
// with the error of reading it. What Walk returns refers to nothing of old's.
func Walk(root string, old *Tree, o Options, visit func(dir string, kept []string, err error)) *Tree {
	w := walk{Options: o, root: root, tree: &Tree{known: make(map[string]folder)}}
	if old != nil {
		w.known = old.known
	}
	if info, err := os.Lstat(root); err == nil {
		w.device, _ = deviceOf(info)
	}
	w.begun = o.Now()
	type pending struct {
		dir string
		in  *ignore.Matcher // of the folder that it is in; nil for the root
	}
	for queue := []pending{{dir: root}}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		if w.tree.Stopped = w.stopped(at.dir); w.tree.Stopped != "" {
			break
		}
		here, ok, err := w.look(at.dir)
		if err != nil {
			visit(at.dir, nil, err)
		}
		if !ok {
			continue
		}
		w.tree.known[at.dir] = here
		w.tree.Folders++
		visit(at.dir, here.kept, nil)
		ignored := w.ignored(at.dir, at.in, here)
		for _, name := range here.names {
			if dir := filepath.Join(at.dir, name); !ignored.Ignored(name, true) && !o.Hide(dir) {
				queue = append(queue, pending{dir, ignored})
			}
		}
	}
	return w.tree
}

type walk struct {
	Options
	root   string
	known  map[string]folder // by an earlier walk
	tree   *Tree
	begun  time.Time
	device uint64
}

// stopped returns why the walk ends before a folder; "" if it does not.
func (w *walk) stopped(dir string) string {
	switch {
	case w.tree.Folders >= maxFolders:
		return "it has more folders than are walked; " + w.Sought + " below " + dir + " may be missing"
	case w.Now().Sub(w.begun) > maxTime || w.Stop():
		return "walking it took too long; " + w.Sought + " below " + dir + " may be missing"
	}
	if why := w.Full(); why != "" {
		return why + "; those below " + dir + " may be missing"
	}
	return ""
}

// look looks into a folder, unless it is known not to have changed. It reports false for
// what is not walked.
func (w *walk) look(dir string) (folder, bool, error) {
	info, err := os.Lstat(dir)
	if err != nil || !info.IsDir() {
		return folder{}, false, nil
	}
	if dev, ok := deviceOf(info); !ok || dev != w.device {
		return folder{}, false, nil
	}
	now := w.Now()
	known, ok := w.known[dir]
	if ok && known.modified.Equal(info.ModTime()) && known.looked.Sub(known.modified) > settled {
		return known, true, nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return folder{}, false, err
	}
	if dir != w.root && w.isRepository(entries) {
		w.tree.Repositories = append(w.tree.Repositories, dir)
		return folder{}, false, nil
	}
	here := folder{modified: info.ModTime(), looked: now}
	for _, e := range entries {
		name := e.Name()
		if w.Keep(dir, name) {
			here.kept = append(here.kept, name)
		}
		here.ignores = here.ignores || name == ".gitignore"
		if e.IsDir() && !strings.HasPrefix(name, ".") && name != "node_modules" {
			here.names = append(here.names, name)
		}
	}
	return here, true, nil
}

// isRepository reports whether entries are those of the root of a repository.
func (w *walk) isRepository(entries []os.DirEntry) bool {
	if slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() == ".git" }) {
		return true
	}
	has := func(name string, dir bool) bool {
		return slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() == name && e.IsDir() == dir })
	}
	return w.SkipBare && has("HEAD", false) && has("objects", true) && has("refs", true)
}

// ignored returns what git ignores in a folder, given that of the folder it is in.
func (w *walk) ignored(dir string, in *ignore.Matcher, here folder) *ignore.Matcher {
	if in == nil {
		return ignore.Of(dir, w.GitIgnore)
	}
	var patterns []byte
	if here.ignores {
		patterns = ignore.Read(filepath.Join(dir, ".gitignore"))
	}
	return in.In(filepath.Base(dir), patterns)
}

// deviceOf returns the number of the file system of a file.
func deviceOf(info os.FileInfo) (uint64, bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return uint64(st.Dev), true
}
