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
	fstest.Equal(t, len(f.names("pi/work")), n, "sessions are listed")
	if each := (heap() - before) / int64(n); each > 4000 {
		t.Errorf("a session costs %d bytes of memory", each)
	}
	fstest.Equal(t, count(f.read("INDEX.tsv"), "\n"), n+1, "INDEX.tsv")
	f.transcript(id(n - 1))
	fstest.Must(t, f.Close())
	again := start(t, home, offline)
	fstest.Equal(t, len(again.names("pi/work")), n, "sessions are listed")
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
