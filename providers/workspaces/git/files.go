package git

import "path/filepath"

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
