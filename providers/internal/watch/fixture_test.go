package watch

import (
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"ctxfs/fs/fstest"
)

// deadline is how long the kernel may take to report a change.
const deadline = 2 * time.Minute

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
	w, err := New(opts)
	if err != nil {
		t.Skipf("no watcher can be had: %v", err)
	}
	got.Watcher = w
	t.Cleanup(func() { w.Close() })
	return got
}

// expect waits until each of the paths was reported.
func (w *watched) expect(paths ...string) {
	w.t.Helper()
	missing := make(map[string]bool)
	for _, p := range paths {
		missing[p] = true
	}
	timeout := time.After(deadline)
	for len(missing) > 0 {
		select {
		case p := <-w.paths:
			delete(missing, p)
		case <-timeout:
			w.t.Fatalf("not reported: %v", missing)
		}
	}
}

// settle makes a change that is reported after all earlier ones, and returns
// what those were.
func (w *watched) settle(dir string) map[string]bool {
	w.t.Helper()
	mark := filepath.Join(dir, "mark-"+strconv.FormatInt(time.Now().UnixNano(), 36))
	w.AddFile(mark)
	defer w.Remove(mark)
	write(w.t, mark, "")
	earlier := make(map[string]bool)
	timeout := time.After(deadline)
	for {
		select {
		case p := <-w.paths:
			if p == mark {
				return earlier
			}
			earlier[p] = true
		case <-timeout:
			w.t.Fatal("the mark was not reported")
		}
	}
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
