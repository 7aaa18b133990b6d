package memory

import (
	"testing"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/hometest"
)

// now is a moment after all that the tests write, by either clock.
var now = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// world is a home folder with workspaces, and a provider over it.
type world struct {
	*Provider
	*hometest.Home
	said *stated
	hide func(path string) bool
}

// newWorld makes a home folder with these files. Both clocks agree on when they were written.
func newWorld(t testing.TB, files map[string]string) *world {
	t.Helper()
	return &world{Home: hometest.New(t, now, now.Add(-time.Hour), files), said: &stated{}}
}

// start starts a provider; with watch it is kept current.
func (w *world) start(watch bool) *world {
	w.T.Helper()
	opts := Options{
		Host:       w.Host(w.Open(), watch),
		Statements: w.said.all, OnStatement: w.said.notify, Pause: time.Millisecond,
		Workspaces: w.Workspaces, Trust: w.Trust, Quiet: time.Millisecond,
	}
	opts.Hide, opts.AgentOf = w.hide, func(int) (agent, session string) { return "claude-code", "08940314" }
	w.Provider = New(opts)
	w.prober = fs.NewProber(fstest.Patience) // however busy the machine is
	w.Show(w.Provider)
	if watch {
		w.Start()
	}
	return w
}
