package workspaces

import "slices"

// Notice has a function called with paths in workspaces that have changed on disk, as far
// as their folders are watched: for a new folder only its own. It must only enqueue.
func (s *Set) Notice(tell func(paths []string)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tell = append(s.tell, tell)
}

// Noticed passes on which paths have changed on disk. The code that watches workspaces
// calls it.
func (s *Set) Noticed(paths []string) {
	s.mu.Lock()
	tell := slices.Clone(s.tell)
	s.mu.Unlock()
	for _, t := range tell {
		t(paths)
	}
}
