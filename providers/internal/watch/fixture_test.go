package watch

import (
	"io"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"ctxfs/fs/fstest"
)

type watched struct {
	*Watcher
	t     *testing.T
	paths chan string
}

// start runs a watcher whose reports are collected.
func start(t *testing.T, opts Options) *watched {
	t.Helper()
	got := &watched{t: t, paths: make(chan string, 100_000)}
	opts.Changed = func(paths []string) {
		for _, p := range paths {
			got.paths <- p
		}
	}
	opts.Log = slog.New(slog.NewTextHandler(io.Discard, nil))
	if strings.HasPrefix(t.Name(), "TestWithoutInotify/") {
		got.Watcher = Look(opts, syscall.EMFILE)
	} else {
		got.Watcher = New(opts)
	}
	t.Cleanup(func() { got.Close() })
	return got
}

// Watched is as of [Watcher], or reports whether a path is looked at if all is.
func (w *watched) Watched(path string) bool {
	if w.notify != nil {
		return w.Watcher.Watched(path)
	}
	w.mu.RLock()
	defer w.mu.RUnlock()
	p := w.points[path]
	return w.folders[path].inTree() || p != nil && p.err == nil
}

// expect waits until each of the paths was reported.
func (w *watched) expect(paths ...string) {
	w.t.Helper()
	told := w.settle()
	for _, p := range paths {
		if !told[p] {
			w.t.Fatalf("not reported: %s, but %v", p, slices.Sorted(maps.Keys(told)))
		}
	}
}

// settle returns what was reported of all changes so far.
func (w *watched) settle() map[string]bool {
	w.t.Helper()
	fstest.Settled(w.t, w)
	told := make(map[string]bool)
	for len(w.paths) > 0 {
		told[<-w.paths] = true
	}
	return told
}

func tempDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	fstest.Must(t, err)
	return dir
}

func mkdir(t *testing.T, path ...string) string {
	t.Helper()
	dir := filepath.Join(path...)
	fstest.Must(t, os.MkdirAll(dir, 0o755))
	return dir
}

func write(t *testing.T, path, body string) {
	t.Helper()
	fstest.Must(t, os.WriteFile(path, []byte(body), 0o644))
}

// replace writes a file as editors do.
func replace(t *testing.T, path, body string) {
	t.Helper()
	write(t, path+".new", body)
	fstest.Must(t, os.Rename(path+".new", path))
}
