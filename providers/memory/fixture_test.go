package memory

import (
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
	"ctxfs/providers/facts"
	"ctxfs/providers/internal/project"
	"ctxfs/providers/internal/trust"
	"ctxfs/providers/internal/workspaces"
)

// now is a moment after all that the tests write, by either clock.
var now = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// world is a home folder with workspaces, and a provider over it.
type world struct {
	*Provider
	t          testing.TB
	home       string
	tree       *fs.Tree
	workspaces *workspaces.Set
	trust      *trust.Store
	said       *stated
	hide       func(path string) bool

	mu      sync.Mutex
	changes map[string]int
	visits  []facts.Visit
}

// newWorld makes a home folder with these files, by path; a body "-> x" makes a link, a
// path that ends in "/" a folder. Each folder of src/ with something in it is a
// repository in which somebody works.
func newWorld(t testing.TB, files map[string]string) *world {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	fstest.Must(t, err)
	w := &world{t: t, home: home, changes: make(map[string]int), said: &stated{}}
	for path, body := range files {
		w.write(path, body)
	}
	w.repositories()
	return w
}

// repositories makes a repository of each folder of src, in which somebody works.
func (w *world) repositories() {
	dirs, _ := filepath.Glob(filepath.Join(w.home, "src", "*"))
	for _, dir := range dirs {
		rel, _ := filepath.Rel(w.home, dir)
		w.write(rel+"/.git/HEAD", "ref: refs/heads/main\n")
		w.visit(rel)
	}
}

func (w *world) path(name string) string { return filepath.Join(w.home, name) }

func (w *world) visit(dir string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.visits = append(w.visits, facts.Visit{Dir: w.path(dir), Time: now, Certain: true})
}

func (w *world) write(path, body string) {
	w.t.Helper()
	at := w.path(path)
	if strings.HasSuffix(path, "/") {
		fstest.Must(w.t, os.MkdirAll(at, 0o755))
		return
	}
	fstest.Must(w.t, os.MkdirAll(filepath.Dir(at), 0o755))
	if target, ok := strings.CutPrefix(body, "-> "); ok {
		fstest.Must(w.t, os.Symlink(target, at))
		return
	}
	fstest.Must(w.t, os.WriteFile(at, []byte(body), 0o644))
	then := now.Add(-time.Hour) // both clocks agree, unless a test says otherwise
	fstest.Must(w.t, os.Chtimes(at, then, then))
}

// start starts a provider; with watch it is kept current.
func (w *world) start(watch bool) *world {
	w.t.Helper()
	projects := project.New(project.Options{Home: w.home})
	w.workspaces = workspaces.New(workspaces.Options{
		Projects: projects, Home: w.home, Now: func() time.Time { return now }, Lazy: true,
		Visits: func(time.Time) []facts.Visit {
			w.mu.Lock()
			defer w.mu.Unlock()
			return w.visits
		},
	})
	w.trust = trust.New(w.path(".state/trust.json"), nil, func() time.Time { return now })
	w.Provider = New(Options{
		Env: fs.Env{
			Changed: func(path string) {
				w.mu.Lock()
				defer w.mu.Unlock()
				w.changes[path]++
			},
			Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Now: func() time.Time { return now }, Built: now,
		},
		Home: w.home, OS: "linux", LookupEnv: func(string) (string, bool) { return "", false },
		Environ: func(int) func(string) (string, bool) {
			return func(name string) (string, bool) {
				value, ok := map[string]string{"CLAUDECODE": "1", "CLAUDE_CODE_SESSION_ID": "08940314"}[name]
				return value, ok
			}
		},
		SettingsPath: w.path(".config/ctxfs/config.toml"), State: w.path(".state/memory"), Cache: w.path(".cache/memory"),
		Statements: w.said.all, OnStatement: w.said.notify, Pause: time.Millisecond,
		Workspaces: w.workspaces, Trust: w.trust, Watch: watch, Hide: w.hide, Quiet: time.Millisecond,
	})
	w.tree = fs.NewTree(w.Root(), fs.TreeOptions{})
	w.t.Cleanup(func() { fstest.Must(w.t, w.Close()) })
	if watch {
		w.Start()
	}
	return w
}

// cat returns a file's text, or "" if there is none.
func (w *world) cat(path string) string { w.t.Helper(); return fstest.ReadIfAny(w.t, w.tree, path) }

// ls returns the names in a folder, with spaces between them.
func (w *world) ls(path string) string {
	w.t.Helper()
	return strings.Join(fstest.Names(w.t, w.tree, path), " ")
}

func (w *world) wantLs(path, want string) { w.t.Helper(); fstest.WantNames(w.t, w.tree, path, want) }
