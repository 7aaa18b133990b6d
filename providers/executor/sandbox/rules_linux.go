package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ctxfs/fs"
)

// places are the rules with what is there, by real paths.
type places struct {
	Rules
	folders, files []string
	keep           []string // that are there, in folders
}

// settled finds what the rules name, and makes its folders. What is not to be writable, or
// cannot be made, is left out.
func (r Rules) settled() places {
	r.Dir = real(r.Dir)
	out := places{Rules: r}
	for _, path := range r.Keep {
		if _, err := os.Stat(path); err == nil {
			out.keep = append(out.keep, real(path))
		}
	}
	for _, path := range r.Write {
		info, err := os.Stat(path)
		if errors.Is(err, os.ErrNotExist) && filepath.Ext(strings.TrimLeft(filepath.Base(path), ".")) == "" && !fs.Within(r.Dir, filepath.Clean(path)) {
			err = os.MkdirAll(path, 0o700)
			info, _ = os.Stat(path)
		}
		switch path = real(path); {
		case err != nil || info == nil || fs.Within(r.Dir, path) || slices.Contains(out.keep, path):
		case info.IsDir():
			out.folders = append(out.folders, path)
		case info.Mode().IsRegular():
			out.files = append(out.files, path)
		}
	}
	out.keep = slices.DeleteFunc(out.keep, func(path string) bool {
		return !slices.ContainsFunc(out.folders, func(folder string) bool { return fs.Within(path, folder) })
	})
	// Those around others come first.
	slices.SortStableFunc(out.folders, func(a, b string) int { return len(a) - len(b) })
	return out
}

// real returns a path without symbolic links.
func real(path string) string {
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		return resolved
	}
	return filepath.Clean(path)
}
