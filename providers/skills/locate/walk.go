package locate

import (
	"path/filepath"
	"slices"
	"time"

	"ctxfs/providers/internal/projectwalk"
)

// maxNested is how many folders of a project have folders for agents.
const maxNested = 500

// Tree is what a walk has found in a project.
type Tree struct {
	*projectwalk.Tree
	Sources []Source
	// Watch are the folders that do not exist yet, and whose creation adds a source.
	Watch  []string
	Faults []Fault
}

// Walk finds the sources of a project: in its root, and in the folders below for agents
// that look there, too. It leaves out what package projectwalk does. Name is that of its
// workspace, old what an earlier walk has found, or nil: folders that have not changed
// since are not read again. Stop ends it.
func (f *Finder) Walk(root, name string, old *Tree, now func() time.Time, stop func() bool) *Tree {
	t, nested := &Tree{}, 0
	inRoot, below := f.heads(false), f.heads(true)
	var seen *projectwalk.Tree
	if old != nil {
		seen = old.Tree
	}
	t.Tree = projectwalk.Walk(root, seen, projectwalk.Options{
		Sought: "skills",
		Keep: func(dir, name string) bool {
			if dir == root {
				return inRoot[name]
			}
			return below[name]
		},
		Hide:      f.opts.Hide,
		GitIgnore: f.opts.GitIgnore,
		Full: func() string {
			if nested >= maxNested {
				return "more folders in it have skills than are looked at"
			}
			return ""
		},
		Stop: stop,
		Now:  now,
	}, func(dir string, heads []string, err error) {
		switch {
		case err != nil:
			t.Faults = append(t.Faults, Fault{dir, err})
		case len(heads) > 0:
			nested++
			t.Sources = append(t.Sources, f.in(root, dir, name, func(name string) bool { return slices.Contains(heads, name) })...)
		}
	})
	for head := range inRoot {
		t.Watch = append(t.Watch, filepath.Join(root, head))
	}
	slices.Sort(t.Watch)
	return t
}
