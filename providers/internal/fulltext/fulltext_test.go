package fulltext

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"ctxfs/fs/fstest"
)

// TestNeverStale: a text is found as soon as it is there, whether it is indexed or
// not, and no longer once it is gone.
func TestNeverStale(t *testing.T) {
	f := newFixture(t)
	want := func(words, want string) {
		t.Helper()
		fstest.Equal(t, f.found(words), want, words)
	}
	f.say("a", "the zebra crosses")
	want("zebra", "a/1")
	f.say("a", padding("alpha")...)
	f.index()
	if f.covered("a") != f.texts["a"].Size {
		t.Fatalf("%d of %d bytes are indexed", f.covered("a"), f.texts["a"].Size)
	}
	want("zebra", "a/1")
	f.say("a", "a lion sleeps") // behind what is indexed
	f.say("b", "a lion wakes")
	f.index()
	fstest.Equal(t, f.covered("b"), 0, "so little is indexed")
	n := f.texts["a"].next - 1
	fstest.Equal(t, f.found("lion sleeps"), fmt.Sprintf("a/%d b/1", n))
	f.say("b", padding("beta")...)
	f.index()
	fstest.Equal(t, f.found("lion sleeps"), fmt.Sprintf("a/%d b/1", n))
	f.again("a", "no animal")
	want("zebra", "")
	want("lion", "b/1")
	want("animal", "a/1")
	f.remove("b")
	want("lion", "")
	f.say("c", padding("gamma")...)
	f.index()
	want("lion", "")
	if f.covered("a") == 0 || len(f.view.sessions) != 2 {
		t.Errorf("%v", f.view.sessions)
	}
	// What is gone is removed: of all segments one is left.
	fstest.Equal(t, len(f.view.segments), 1, "segments")
}

func TestRestart(t *testing.T) {
	f := newFixture(t)
	f.say("a", "the zebra crosses")
	f.say("a", padding("alpha")...)
	f.index()
	at := f.covered("a")
	again := reopen(t, f.opts.Path, f.shelf)
	if got := again.covered("a"); got != at || at == 0 {
		t.Errorf("%d bytes are indexed, not %d", got, at)
	}
	fstest.Equal(t, again.found("zebra"), "a/1")
	if more, err := again.step(t.Context()); more || err != nil {
		t.Errorf("something is done again: %v", err)
	}
}

// TestWithoutDatabase: a command that reads once creates none.
func TestWithoutDatabase(t *testing.T) {
	f := newFixture(t)
	f.say("a", "the zebra crosses")
	fstest.Equal(t, f.found("zebra"), "a/1")
	if _, err := os.Stat(f.opts.Path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("there is a database: %v", err)
	}
}

// TestLittleTextNeedsNoDatabase: it is searched without an index.
func TestLittleTextNeedsNoDatabase(t *testing.T) {
	f := newFixture(t)
	f.say("a", "the zebra crosses")
	f.index()
	fstest.Equal(t, f.found("zebra"), "a/1")
	if _, err := os.Stat(f.opts.Path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("there is a database: %v", err)
	}
	fstest.Equal(t, f.Left(), f.texts["a"].Size)
	f.say("a", padding("alpha")...)
	f.index()
	fstest.Equal(t, f.covered("a"), f.texts["a"].Size)
}

func TestDamagedDatabase(t *testing.T) {
	for name, damage := range map[string]func(t *testing.T, f *fixture){
		"no database": func(t *testing.T, f *fixture) {
			fstest.Must(t, f.Close())
			fstest.Must(t, os.WriteFile(f.opts.Path, []byte("this is no database, and never was one"), 0o600))
		},
		"cut": func(t *testing.T, f *fixture) {
			fstest.Must(t, f.Close())
			fstest.Must(t, os.Truncate(f.opts.Path, 5000))
		},
		"rows are missing": func(t *testing.T, f *fixture) {
			_, err := f.store.writer.Exec("DELETE FROM rows")
			fstest.Must(t, err)
			fstest.Must(t, f.Close())
		},
		"pieces are damaged": func(t *testing.T, f *fixture) {
			_, err := f.store.writer.Exec("UPDATE segments SET pieces = x'ff00ff'")
			fstest.Must(t, err)
			fstest.Must(t, f.Close())
		},
		"another version": func(t *testing.T, f *fixture) {
			_, err := f.store.writer.Exec("PRAGMA user_version = 99")
			fstest.Must(t, err)
			fstest.Must(t, f.Close())
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			f.say("a", "the zebra crosses")
			f.say("a", padding("alpha")...)
			f.index()
			damage(t, f)
			again := reopen(t, f.opts.Path, f.shelf)
			fstest.Equal(t, again.found("zebra"), "a/1", "before it is made anew")
			for range 20 {
				if more, err := again.step(t.Context()); err != nil {
					if !damaged(err) {
						t.Fatal(err)
					}
					fstest.Must(t, again.removeDamaged(err))
				} else if !more {
					break
				}
			}
			fstest.Equal(t, again.covered("a"), f.texts["a"].Size, "it is not made anew")
			fstest.Equal(t, again.found("zebra"), "a/1", "afterwards")
		})
	}
}

