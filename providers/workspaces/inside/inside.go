// Package inside reads files of a project without leaving it: links are followed only
// within it, and nothing is waited for or read without end.
package inside

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

// Folder is a project's folder. Paths in it are relative, with slashes.
type Folder struct{ root *os.Root }

// Open opens a folder. Close closes it.
func Open(dir string) (*Folder, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &Folder{root}, nil
}

// Close closes the folder. Nothing can be read after it.
func (f *Folder) Close() error { return f.root.Close() }

// Text returns the text of a regular file without control characters, or its beginning,
// 256 KiB; "" if it cannot be read.
func (f *Folder) Text(name string) string {
	file, err := f.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe must not block
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

// List returns the names of the folders and of all else in a folder, each sorted.
func (f *Folder) List(name string) (folders, files []string, err error) {
	dir, err := f.root.Open(path.Join(".", name))
	if err != nil {
		return nil, nil, err
	}
	defer dir.Close()
	entries, err := dir.ReadDir(maxNames)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, nil, err
	}
	for _, e := range entries {
		if e.IsDir() {
			folders = append(folders, e.Name())
		} else {
			files = append(files, e.Name())
		}
	}
	slices.Sort(folders)
	slices.Sort(files)
	return folders, files, nil
}

// Exists reports whether there is something at a path in the folder, through links within
// it.
func (f *Folder) Exists(name string) bool {
	_, err := f.root.Stat(name)
	return err == nil
}
