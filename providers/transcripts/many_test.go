package transcripts

import (
	"runtime"
	"testing"

	"ctxfs/fs/fstest"
)

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestTenThousandSessionsInOneFolder: each session costs little memory.
func TestTenThousandSessionsInOneFolder(t *testing.T) {
	n := fstest.Rounds(10_000)
	home := tempHome(t)
	manySessions(t, home, n)
	before := heap()
	f := start(t, home, offline)
	if got := len(f.names("pi/work")); got != n {
		t.Errorf("%d sessions are listed", got)
	}
	if each := (heap() - before) / int64(n); each > 4000 {
		t.Errorf("a session costs %d bytes of memory", each)
	}
	if got := count(f.read("INDEX.tsv"), "\n"); got != n+1 {
		t.Errorf("INDEX.tsv has %d lines", got)
	}
	f.transcript(id(n - 1))
	fstest.Must(t, f.Close())
	again := start(t, home, offline)
	if got := len(again.names("pi/work")); got != n {
		t.Errorf("after a restart %d sessions are listed", got)
	}
}

// TestTheFirstPassIsNoStorm: the first rendering of each session announces one change.
func TestTheFirstPassIsNoStorm(t *testing.T) {
	n := fstest.Rounds(1000)
	home := tempHome(t)
	manySessions(t, home, n)
	f := start(t, home)
	f.await("all are rendered", func() bool { return f.Status().State == "ready" })
	if news := f.news.Load(); news > int64(2*n+100) {
		t.Errorf("%d changes are told of %d sessions", news, n)
	}
}
