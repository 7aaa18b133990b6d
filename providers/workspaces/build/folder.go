package build

import (
	"errors"
	"io"
	"os"
	"path"
	"slices"
	"syscall"

	"ctxfs/providers/internal/clean"
)

const (
	// maxFile is how much is read of a file, in bytes.
	maxFile = 256 << 10
	// maxNames is how many entries of a folder are looked at.
	maxNames = 5000
)

// folder is a folder with manifests, and what was found in it.
type folder struct {
	root     *os.Root // of the project: nothing outside of it is read
	name     string   // relative to the project; "" for its top
	folders  []string // in it, sorted
	files    []string // in it, sorted
	commands []Command
	parts    []string
}

func open(root *os.Root, name string) (*folder, error) {
	f := &folder{root: root, name: name}
	dir, err := root.Open(path.Join(".", name))
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	entries, err := dir.ReadDir(maxNames)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	for _, e := range entries {
		if e.IsDir() {
			f.folders = append(f.folders, e.Name())
		} else {
			f.files = append(f.files, e.Name())
		}
	}
	slices.Sort(f.folders)
	slices.Sort(f.files)
	return f, nil
}

// first returns the first of the files that there is; "" if there is none.
func (f *folder) first(names ...string) string {
	for _, name := range names {
		if _, ok := slices.BinarySearch(f.files, name); ok {
			return name
		}
	}
	return ""
}

func (f *folder) has(names ...string) bool { return f.first(names...) != "" }

func (f *folder) hasFolder(name string) bool {
	_, ok := slices.BinarySearch(f.folders, name)
	return ok
}

// text returns the text of a file, or its beginning; "" if it cannot be read. A link is
// followed within the project.
func (f *folder) text(name string) string {
	file, err := f.root.OpenFile(path.Join(f.name, name), os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe must not block
	if err != nil {
		return ""
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	body, _ := io.ReadAll(io.LimitReader(file, maxFile))
	return clean.Text(string(body))
}
