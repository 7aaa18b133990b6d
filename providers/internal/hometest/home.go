// Package hometest is a home folder with workspaces, and a provider over it, for tests of
// providers that read what agents keep there.
package hometest

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
	"ctxfs/fs/facts"
	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/agents"
	"ctxfs/providers/internal/host"
	"ctxfs/providers/internal/project"
	"ctxfs/providers/internal/trust"
	"ctxfs/providers/internal/workspaces"
)

// Home is a home folder. What is below Dir changes as tests like.
type Home struct {
	T          testing.TB
	Dir        string    // without links
	Now        time.Time // the time, which stands still
	Written    time.Time // of files that are written; zero where that is when they are
	Projects   *project.Resolver
	Workspaces *workspaces.Set
	Trust      *trust.Store
	Tree       *fs.Tree // of the provider that is shown

	mu      sync.Mutex
	visits  []facts.Visit
	changes map[string]int
}

// New creates a home folder with files, as Write does. Each folder in src becomes a
// repository that was visited; see Repositories.
func New(t testing.TB, now, written time.Time, files map[string]string) *Home {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	fstest.Must(t, err)
	h := &Home{T: t, Dir: dir, Now: now, Written: written, changes: make(map[string]int)}
	for path, body := range files {
		h.Write(path, body)
	}
	h.Repositories()
	return h
}

// Repositories turns each folder in src into a repository, and records a visit to it.
func (h *Home) Repositories() {
	dirs, _ := filepath.Glob(h.Path("src/*"))
	for _, dir := range dirs {
		rel, _ := filepath.Rel(h.Dir, dir)
		h.Write(rel+"/.git/HEAD", "ref: refs/heads/main\n")
		h.Visit(rel)
	}
}

// Path returns the path of a file of the home folder.
func (h *Home) Path(name string) string { return filepath.Join(h.Dir, name) }

// Visit records that someone worked in a folder.
func (h *Home) Visit(dir string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.visits = append(h.visits, facts.Visit{Dir: h.Path(dir), Time: h.Now, Certain: true})
}

// Write writes a file; a body "-> x" makes a link, a path that ends in "/" a folder.
func (h *Home) Write(path, body string) {
	h.T.Helper()
	at := h.Path(path)
	if strings.HasSuffix(path, "/") {
		fstest.Must(h.T, os.MkdirAll(at, 0o755))
		return
	}
	fstest.Must(h.T, os.MkdirAll(filepath.Dir(at), 0o755))
	if target, ok := strings.CutPrefix(body, "-> "); ok {
		fstest.Must(h.T, os.Symlink(target, at))
		return
	}
	fstest.Must(h.T, os.WriteFile(at, []byte(body), 0o644))
	if !h.Written.IsZero() {
		fstest.Must(h.T, os.Chtimes(at, h.Written, h.Written))
	}
}

// Open finds the workspaces, and trusts none. It returns the environment of a provider.
func (h *Home) Open() fs.Env {
	clock := func() time.Time { return h.Now }
	h.Projects = project.New(project.Options{Home: h.Dir})
	h.Workspaces = workspaces.New(workspaces.Options{
		Projects: h.Projects, Home: h.Dir, Now: clock, Lazy: true,
		Visits: func(time.Time) []facts.Visit {
			h.mu.Lock()
			defer h.mu.Unlock()
			return h.visits
		},
	})
	h.Trust = trust.New(h.Path(".state/trust.json"), nil, clock)
	return fs.Env{
		Changed: func(path string) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.changes[path]++
		},
		Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Now: clock, Built: h.Now,
	}
}

// Host returns what a provider is given, whose environment Open has returned.
func (h *Home) Host(env fs.Env, watch bool) host.Host {
	return host.Host{
		Env: env, Machine: agents.Machine{Home: h.Dir, OS: "linux", LookupEnv: func(string) (string, bool) { return "", false }},
		SettingsPath: h.Path(".config/ctxfs/config.toml"), State: h.Path(".state/provider"), Cache: h.Path(".cache/provider"), Watch: watch,
	}
}

// Changes returns how often changes of a path were told.
func (h *Home) Changes(path string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.changes[path]
}

// Show shows the tree of a provider, which is closed when the test ends.
func (h *Home) Show(p fs.Provider) {
	h.Tree = fs.NewTree(p.Root(), fs.TreeOptions{})
	h.T.Cleanup(func() { fstest.Must(h.T, p.Close()) })
}

// Cat returns the text of a file, or "" if the file does not exist.
func (h *Home) Cat(path string) string { h.T.Helper(); return fstest.ReadIfAny(h.T, h.Tree, path) }

// Ls returns the names in a folder, with spaces between them.
func (h *Home) Ls(path string) string {
	h.T.Helper()
	return strings.Join(fstest.Names(h.T, h.Tree, path), " ")
}
