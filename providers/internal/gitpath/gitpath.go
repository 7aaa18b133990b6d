// Package gitpath has what several readers of repositories need to know of the paths
// that files of git name: those of worktrees, submodules and shared folders
// (gitrepository-layout(5)).
package gitpath

import (
	"bytes"
	"os"
	"path/filepath"
)

// Named returns the path that a file of git names, from the folder that it starts from.
func Named(dir string, named []byte) string {
	path := string(bytes.TrimSpace(named))
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// Same reports whether two paths lead to one file, which exists.
func Same(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}
