package watch

import (
	"errors"
	iofs "io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
)

// Set is what a [Watcher] watches, for an owner who says what all of it is to be.
type Set struct {
	watcher *Watcher

	mu      sync.Mutex
	wanted  map[string]bool
	working chan struct{} // closed when everything wanted is watched; nil if it is
	late    bool          // that has taken too long
}

// NewSet returns a set of nothing. W may be nil, where nothing is watched.
func NewSet(w *Watcher) *Set { return &Set{watcher: w, wanted: make(map[string]bool)} }

// answerTime is how long is waited for folders that are to be watched: one that was looked
// at just now may lie on a file system that no longer answers.
const answerTime = 2 * time.Second

// errNoAnswer says why a set is not watched yet.
var errNoAnswer = errors.New("a folder does not answer")

// Only has these files watched, and these folders, which end with a slash, with all below
// them, and nothing else. It reports whether the set is another one now. Where a folder
// does not answer, it returns after answerTime, and the set is watched later.
func (s *Set) Only(paths []string) (changed bool) {
	if s.watcher == nil {
		return false
	}
	wanted := make(map[string]bool, len(paths))
	for _, path := range paths {
		wanted[path] = true
	}
	s.mu.Lock()
	watched := s.wanted
	changed = !maps.Equal(wanted, watched)
	s.wanted = wanted
	if changed && s.working == nil {
		s.working = make(chan struct{})
		go s.watch(watched)
	}
	working, late := s.working, s.late
	s.mu.Unlock()
	if working == nil || late {
		return changed
	}
	select {
	case <-working:
	case <-time.After(answerTime):
		s.mu.Lock()
		s.late = s.working != nil
		s.mu.Unlock()
	}
	return changed
}

// watch has the watcher watch the wanted folders, until they are what is watched.
func (s *Set) watch(watched map[string]bool) {
	for {
		s.mu.Lock()
		wanted := s.wanted
		if maps.Equal(wanted, watched) {
			close(s.working)
			s.working, s.late = nil, false
			s.mu.Unlock()
			return
		}
		s.mu.Unlock()
		for path := range watched {
			if !wanted[path] {
				s.watcher.Remove(strings.TrimSuffix(path, "/"))
			}
		}
		for path := range wanted {
			switch dir, isDir := strings.CutSuffix(path, "/"); {
			case watched[path]:
			case isDir:
				s.watcher.Add(dir)
			default:
				s.watcher.AddFile(path)
			}
		}
		watched = wanted
	}
}

// Paths returns the paths in the set, sorted.
func (s *Set) Paths() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.wanted))
}

// Problem returns a problem if not everything in the set is watched, and nil otherwise;
// what is missing or must not be read is not one. What names the changes: "changes of
// rules"; every is how often its owner looks without being told.
func (s *Set) Problem(what string, every time.Duration) *fs.Problem {
	var err error
	s.mu.Lock()
	working, late := s.working != nil, s.late
	s.mu.Unlock()
	switch {
	case late:
		err = errNoAnswer
	case s.watcher != nil && !working: // else it may wait for a file system
		for _, path := range s.Paths() {
			if e := s.watcher.Err(strings.TrimSuffix(path, "/")); e != nil && !errors.Is(e, iofs.ErrNotExist) && !errors.Is(e, iofs.ErrPermission) {
				err = e
				break
			}
		}
		if late := s.watcher.Late(); err == nil && late != nil {
			return &late[0]
		}
	}
	if err == nil {
		return nil
	}
	return &fs.Problem{
		What: clean.Line(what + " are noticed only after up to " + wording.Seconds(every) + ": " + wording.Cause(err).Error()),
		Mend: "nothing: they are looked for again and again",
	}
}
