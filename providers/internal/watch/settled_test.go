package watch

import (
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"ctxfs/fs/fstest"
)

// reports are the paths that a watcher has reported.
type reports struct {
	mu   sync.Mutex
	seen map[string]bool
}

func (r *reports) add(paths []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.seen == nil {
		r.seen = make(map[string]bool)
	}
	for _, p := range paths {
		r.seen[p] = true
	}
}

// settled waits; these paths must have been reported by then.
func (r *reports) settled(t *testing.T, w *Watcher, paths ...string) {
	t.Helper()
	fstest.Settled(t, w)
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range paths {
		if !r.seen[p] {
			t.Fatalf("%s was not reported: %v", p, r.seen)
		}
	}
}

func watching(t *testing.T, dir string) (*Watcher, *reports) {
	r := new(reports)
	w := New(Options{Changed: r.add})
	t.Cleanup(func() { fstest.Must(t, w.Close()) })
	w.Add(dir)
	return w, r
}

// TestSettledReportsWhatWasChangedBefore: files, new folders and what is in them.
func TestSettledReportsWhatWasChangedBefore(t *testing.T) {
	dir := t.TempDir()
	w, r := watching(t, dir)
	for i := range 50 {
		sub := filepath.Join(dir, strconv.Itoa(i))
		file := filepath.Join(dir, "file"+strconv.Itoa(i))
		fstest.Must(t, os.Mkdir(sub, 0o700))
		fstest.Must(t, os.WriteFile(file, nil, 0o600))
		r.settled(t, w, sub, file)
		inside := filepath.Join(sub, "x")
		fstest.Must(t, os.WriteFile(inside, nil, 0o600))
		r.settled(t, w, inside)
	}
}

// TestSettledWithoutACookie: where no file can be made, all counts as changed.
func TestSettledWithoutACookie(t *testing.T) {
	dir := t.TempDir()
	w, r := watching(t, dir)
	t.Setenv("TMPDIR", filepath.Join(dir, "none"))
	r.settled(t, w, dir)
}
