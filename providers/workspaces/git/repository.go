package git

import (
	"os"
	"path/filepath"
	"strings"

	"ctxfs/providers/internal/git"
)

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
func worktrees(r git.Repository) []Worktree {
	var all []Worktree
	entries, _ := os.ReadDir(filepath.Join(r.Common, "worktrees"))
	for _, e := range entries[:min(len(entries), maxWorktrees)] {
		private := filepath.Join(r.Common, "worktrees", e.Name())
		link, err := git.Read(filepath.Join(private, "gitdir"))
		if err != nil {
			continue
		}
		w := Worktree{Dir: filepath.Dir(git.Named(private, link)), Locked: git.Exists(filepath.Join(private, "locked"))}
		w.Missing = !git.Exists(filepath.Join(w.Dir, ".git"))
		if head, err := git.Read(filepath.Join(private, "HEAD")); err == nil {
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
	repo, err := git.Locate(dir)
	if err != nil {
		return Files{Files: []string{filepath.Join(dir, ".git", "HEAD")}}
	}
	f := Files{Within: []string{repo.Private, repo.Common}}
	for _, name := range []string{
		"HEAD", "index", "index.lock", "logs/HEAD", "FETCH_HEAD",
		"MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "BISECT_LOG", "rebase-merge", "rebase-apply", "sequencer", // see operation
	} {
		f.Files = append(f.Files, filepath.Join(repo.Private, name))
	}
	for _, name := range []string{"config", "packed-refs", "FETCH_HEAD", "info/exclude", "logs/refs/stash"} {
		f.Files = append(f.Files, filepath.Join(repo.Common, name))
	}
	for _, name := range []string{"refs", "reftable", "worktrees"} {
		f.Folders = append(f.Folders, filepath.Join(repo.Common, name))
	}
	return f
}
