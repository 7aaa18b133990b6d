package files

import (
	iofs "io/fs"
	"path/filepath"
)

// withoutViews is a folder on disk in which our own views are not there: to walk into
// one's own mount deadlocks.
type withoutViews struct {
	iofs.FS
	dir  string
	hide func(path string) bool
}

// Open implements iofs.FS.
func (w withoutViews) Open(name string) (iofs.File, error) {
	if w.hide(filepath.Join(w.dir, name)) {
		return nil, &iofs.PathError{Op: "open", Path: name, Err: iofs.ErrNotExist}
	}
	return w.FS.Open(name)
}

// ReadDir implements iofs.ReadDirFS.
func (w withoutViews) ReadDir(name string) ([]iofs.DirEntry, error) {
	if w.hide(filepath.Join(w.dir, name)) {
		return nil, &iofs.PathError{Op: "readdir", Path: name, Err: iofs.ErrNotExist}
	}
	return iofs.ReadDir(w.FS, name)
}

// Stat implements iofs.StatFS.
func (w withoutViews) Stat(name string) (iofs.FileInfo, error) {
	if w.hide(filepath.Join(w.dir, name)) {
		return nil, &iofs.PathError{Op: "stat", Path: name, Err: iofs.ErrNotExist}
	}
	return iofs.Stat(w.FS, name)
}
