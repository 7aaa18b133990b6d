package workspaces

import (
	"bytes"
	"path/filepath"

	"ctxfs/providers/internal/git"
)

// repositoryOf returns the folder of the repository that a linked worktree belongs to,
// without symbolic links; "" if dir is no linked worktree. The repository must name the
// worktree too: otherwise a folder could make itself part of another repository.
//
// Source: gitrepository-layout(5): .git of a worktree is a file "gitdir: PATH"; PATH is
// .git/worktrees/NAME of the repository, whose file gitdir has the path of that .git.
func (s *Set) repositoryOf(dir string) string {
	if dir == "" {
		return ""
	}
	link := filepath.Join(dir, ".git")
	body, _ := git.Read(link)
	private, ok := bytes.CutPrefix(body, []byte("gitdir:"))
	if !ok {
		return ""
	}
	at := git.Named(dir, private)
	common := filepath.Dir(filepath.Dir(at))
	if filepath.Base(filepath.Dir(at)) != "worktrees" || filepath.Base(common) != ".git" {
		return "" // a submodule, or the worktree of a bare repository
	}
	main, err := s.opts.Projects.Resolve(filepath.Dir(common))
	if err != nil {
		return ""
	}
	body, _ = git.Read(filepath.Join(at, "gitdir"))
	back := git.Named(at, body)
	if _, err := s.opts.Projects.Resolve(back); err != nil || !git.Same(back, link) {
		return ""
	}
	return main
}
