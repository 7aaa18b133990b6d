// Package git lets the program git work in a repository, but lets no repository name a
// program that git would run. A repository can do so in many places: core.fsmonitor,
// filters, hooks, an external diff, the helper of a transport, and whatever the next version
// brings. A list of what to turn off would be outdated, and by the time git runs the
// configuration may have changed. So git does not read that configuration at all: see [View].
//
// It also has what several readers of repositories need to know of the paths that files of
// git name: those of worktrees, submodules and shared folders (gitrepository-layout(5)).
package git

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
