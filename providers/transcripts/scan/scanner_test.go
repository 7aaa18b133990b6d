package scan

import (
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"ctxfs/fs/fstest"
	"ctxfs/providers/transcripts/agents"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/archive"
	"ctxfs/providers/transcripts/catalogue"
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
	if s.watcher == nil {
		t.Skipf("no watcher can be had: %v", s.noWatch)
	}
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
