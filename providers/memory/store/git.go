package store

import (
	"os"
	"path/filepath"

	"ctxfs/fs"
	"ctxfs/providers/internal/git"
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
		if private, _, err := git.Folders(dir); err == nil && private != dir {
			return private
		}
		dir = filepath.Dir(dir)
	}
	return ""
}
