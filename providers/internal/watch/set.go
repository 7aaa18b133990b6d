package watch

import (
	"cmp"
	"errors"
	iofs "io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
)

// Set is what a [Watcher] watches, for an owner who says what all of it is to be. It is
// for one goroutine at a time.
type Set struct {
	watcher *Watcher
	failed  error
	paths   map[string]bool
}

// NewSet returns a set of nothing. W may be nil, where nothing is watched, and failed is
// then the error of [New], if there was one.
func NewSet(w *Watcher, failed error) *Set {
	return &Set{watcher: w, failed: failed, paths: make(map[string]bool)}
}

// Only has these files watched, and these folders, which end with a slash, with all below
// them, and nothing else. It reports whether the set is another one now.
func (s *Set) Only(paths []string) bool {
	if s.watcher == nil {
		return false
	}
	wanted := make(map[string]bool, len(paths))
	for _, path := range paths {
		wanted[path] = true
	}
	for path := range s.paths {
		if !wanted[path] {
			s.watcher.Remove(strings.TrimSuffix(path, "/"))
		}
	}
	for path := range wanted {
		switch dir, isDir := strings.CutSuffix(path, "/"); {
		case s.paths[path]:
		case isDir:
			s.watcher.Add(dir)
		default:
			s.watcher.AddFile(path)
		}
	}
	changed := !maps.Equal(wanted, s.paths)
	s.paths = wanted
	return changed
}

// Paths returns the paths in the set, sorted.
func (s *Set) Paths() []string { return slices.Sorted(maps.Keys(s.paths)) }

// Problem returns a problem if not everything in the set is watched, and nil otherwise;
// what is missing or must not be read is not one. What names the changes: "changes of
// rules"; every is how often its owner looks without being told.
func (s *Set) Problem(what string, every time.Duration) *fs.Problem {
	err := s.failed
	if s.watcher != nil {
		for _, path := range s.Paths() {
			if e := s.watcher.Err(strings.TrimSuffix(path, "/")); e != nil && !errors.Is(e, iofs.ErrNotExist) && !errors.Is(e, iofs.ErrPermission) {
				err = e
				break
			}
		}
	}
	if err == nil {
		return nil
	}
	return &fs.Problem{
		What: clean.Line(what + " are noticed only after up to " + wording.Seconds(every) + ": " + wording.Cause(err).Error()),
		Mend: cmp.Or(Fix(err), "nothing: they are looked for again and again"),
	}
}
