package rules

import (
	"sync/atomic"
	"testing"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/hometest"
)

var now = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// world is a home folder with workspaces, and a provider over it.
type world struct {
	*Provider
	*hometest.Home
}

// newWorld makes a home folder with these files.
func newWorld(t testing.TB, files map[string]string) *world {
	t.Helper()
	return &world{Home: hometest.New(t, now, time.Time{}, files)}
}

// start starts a provider; with watch it is kept current.
func (w *world) start(watch bool) *world {
	w.T.Helper()
	env := w.Open()
	begun, told := time.Now(), new(atomic.Int64)
	env.Now = func() time.Time { // however long a walk takes on a busy machine
		return begun.Add(time.Duration(told.Add(1)) * time.Microsecond)
	}
	w.Provider = New(Options{
		Host: w.Host(env, watch), Workspaces: w.Workspaces, Projects: w.Projects, Trust: w.Trust,
	})
	w.prober = fs.NewProber(fstest.Patience) // however busy the machine is
	w.Show(w.Provider)
	if watch {
		w.Start()
		fstest.Settles(w.T, w, "the first look", func() bool { return w.current.Load().complete })
	}
	return w
}
