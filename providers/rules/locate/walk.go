package locate

import (
	"slices"
	"strings"
	"time"

	"ctxfs/providers/internal/projectwalk"
	"ctxfs/providers/rules/scope"
)

// maxFiles is how many files of rules of a project are read, and maxText how many bytes
// they have.
const (
	maxFiles = 2000
	maxText  = 16 << 20
)

// Tree is what a walk has found in a project.
type Tree struct {
	*projectwalk.Tree
	Places []scope.Place
	Faults []Fault
	// Watch are the files whose changes change this, and the folders, which end with a
	// slash, as far as they are known: new files elsewhere are found by the next walk.
	Watch []string
	// Heads are the names of entries, of any folder, that may be rules or lead to them,
	// or say what git ignores.
	Heads map[string]bool
}

// Walk finds all rules of a project, the nearest to the root first. Old is what an
// earlier walk has found, or nil: folders that have not changed since are not read
// again. Stop ends it.
func (f *Finder) Walk(root string, old *Tree, now func() time.Time, stop func() bool) *Tree {
	t := &Tree{Heads: f.nestedHeads(root)}
	all, known := &found{Finder: f}, len(f.used)
	var seen *projectwalk.Tree
	if old != nil {
		seen = old.Tree
	}
	t.Tree = projectwalk.Walk(root, seen, projectwalk.Options{
		Sought:    "rules",
		Keep:      func(_, name string) bool { return t.Heads[name] },
		Hide:      f.opts.Hide,
		GitIgnore: f.opts.GitIgnore,
		SkipBare:  true,
		Full: func() string {
			if len(f.used)-known > maxFiles || all.bytes > maxText {
				return "it has more rules than are read"
			}
			return ""
		},
		Stop: stop,
		Now:  now,
	}, func(dir string, heads []string, err error) {
		switch {
		case err != nil:
			t.Faults = append(t.Faults, Fault{dir, err})
		case len(heads) > 0 || dir == root:
			all.in(dir, root, scope.Project)
		}
	})
	all.named(root)
	slices.SortStableFunc(all.places, byPlace)
	t.Places, t.Faults = all.places, append(t.Faults, all.faults...)
	t.Watch = f.watchable(root, t.Places)
	return t
}

// nestedHeads returns the first names of the patterns that count below a root.
func (f *Finder) nestedHeads(root string) map[string]bool {
	heads := map[string]bool{".gitignore": true}
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
