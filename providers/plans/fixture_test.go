package plans

import (
	"context"
	"io"
	"iter"
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
	projects "ctxfs/providers/internal/project"
	"ctxfs/providers/internal/trust"
	"ctxfs/providers/internal/workspaces"
)

var now = time.Date(2026, 5, 10, 12, 0, 0, 0, time.UTC)

// at is an hour of the day before now.
func at(hour int) time.Time { return time.Date(2026, 5, 9, hour, 0, 0, 0, time.UTC) }

// world is a home folder with workspaces, sessions that others know of, and a provider
// over it.
type world struct {
	*Provider
	t     testing.TB
	home  string
	tree  *fs.Tree
	trust *trust.Store

	mu      sync.Mutex
	parts   []facts.Part[facts.Plan]
	known   func(context.Context) bool // see Options; nil stands for always
	reads   int                        // of parts that were not known
	changes map[string]int
}

// newWorld makes a home folder with these files, by path. Each folder of src/ is a
// repository in which somebody works.
func newWorld(t testing.TB, files map[string]string) *world {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	fstest.Must(t, err)
	w := &world{t: t, home: home, changes: make(map[string]int)}
	w.write("src/shop/.git/HEAD", "ref: refs/heads/main\n")
	for path, body := range files {
		w.write(path, body)
	}
	dirs, _ := filepath.Glob(filepath.Join(home, "src", "*"))
	for _, dir := range dirs {
		rel, _ := filepath.Rel(home, dir)
		w.write(rel+"/.git/HEAD", "ref: refs/heads/main\n")
	}
	return w
}

func (w *world) path(name string) string { return filepath.Join(w.home, name) }

func (w *world) write(path, body string) {
	w.t.Helper()
	path = w.path(path)
	fstest.Must(w.t, os.MkdirAll(filepath.Dir(path), 0o755))
	fstest.Must(w.t, os.WriteFile(path, []byte(body), 0o644))
}

// session makes known what a session in a folder of the home has planned; another version
// of one replaces it.
func (w *world) session(agent, id, dir string, plans ...facts.Plan) {
	w.mu.Lock()
	defer w.mu.Unlock()
	part := facts.Part[facts.Plan]{
		Name: "transcripts/" + agent + "/" + id, Version: time.Duration(len(w.parts)).String() + dir, Path: "transcripts/by-id/" + id,
		Agent: agent, Session: id, Title: "session " + id, Dir: w.path(dir), Time: at(1), Facts: plans,
	}
	if dir == "" {
		part.Dir = ""
	}
	for i, p := range w.parts {
		if p.Name == part.Name {
			part.Version = p.Version + "'"
			w.parts[i] = part
			return
		}
	}
	w.parts = append(w.parts, part)
}

// forget makes a session unknown.
func (w *world) forget(id string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, p := range w.parts {
		if p.Session == id {
			w.parts = append(w.parts[:i:i], w.parts[i+1:]...)
			return
		}
	}
}

func (w *world) sessions(_ context.Context, known func(string) string) iter.Seq[facts.Part[facts.Plan]] {
	w.mu.Lock()
	parts := append([]facts.Part[facts.Plan](nil), w.parts...)
	w.mu.Unlock()
	return func(yield func(facts.Part[facts.Plan]) bool) {
		for _, p := range parts {
			if known(p.Name) == p.Version {
				p.Keep(p.Version)
			} else {
				w.mu.Lock()
				w.reads++
				w.mu.Unlock()
			}
			if !yield(p) {
				return
			}
		}
	}
}

// list is a list of tasks, written at a time, as "state text".
func list(written time.Time, tasks ...string) facts.Plan {
	p := facts.Plan{Kind: facts.TaskList, State: facts.PlanDone, Time: written}
	for _, text := range tasks {
		state, text, _ := strings.Cut(text, " ")
		t := facts.Task{Text: text, State: facts.TaskState(state), Time: written}
		if p.Tasks = append(p.Tasks, t); t.IsOpen() {
			p.State = facts.PlanOpen
		}
	}
	return p
}

// start starts a provider; with watch it is kept current.
func (w *world) start(watch bool) *world {
	w.t.Helper()
	resolver := projects.New(projects.Options{Home: w.home})
	known := workspaces.New(workspaces.Options{
		Projects: resolver, Home: w.home, Now: func() time.Time { return now }, Lazy: true,
		Visits: func(time.Time) (all []facts.Visit) {
			dirs, _ := filepath.Glob(filepath.Join(w.home, "src", "*"))
			for _, dir := range dirs {
				all = append(all, facts.Visit{Dir: dir, Time: now, Certain: true})
			}
			return all
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
			Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Now: func() time.Time { return now }, Built: time.Unix(1, 0),
		},
		Home: w.home, OS: "linux", LookupEnv: func(string) (string, bool) { return "", false },
		Workspaces: known, Trust: w.trust, Sessions: w.sessions, Known: w.known, Cache: w.path(".cache/plans"), Watch: watch,
	})
	w.tree = fs.NewTree(w.Root(), fs.TreeOptions{})
	if watch {
		w.Start()
		fstest.Settles(w.t, w, "the first look", func() bool { return w.current.Load().complete || w.known != nil })
	}
	w.t.Cleanup(func() { fstest.Must(w.t, w.Close()) })
	return w
}

// cat returns a file's text, or "" if there is none.
func (w *world) cat(path string) string { w.t.Helper(); return fstest.ReadIfAny(w.t, w.tree, path) }

// ls returns the names in a folder, with spaces between them.
func (w *world) ls(path string) string {
	w.t.Helper()
	return strings.Join(fstest.Names(w.t, w.tree, path), " ")
}
