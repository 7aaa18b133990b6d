package git

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"ctxfs/providers/internal/gitpath"
)

// maxFile is how much is read of a file of git's, in bytes.
const maxFile = 64 << 10

// repository is where a repository lies. Source: gitrepository-layout(5).
type repository struct {
	dir     string // the work tree; of a bare repository it is common
	private string // what is of this work tree alone: HEAD, index
	common  string // what all work trees share: objects, references, configuration
	owner   int    // user number of the owner; -1 if it is not known
}

// locate returns the repository whose work tree is a folder, or that it is.
func locate(dir string) (repository, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return repository{}, err
	}
	if !info.IsDir() {
		return repository{}, ErrNone
	}
	r := repository{dir: dir, private: filepath.Join(dir, ".git"), owner: -1}
	link, err := os.Lstat(r.private)
	switch {
	case errors.Is(err, fs.ErrNotExist) && isRepository(dir):
		r.private = dir
	case errors.Is(err, fs.ErrNotExist):
		return repository{}, ErrNone
	case err != nil:
		return repository{}, err
	case link.Mode().IsRegular():
		text, err := read(r.private)
		if err != nil {
			return repository{}, err
		}
		named, ok := bytes.CutPrefix(text, []byte("gitdir:"))
		if !ok {
			return repository{}, ErrNone
		}
		r.private = gitpath.Named(dir, named)
	}
	if r.common = r.private; exists(filepath.Join(r.private, "commondir")) {
		named, err := read(filepath.Join(r.private, "commondir"))
		if err != nil {
			return repository{}, err
		}
		r.common = gitpath.Named(r.private, named)
	}
	if r.common, err = filepath.EvalSymlinks(r.common); err != nil {
		return repository{}, err
	}
	if !isRepository(r.common) {
		return repository{}, ErrNone
	}
	if info, err := os.Stat(r.common); err == nil {
		if stat, ok := info.Sys().(*syscall.Stat_t); ok {
			r.owner = int(stat.Uid)
		}
	}
	return r, nil
}

// isRepository reports whether a folder looks like a repository, by what git looks for.
func isRepository(dir string) bool {
	return exists(filepath.Join(dir, "HEAD")) && exists(filepath.Join(dir, "objects")) && exists(filepath.Join(dir, "refs"))
}

// Worktree is a linked worktree.
type Worktree struct {
	Dir string // its absolute path
	// Branch is the branch there; "" if its head is detached.
	Branch string
	// Missing reports whether the folder is not there (any more).
	Missing bool
	// Locked reports whether it is kept even if it is missing.
	Locked bool
}

// worktrees returns the linked worktrees, by the names that git has for them.
func (r repository) worktrees() []Worktree {
	var all []Worktree
	entries, _ := os.ReadDir(filepath.Join(r.common, "worktrees"))
	for _, e := range entries[:min(len(entries), maxWorktrees)] {
		private := filepath.Join(r.common, "worktrees", e.Name())
		link, err := read(filepath.Join(private, "gitdir"))
		if err != nil {
			continue
		}
		w := Worktree{Dir: filepath.Dir(gitpath.Named(private, link)), Locked: exists(filepath.Join(private, "locked"))}
		w.Missing = !exists(filepath.Join(w.Dir, ".git"))
		if head, err := read(filepath.Join(private, "HEAD")); err == nil {
			w.Branch = branchOf(string(head))
		}
		all = append(all, w)
	}
	return all
}

// branchOf returns the branch that the text of a HEAD names; "" for another text, and for
// the branch with which reftable repositories keep older programs away.
func branchOf(head string) string {
	name, ok := strings.CutPrefix(strings.TrimSpace(head), "ref: refs/heads/")
	if !ok || name == ".invalid" {
		return ""
	}
	return name
}

// read returns the content of a small regular file.
func read(path string) ([]byte, error) {
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

// Files are the files that change with the state of a repository.
type Files struct {
	// Within are folders that have all of them.
	Within []string
	// Folders count with everything below them, Files by themselves; not all of them
	// need exist.
	Folders, Files []string
}

// FilesOf returns the files of the repository whose work tree is a folder, or that it is.
// For any other folder they are those with which it would become one.
func FilesOf(dir string) Files {
	repo, err := locate(dir)
	if err != nil {
		return Files{Files: []string{filepath.Join(dir, ".git", "HEAD")}}
	}
	f := Files{Within: []string{repo.private, repo.common}}
	for _, name := range []string{
		"HEAD", "index", "index.lock", "logs/HEAD", "FETCH_HEAD",
		"MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "BISECT_LOG", "rebase-merge", "rebase-apply", "sequencer", // see operation
	} {
		f.Files = append(f.Files, filepath.Join(repo.private, name))
	}
	for _, name := range []string{"config", "packed-refs", "FETCH_HEAD", "info/exclude", "logs/refs/stash"} {
		f.Files = append(f.Files, filepath.Join(repo.common, name))
	}
	for _, name := range []string{"refs", "reftable", "worktrees"} {
		f.Folders = append(f.Folders, filepath.Join(repo.common, name))
	}
	return f
}