// TestMerge: segments are merged, and searches find the same.
func TestMerge(t *testing.T) {
	f := newFixture(t)
	for i := range mergeCount + 2 {
		f.say(fmt.Sprintf("s%d", i), fmt.Sprintf("zebra number%d crosses", i))
		f.say(fmt.Sprintf("s%d", i), padding(fmt.Sprintf("w%d", i))...)
		if i == 3 {
			f.remove("s2")
		}
		f.index()
	}
	fstest.Equal(t, len(f.view.segments), 2, "segments")
	for i := range mergeCount + 2 {
		want := fmt.Sprintf("s%d/1", i)
		if i == 2 {
			want = ""
		}
		fstest.Equal(t, f.found(fmt.Sprintf("number%d", i)), want, i)
	}
	fstest.Equal(t, len(f.hits("zebra", 100)), mergeCount+1, "hits")
	var rows, kept int64
	for _, s := range f.view.segments {
		kept += s.rows
	}
	fstest.Must(t, f.store.writer.QueryRow("SELECT count(*) FROM rows").Scan(&rows))
	fstest.Equal(t, rows, kept, "rows are kept")
}

// TestTwoProcesses: two that index at the same time end with one index.
func TestTwoProcesses(t *testing.T) {
	f := newFixture(t)
	other := reopen(t, f.opts.Path, f.shelf)
	var work sync.WaitGroup
	for i := range 4 {
		f.say(fmt.Sprintf("s%d", i), fmt.Sprintf("zebra number%d crosses", i))
		f.say(fmt.Sprintf("s%d", i), padding(fmt.Sprintf("w%d", i))...)
		for _, x := range []*fixture{f, other} {
			work.Go(func() {
				for {
					more, err := x.step(context.Background())
					if err != nil && !errors.Is(err, errMoved) {
						t.Error(err)
						return
					}
					if err == nil && !more {
						return
					}
				}
			})
		}
		work.Wait()
	}
	for i := range 4 {
		fstest.Equal(t, other.found(fmt.Sprintf("number%d", i)), fmt.Sprintf("s%d/1", i), i)
	}
	pieces := 0
	v, err := f.viewOf(t.Context(), f.store.reads)
	fstest.Must(t, err)
	for _, s := range v.segments {
		pieces += s.docs
	}
	var want int
	for _, b := range f.texts {
		cutPieces(b.body, func(piece) { want++ })
	}
	fstest.Equal(t, pieces, want, "pieces are indexed, there")
}

// TestSearchWhileIndexing: whatever the worker does, a search finds everything that
// was said before it began.
func TestSearchWhileIndexing(t *testing.T) {
	f := newFixture(t)
	fstest.Must(t, f.Begin())
	for i := range 12 {
		name := fmt.Sprintf("s%d", i%5)
		f.say(name, fmt.Sprintf("zebra number%d crosses", i))
		n := f.texts[name].next - 1
		f.say(name, padding(fmt.Sprintf("w%d", i))...)
		f.Changed()
		for range 3 {
			if got := f.found(fmt.Sprintf("number%d", i)); got != fmt.Sprintf("%s/%d", name, n) {
				t.Fatalf("%d: %q", i, got)
			}
		}
	}
}

// TestGrew: the worker, which compares all texts, is not woken for every message,
// but once there is enough to index.
func TestGrew(t *testing.T) {
	f := newFixture(t)
	f.worker.Start()
	woken := func(by int64) bool {
		before := f.looks.Load()
		f.Grew(by)
		fstest.Settled(t, f.worker)
		return f.looks.Load() > before
	}
	if !woken(1) {
		t.Error("a worker that has not looked yet is not woken")
	}
	f.say("a", "zebra")
	size := f.texts["a"].Size
	f.index()
	if woken(minBatch - size - 1) {
		t.Error("woken before there is enough")
	}
	if !woken(1) {
		t.Error("not woken when there is enough")
	}
	if woken(1) {
		t.Error("woken for what was there before")
	}
}

func TestCancelled(t *testing.T) {
	f := newFixture(t)
	f.say("a", "zebra")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Search(ctx, Query{Words: "zebra", Limit: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// TestTooMuch: a search reports how much was too much to be searched unindexed.
func TestTooMuch(t *testing.T) {
	f := newFixture(t)
	f.opts.Scanned = 1 << 20
	big := strings.Repeat(strings.Repeat("old words here ", 300)+"\n", int(f.opts.Scanned/4400))
	f.say("old", "zebra", big)
	f.say("new", "zebra", big)
	r, err := f.Search(t.Context(), Query{Words: "zebra", Limit: 10})
	fstest.Must(t, err)
	if len(r.Hits) == 0 || r.Hits[0].Text.Session != "new" || r.Left == 0 {
		t.Errorf("%d hits, %d left", len(r.Hits), r.Left)
	}
}

// TestAwayAndBack: a session that is missing for a while, as when its log is moved,
// is found again afterwards, though its words were removed meanwhile.
func TestAwayAndBack(t *testing.T) {
	f := newFixture(t)
	f.say("one", padding("ballast")...)
	f.say("one", "the heron stands in the reeds")
	f.index()
	f.shelf.mu.Lock()
	away := f.texts["one"]
	delete(f.texts, "one")
	f.shelf.mu.Unlock()
	f.say("two", "a word")
	f.index()
	f.shelf.mu.Lock()
	f.texts["one"] = away
	f.shelf.mu.Unlock()
	f.index()
	fstest.Equal(t, f.found("heron"), fmt.Sprintf("one/%d", len(padding("ballast"))+1), "found")
}
