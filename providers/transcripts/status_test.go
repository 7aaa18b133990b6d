package transcripts

import (
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"ctxfs/fs/fstest"
)

// TestStatusWhileTheWatchLooks: the watch asks what is hidden while it holds its lock,
// and Status asks the watch for its faults. Neither waits for the other.
func TestStatusWhileTheWatchLooks(t *testing.T) {
	var f *fixture
	var armed atomic.Bool
	told := make(chan struct{})
	home := tempHome(t)
	f = start(t, home, func(o *Options) {
		o.Hide = func(path string) bool {
			// Above the home folder it is only on the way to a place, under the lock.
			if len(path) < len(home) && armed.CompareAndSwap(true, false) {
				go func() {
					f.Status()
					close(told)
				}()
				// Until the other is at the lock, as far as can be known.
				for range 10_000 {
					runtime.Gosched()
				}
			}
			return false
		}
	})
	armed.Store(true)
	fstest.Must(t, os.Mkdir(filepath.Join(home, ".codex"), 0o755))
	select {
	case <-told:
	case <-time.After(deadline):
		t.Fatal("the state is never told")
	}
}
