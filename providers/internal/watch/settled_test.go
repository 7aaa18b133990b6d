package watch

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"ctxfs/fs/fstest"
)

// TestSettledReportsWhatWasChangedBefore: files, new folders and what is in them.
func TestSettledReportsWhatWasChangedBefore(t *testing.T) {
	dir := t.TempDir()
	seen := make(map[string]bool) // written before Settled returns
	w, err := New(Options{Changed: func(paths []string) {
		for _, p := range paths {
			seen[p] = true
		}
	}})
	if err != nil {
		t.Skipf("no watcher can be had: %v", err)
	}
	defer w.Close()
	w.Add(dir)
	for i := range 50 {
		sub := filepath.Join(dir, strconv.Itoa(i))
		file := filepath.Join(dir, "file"+strconv.Itoa(i))
		fstest.Must(t, os.Mkdir(sub, 0o700))
		fstest.Must(t, os.WriteFile(file, nil, 0o600))
		fstest.Must(t, w.Settled(t.Context()))
		if !seen[sub] || !seen[file] {
			t.Fatalf("change %d was not reported: %v", i, seen)
		}
		inside := filepath.Join(sub, "x")
		fstest.Must(t, os.WriteFile(inside, nil, 0o600))
		if err := w.Settled(t.Context()); err != nil || !seen[inside] {
			t.Fatalf("a change in a new folder was not reported: %v, %v", err, seen)
		}
	}
}

// TestSettledWithoutACookie: where no file can be made, all counts as changed.
func TestSettledWithoutACookie(t *testing.T) {
	dir := t.TempDir()
	seen := make(map[string]bool)
	w, err := New(Options{Changed: func(paths []string) {
		for _, p := range paths {
			seen[p] = true
		}
	}})
	if err != nil {
		t.Skipf("no watcher can be had: %v", err)
	}
	defer w.Close()
	w.Add(dir)
	t.Setenv("TMPDIR", filepath.Join(dir, "none"))
	if err := w.Settled(t.Context()); err != nil || !seen[dir] {
		t.Errorf("%v, %v", err, seen)
	}
}
