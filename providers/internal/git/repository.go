package git

import (
	"bytes"
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
	r := Repository{Dir: dir, Private: filepath.Join(dir, ".git"), Owner: -1}
	link, err := os.Lstat(r.Private)
	switch {
	case errors.Is(err, fs.ErrNotExist) && isRepository(dir):
		r.Private = dir
	case errors.Is(err, fs.ErrNotExist):
		return Repository{}, ErrNone
	case err != nil:
		return Repository{}, err
	case link.Mode().IsRegular():
		text, err := Read(r.Private)
		if err != nil {
			return Repository{}, err
		}
		named, ok := bytes.CutPrefix(text, []byte("gitdir:"))
		if !ok {
			return Repository{}, ErrNone
		}
		r.Private = Named(dir, named)
	}
	if r.Common = r.Private; exists(filepath.Join(r.Private, "commondir")) {
		named, err := Read(filepath.Join(r.Private, "commondir"))
		if err != nil {
			return Repository{}, err
		}
		r.Common = Named(r.Private, named)
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

// isRepository reports whether a folder looks like a repository, by what git looks for.
func isRepository(dir string) bool {
	return exists(filepath.Join(dir, "HEAD")) && exists(filepath.Join(dir, "objects")) && exists(filepath.Join(dir, "refs"))
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

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
