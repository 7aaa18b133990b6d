// Package folder is a folder on disk that has one folder for each of something, by its id:
// for each terminal, for each run of an agent.
package folder

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"ctxfs/fs"
)

// Folder is the path of such a folder: as it was named, which changes that its maker
// announces have, and with links resolved, which those of the system have.
type Folder struct{ Named, Real string }

// At returns the folder of a name, before it is resolved: it need not be there.
func At(name string) Folder { return Folder{Named: name, Real: filepath.Clean(name)} }

// Resolve resolves the links, if the folder is there.
func (f *Folder) Resolve(hide func(path string) bool) {
	if real, err := (fs.DiskOptions{Hide: hide}).Resolve(f.Named); err == nil {
		f.Real = real
	}
}

// Of returns whose folder a path is in, and the path there, which is empty for the folder
// itself. It is not ok for any other path, which may mean all of them.
func (f Folder) Of(path string) (id, inside string, ok bool) {
	for _, dir := range []string{f.Real, f.Named} {
		if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) && rel != "." {
			id, inside, _ = strings.Cut(rel, "/")
			return id, inside, true
		}
	}
	return "", "", false
}

// Load calls load for what is known and for what was found, by id, and returns the ids for
// which it reports a change.
func Load[T any](known map[string]T, found []string, load func(id string) (changed bool)) []string {
	ids := append(slices.Collect(maps.Keys(known)), found...)
	slices.Sort(ids)
	return slices.DeleteFunc(slices.Compact(ids), func(id string) bool { return !load(id) })
}
