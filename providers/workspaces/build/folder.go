package build

import (
	"path"
	"slices"

	"ctxfs/providers/workspaces/inside"
)

// folder is a folder with manifests, and what was found in it.
type folder struct {
	root     *inside.Folder // the project
	name     string         // relative to the project; "" for its top
	folders  []string       // in it
	files    []string       // in it, sorted
	commands []Command
}

func open(root *inside.Folder, name string) (f *folder, err error) {
	f = &folder{root: root, name: name}
	f.folders, f.files, err = root.List(name)
	return f, err
}

// first returns the first of the files that exists, or "".
func (f *folder) first(names ...string) string {
	for _, name := range names {
		if _, ok := slices.BinarySearch(f.files, name); ok {
			return name
		}
	}
	return ""
}

func (f *folder) has(names ...string) bool { return f.first(names...) != "" }

// text returns the text of a file in the folder.
func (f *folder) text(name string) string { return f.root.Text(path.Join(f.name, name)) }
