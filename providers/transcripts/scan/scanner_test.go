package scan

import (
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ctxfs/fs/fstest"
	"ctxfs/providers/transcripts/agents"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/archive"
	"ctxfs/providers/transcripts/catalogue"
	"ctxfs/providers/transcripts/event"
)

// TestFaultsWhileTheWatchLooks: the watch asks what is hidden while it holds its lock,
// and WatchFaults asks the watch. Neither waits for the other.
func TestFaultsWhileTheWatchLooks(t *testing.T) {
	home, err := filepath.EvalSymlinks(t.TempDir())
	fstest.Must(t, err)
	var s *Scanner
	var armed atomic.Bool
	told := make(chan struct{})
	s = New(Options{
		Agents: agents.All(), Catalogue: catalogue.New(home), Archive: archive.Archive{Dir: filepath.Join(home, "archive")}, Watch: true,
		Machine: func() history.Machine {
			return history.Machine{Home: home, OS: "linux", LookupEnv: func(string) (string, bool) { return "", false }}
		},
		Hide: func(path string) bool {
			// Above the home folder it is only on the way to a place, under the lock.
			if len(path) < len(home) && armed.CompareAndSwap(true, false) {
				go func() {
					s.WatchFaults()
					close(told)
				}()
				// Until the other has the lock, if it takes it for so long.
				for range 100_000 {
					if !s.mu.TryLock() {
						break
					}
					s.mu.Unlock()
					runtime.Gosched()
				}
			}
			return false
		},
		Now: time.Now, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Found: func([]string, []*catalogue.Session) {}, Scanned: func() {}, Rescanned: func() {},
	})
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	s.Start()
	s.First()
	armed.Store(true)
	fstest.Must(t, os.Mkdir(filepath.Join(home, ".codex"), 0o755))
	select {
	case <-told:
	case <-time.After(2 * time.Minute):
		t.Fatal("the faults are never told")
	}
}

// TestALateLookAtWhatIsNoHistory: a late look does not bring back a file whose place was removed
// meanwhile.
func TestALateLookAtWhatIsNoHistory(t *testing.T) {
	home := t.TempDir()
	path := filepath.Join(home, "list", "a.jsonl")
	fstest.Must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	fstest.Must(t, os.WriteFile(path, []byte("{}\n"), 0o644))
	format := history.Log{Open: func(string) history.Reader { panic("it is read") }}
	listed := true
	s := New(Options{
		Agents: []history.Agent{{Name: "one", Places: func(history.Machine) []history.Place {
			if !listed {
				return nil
			}
			return []history.Place{{Dir: filepath.Dir(path), File: func(string) history.Format { return format }}}
		}}},
		Catalogue: catalogue.New(home), Archive: archive.Archive{Dir: filepath.Join(home, "archive")},
		Machine: func() history.Machine { return history.Machine{Home: home} },
		Now:     time.Now, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Found: func([]string, []*catalogue.Session) {}, Scanned: func() {}, Rescanned: func() {},
	})
	listed = false
	s.refreshPlaces()
	s.Inspect(t.Context(), "one", path, format, true)
	if f := s.Catalogue.File(path); f != nil {
		t.Errorf("found again: %+v", f)
	}
	fstest.Must(t, s.Close())
}

// TestSettledAwaitsWhatIsJoined: a store that changes has the others inspected that have its
// sessions, and those are waited for, too.
func TestSettledAwaitsWhatIsJoined(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		var joined atomic.Int64
		hold := make(chan struct{})
		store := func(inspected func()) history.Store {
			return history.Store{Sessions: func(context.Context, string) ([]history.Entry, error) {
				inspected()
				return []history.Entry{{Session: event.Session{ID: "one"}, Key: "one"}}, nil
			}}
		}
		database, transcript := store(func() { joined.Add(1) }), store(func() { <-hold })
		s := New(Options{
			Catalogue: catalogue.New(dir), Now: time.Now, Found: func([]string, []*catalogue.Session) {}, Rescanned: func() {},
		})
		s.Watch = true // by the test
		defer s.Close()
		close(s.firstDone)
		for _, name := range []string{"database", "transcript"} {
			fstest.Must(t, os.WriteFile(filepath.Join(dir, name), nil, 0o644))
		}
		s.Inspect(t.Context(), "cursor", filepath.Join(dir, "database"), database, false)
		s.inspectStoreSoon("cursor", filepath.Join(dir, "transcript"), transcript, false)
		settled := make(chan int64)
		go func() {
			fstest.Settled(t, s)
			settled <- joined.Load()
		}()
		synctest.Wait()
		close(hold)
		if got := <-settled; got < 2 { // Settled may have it looked at once more
			t.Errorf("%d inspections of the database by then", got)
		}
	})
}
