package job

import (
	"context"
	"errors"
	"os"
	"slices"
	"testing"
	"time"

	"ctxfs/fs/fstest"
	"ctxfs/providers/executor/request"
)

// create makes a run with an id of its own choice.
func create(t *testing.T, s Store, id string) (*Job, *os.File) {
	t.Helper()
	j, lock, err := s.Create("x", request.Request{RepoDir: "/r", Prompt: "p"}, Status{State: Waiting, Created: time.Now(), Agent: "x"})
	fstest.Must(t, err)
	named := &Job{ID: id, Dir: s.Dir + "/" + id}
	fstest.Must(t, os.Rename(j.Dir, named.Dir))
	t.Cleanup(func() { lock.Close() })
	return named, lock
}

func TestFind(t *testing.T) {
	s := Store{t.TempDir() + "/agents"}
	for _, id := range []string{"codex-ab12", "codex-ab34", "review-x7f2"} {
		create(t, s, id)
	}
	for name, want := range map[string]string{"codex-ab12": "codex-ab12", "codex-ab3": "codex-ab34", "r": "review-x7f2"} {
		if j, err := s.Find(name); err != nil || j.ID != want {
			t.Errorf("%s: %v, %v", name, j, err)
		}
	}
	for name, want := range map[string]Missing{
		"codex":       {Some: []string{"codex-ab12", "codex-ab34"}},
		"reviw-x7f2":  {Near: "review-x7f2"},
		"":            {},
		"..":          {},
		"/etc/passwd": {},
	} {
		_, err := s.Find(name)
		missing := (*Missing)(nil)
		if !errors.As(err, &missing) || missing.Near != want.Near || !slices.Equal(missing.Some, want.Some) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// TestWait: the end of the last process that has the lock is the end of the run.
func TestWait(t *testing.T) {
	s := Store{t.TempDir() + "/agents"}
	_, lock := create(t, s, "codex-ab12")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Wait(ctx, "codex-ab12"); !errors.Is(err, context.Canceled) {
		t.Errorf("while it runs: %v", err)
	}
	lock.Close()
	if j, err := s.Wait(t.Context(), "codex-ab12"); err != nil || j.Result == nil || j.Result.Ended != request.Lost {
		t.Errorf("%+v, %v", j, err)
	}
	if _, err := s.Wait(t.Context(), "codex-ab99"); !errors.Is(err, ErrUnknown) {
		t.Errorf("of none: %v", err)
	}
}
