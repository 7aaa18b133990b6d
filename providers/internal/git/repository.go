package git

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// maxFile is how much is read of a file of git's, in bytes.
const maxFile = 64 << 10

// ErrNone is the error for a folder that is no repository, nor the work tree of one.
var ErrNone = errors.New("not a git repository")

// Repository is where a repository lies. Source: gitrepository-layout(5).
type Repository struct {
	Dir     string // the work tree; of a bare repository it is Common
	Private string // what is of this work tree alone: HEAD, index
	Common  string // what all work trees share: objects, references, configuration
	Owner   int    // user number of the owner; -1 if it is not known
}

// Locate returns the repository whose work tree is a folder, or that it is.
func Locate(dir string) (Repository, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return Repository{}, err
	}
	if !info.IsDir() {
		return Repository{}, ErrNone
	}
	r := Repository{Dir: dir, Owner: -1}
	if r.Private, r.Common, err = Folders(dir); err != nil {
		return Repository{}, err
	}
	if r.Common, err = filepath.EvalSymlinks(r.Common); err != nil {
		return Repository{}, err
	}
	if !isRepository(r.Common) {
		return Repository{}, ErrNone
	}
	if info, err := os.Stat(r.Common); err == nil {
		if stat, ok := info.Sys().(*syscall.Stat_t); ok {
			r.Owner = int(stat.Uid)
		}
	}
	return r, nil
}

// Folders returns the folder that a work tree has for itself, and that with what all work
// trees of the repository share.
func Folders(dir string) (private, common string, err error) {
	private = filepath.Join(dir, ".git")
	link, err := os.Lstat(private)
	switch {
	case errors.Is(err, fs.ErrNotExist) && isRepository(dir):
		private = dir
	case errors.Is(err, fs.ErrNotExist):
		return private, private, ErrNone
	case err != nil:
		return private, private, err
	case link.Mode().IsRegular():
		text, err := Read(private)
		named, ok := bytes.CutPrefix(text, []byte("gitdir:"))
		if err != nil || !ok {
			return private, private, cmp.Or(err, ErrNone)
		}
		private = Named(dir, named)
	}
	if Exists(filepath.Join(private, "commondir")) {
		named, err := Read(filepath.Join(private, "commondir"))
		return private, Named(private, named), err
	}
	return private, private, nil
}

// isRepository reports whether a folder looks like a repository, by what git looks for.
func isRepository(dir string) bool {
	return Exists(filepath.Join(dir, "HEAD")) && Exists(filepath.Join(dir, "objects")) && Exists(filepath.Join(dir, "refs"))
}

// Read returns the content of a small regular file.
func Read(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe must not block
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: path, Err: errors.New("not a regular file")}
	}
	return io.ReadAll(io.LimitReader(f, maxFile))
}

// Exists reports whether there is something at a path, be it a link to nothing.
func Exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
