package watch

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// twoFolders returns a watcher, a set of it, and two folders that are not in it.
func twoFolders(t *testing.T) (w *watched, s *Set, a, b string) {
	t.Helper()
	root := tempDir(t)
	mkdir(t, root, "a")
	mkdir(t, root, "b")
	w = start(t, Options{})
	return w, NewSet(w.Watcher), filepath.Join(root, "a"), filepath.Join(root, "b")
}

// TestSet: an owner says what is watched, and is told whether that is something else.
func TestSet(t *testing.T) {
	w, s, a, b := twoFolders(t)
	if !s.Only([]string{a + "/", filepath.Join(b, "f")}) || s.Only([]string{filepath.Join(b, "f"), a + "/"}) {
		t.Error("a change of the set is not told, or one where there is none")
	}
	if !w.Watched(a) || s.Problem("changes", time.Minute) != nil {
		t.Errorf("%s is watched: %t, %v", a, w.Watched(a), s.Problem("changes", time.Minute))
	}
	if !s.Only([]string{b + "/"}) || w.Watched(a) || !w.Watched(b) || !slices.Equal(s.Paths(), []string{b + "/"}) {
		t.Errorf("%q", s.Paths())
	}
	few := start(t, Options{MaxDirs: 1})
	mkdir(t, b, "c")
	s = NewSet(few.Watcher)
	s.Only([]string{b + "/"})
	if p := s.Problem("changes", time.Minute); p == nil || !strings.Contains(p.What, "after up to 60 s: too many folders") {
		t.Errorf("%+v", p)
	}
}

// TestSetOfAFolderThatDoesNotAnswer: nobody waits for it longer than a moment, once; what
// is wanted meanwhile is watched when it answers.
func TestSetOfAFolderThatDoesNotAnswer(t *testing.T) {
	w, s, a, b := twoFolders(t)
	w.mu.Lock() // as who asks its file system
	if !s.Only([]string{a + "/"}) {
		t.Error("the set has not changed")
	}
	for range 1000 { // or else the test would take half an hour
		s.Only([]string{a + "/", b + "/"})
		s.Only([]string{b + "/"})
	}
	if p := s.Problem("changes", time.Minute); p == nil || !strings.Contains(p.What, "a folder does not answer") {
		t.Errorf("%+v", p)
	}
	w.mu.Unlock()
	s.mu.Lock()
	working := s.working
	s.mu.Unlock()
	if working != nil {
		<-working
	}
	if p := s.Problem("changes", time.Minute); p != nil || !w.Watched(b) || w.Watched(a) {
		t.Errorf("the last that was wanted is not watched, or another: %v", p)
	}
}
