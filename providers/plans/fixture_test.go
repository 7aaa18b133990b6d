package plans

import (
	"context"
	"iter"
	"strings"
	"sync"
	"testing"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/facts"
	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/hometest"
)

var now = time.Date(2026, 5, 10, 12, 0, 0, 0, time.UTC)

// at is an hour of the day before now.
func at(hour int) time.Time { return time.Date(2026, 5, 9, hour, 0, 0, 0, time.UTC) }

// world is a home folder with workspaces, sessions that others know of, and a provider
// over it.
type world struct {
	*Provider
	*hometest.Home

	mu    sync.Mutex
	parts []facts.Part[facts.Plan]
	known func(context.Context) bool // see Options; nil stands for always
	reads int                        // of parts that were not known
}

// newWorld makes a home folder with these files, and src/shop.
func newWorld(t testing.TB, files map[string]string) *world {
	t.Helper()
	w := &world{Home: hometest.New(t, now, time.Time{}, files)}
	w.Write("src/shop/", "")
	w.Repositories()
	return w
}

// session makes known what a session in a folder of the home has planned; another version
// of one replaces it.
func (w *world) session(agent, id, dir string, plans ...facts.Plan) {
	w.mu.Lock()
	defer w.mu.Unlock()
	part := facts.Part[facts.Plan]{
		Name: "transcripts/" + agent + "/" + id, Version: time.Duration(len(w.parts)).String() + dir, Path: "transcripts/by-id/" + id,
		Agent: agent, Session: id, Title: "session " + id, Dir: w.Path(dir), Time: at(1), Facts: plans,
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
	w.T.Helper()
	env := w.Open()
	env.Built = time.Unix(1, 0)
	w.Provider = New(Options{
		Host: w.Host(env, watch), Workspaces: w.Workspaces, Trust: w.Trust, Sessions: w.sessions, Known: w.known,
	})
	w.prober = fs.NewProber(fstest.Patience) // however busy the machine is
	w.Show(w.Provider)
	if watch {
		w.Start()
		fstest.Settles(w.T, w, "the first look", func() bool { return w.current.Load().complete || w.known != nil })
	}
	return w
}
