package store

import (
	"bytes"
	"io"
	"os"
	"path/filepath"

	"ctxfs/fs"
	"ctxfs/providers/internal/git"
	"ctxfs/providers/memory/files"
)

// merging returns what git is in the middle of in the repository that has the folder: a
// "merge", "rebase", "cherry-pick" or "revert", or "" (gitrepository-layout(5), and
// git-status(1) for the names). No program is run.
func (s *Store) merging() string {
	gitDir := s.gitDir()
	if gitDir == "" {
		return ""
	}
	for _, state := range []struct{ file, is string }{
		{"MERGE_HEAD", "merge"}, {"rebase-merge", "rebase"}, {"rebase-apply", "rebase"},
		{"CHERRY_PICK_HEAD", "cherry-pick"}, {"REVERT_HEAD", "revert"},
	} {
		if _, err := os.Lstat(filepath.Join(gitDir, state.file)); err == nil {
			return state.is
		}
	}
	return ""
}

// gitDir returns the folder of git's files of the repository that has the folder; "" if
// there is no repository.
func (s *Store) gitDir() string {
	const highest = 8
	dir := s.opts.Dir
	if fs.Hides(s.opts.Hide, dir) {
		return ""
	}
	for range highest {
		if found := repository(filepath.Join(dir, ".git")); found != "" {
			return found
		}
		if filepath.Dir(dir) == dir {
			break
		}
		dir = filepath.Dir(dir)
	}
	return ""
}

// repository returns the folder of git's files that a path ".git" is or names.
func repository(path string) string {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return ""
	case info.IsDir():
		return path
	}
	f, err := files.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	body, _ := io.ReadAll(io.LimitReader(f, 4096))
	if named, ok := bytes.CutPrefix(body, []byte("gitdir: ")); ok {
		return git.Named(filepath.Dir(path), named)
	}
	return ""
}
