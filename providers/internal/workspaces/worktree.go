package workspaces

import (
	"bytes"
	"os"
	"path/filepath"
)

// maxLink is the size of the longest file with which git joins two folders, in bytes.
const maxLink = 8 << 10

// repositoryOf returns the folder of the repository that a linked worktree belongs to,
// without symbolic links; "" if dir is no linked worktree. The repository must name the
// worktree too: otherwise a folder could make itself part of somebody else's.
//
// Source: gitrepository-layout(5): .git of a worktree is a file "gitdir: PATH"; PATH is
// .git/worktrees/NAME of the repository, whose file gitdir has the path of that .git.
func repositoryOf(dir string) string {
	if dir == "" {
		return ""
	}
	link := filepath.Join(dir, ".git")
	private, ok := bytes.CutPrefix(read(link), []byte("gitdir:"))
	if !ok {
		return ""
	}
	at := inDir(dir, private)
	common := filepath.Dir(filepath.Dir(at))
	if filepath.Base(filepath.Dir(at)) != "worktrees" || filepath.Base(common) != ".git" {
		return "" // a submodule, or the worktree of a bare repository
	}
	if back := inDir(at, read(filepath.Join(at, "gitdir"))); !sameFile(back, link) {
		return ""
	}
	main, err := filepath.EvalSymlinks(filepath.Dir(common))
	if err != nil {
		return ""
	}
	return main
}

// read returns the content of a small regular file; nil if it is none.
func read(path string) []byte {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxLink {
		return nil
	}
	body, _ := os.ReadFile(path)
	return body
}

// inDir returns the path that a file of git names, from the folder that it starts from.
func inDir(dir string, named []byte) string {
	path := string(bytes.TrimSpace(named))
	if path == "" || filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}
