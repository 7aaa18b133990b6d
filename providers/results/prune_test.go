package results

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/fstest"
)

// limited returns a config.toml with that table [results].
func limited(t *testing.T, table string) func(*Options) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.toml")
	fstest.Must(t, os.WriteFile(path, []byte("[results]\n"+table), 0o600))
	return configured(path)
}

var kilobyte = strings.Repeat("x", 999) + "\n"

func TestTheOldestGoFirst(t *testing.T) {
	c := newClock(time.Date(2026, 11, 21, 4, 0, 0, 0, time.UTC))
	f := start(t, stateDir(t), at(c), limited(t, "max_size = '3 KB'\n"))
	fstest.Must(t, os.MkdirAll(f.dir, 0o700))
	foreign := filepath.Join(f.dir, "2020-notes.txt")
	fstest.Must(t, os.WriteFile(foreign, []byte(kilobyte), 0o600))
	var saved []Saved
	for range 10 {
		saved = append(saved, f.save(issues, "", kilobyte))
		c.move(10 * time.Minute)
	}
	// 4:00 to 5:30. Those of the last hour stay, whatever their size.
	last := f.save(issues, "", kilobyte) // at 5:40
	want := []string{}
	for _, s := range append(saved[5:], last) { // 4:40 is an hour old, and older ones went
		want = append(want, s.Name)
	}
	fstest.EqualSlices(t, f.names(), want, "left")
	c.move(2 * minAge)
	last = f.save(issues, "", kilobyte)
	if got := f.names(); len(got) != 3 || got[2] != last.Name || got[1] != want[len(want)-1] {
		t.Errorf("%q are left", got)
	}
	if _, err := os.Stat(foreign); err != nil {
		t.Error(err)
	}
	if s := f.Status(); s.Summary != "3 results, 3.0 KB" {
		t.Errorf("status %+v", s)
	}
}

func TestAllBeyondTheAgeGo(t *testing.T) {
	c := newClock(time.Date(2026, 11, 21, 4, 0, 0, 0, time.UTC))
	dir := stateDir(t)
	f := start(t, dir, at(c), limited(t, "max_age = '2d'\n"))
	fstest.Settled(t, f) // its look for old ones is not to come later
	for range 3 {
		f.save(issues, "", "old")
	}
	c.move(47 * time.Hour)
	young := f.save(issues, "", "young")
	c.move(2 * time.Hour)
	if got := f.names(); len(got) != 4 {
		t.Errorf("%q are left", got)
	}
	// At the next start of a provider with a watch; not of one that only reads
	// once.
	if got := start(t, dir, at(c), limited(t, "max_age = '2d'\n"), offline).names(); len(got) != 4 {
		t.Errorf("looking has left %q", got)
	}
	next := start(t, dir, at(c), limited(t, "max_age = '2d'\n"))
	fstest.Settles(t, next, "the old ones are gone", func() bool { return slices.Equal(next.names(), []string{young.Name}) })
	fstest.Settles(t, f, "the other process sees it", func() bool { return slices.Equal(f.names(), []string{young.Name}) })
}

// TestTwoThatPrune: two stores do not delete more than one would, although each
// still lists files that the other has deleted.
func TestTwoThatPrune(t *testing.T) {
	c := newClock(time.Date(2026, 11, 21, 4, 0, 0, 0, time.UTC))
	dir := stateDir(t)
	one := start(t, dir, at(c), limited(t, "max_size = '5 KB'\n"))
	for range 5 {
		one.save(issues, "", kilobyte)
		c.move(minAge)
	}
	two := start(t, dir, at(c), offline, limited(t, "max_size = '5 KB'\n")) // it is told of nothing
	for range 3 {
		one.save(issues, "", kilobyte)
		c.move(minAge)
	}
	if got := len(onDisk(t, dir)); got != 5 {
		t.Fatalf("%d are left", got)
	}
	two.save(issues, "", kilobyte) // it knows five, three of which are gone, and this one
	fstest.Equal(t, len(onDisk(t, dir)), 6, "left")
	fstest.Settles(t, one, "all are seen", func() bool { return len(one.names()) == 6 })
	c.move(minAge)
	one.save(issues, "", kilobyte)
	fstest.Equal(t, len(onDisk(t, dir)), 5, "left")
}

func TestCommandsPruneToo(t *testing.T) {
	c := newClock(time.Date(2026, 11, 21, 4, 0, 0, 0, time.UTC))
	dir := stateDir(t)
	for range 3 {
		s := Open(StoreOptions{Dir: dir, Now: c.now, Log: discard()})
		_, err := s.Save(issues, "", []byte("x"))
		fstest.Must(t, err)
		c.move(8 * day)
	}
	if got := onDisk(t, dir); len(got) != 2 {
		t.Errorf("%q are left", got)
	}
}

// TestSweep removes what killed processes have left, but no draft that is being
// written, however slowly.
func TestSweep(t *testing.T) {
	dir := stateDir(t)
	s := Open(StoreOptions{Dir: dir, Now: time.Now, Log: discard()})
	_, err := s.Save(issues, "", []byte("x"))
	fstest.Must(t, err)
	d, err := s.Create(issues, "txt")
	fstest.Must(t, err)
	_, err = d.Write([]byte("slow"))
	fstest.Must(t, err)
	own := filepath.Join(dir, ownFolder)
	fstest.Must(t, os.WriteFile(filepath.Join(own, "draft-dead"), []byte("x"), 0o600))
	fstest.Must(t, os.WriteFile(filepath.Join(own, "draft-young"), []byte("x"), 0o600))
	fstest.Must(t, os.WriteFile(filepath.Join(own, "2026-11-21T04-01-02Z.a.b.abcde.txt"), nil, 0o600))
	long := time.Now().Add(-2 * minAge)
	for _, name := range onDisk(t, own) {
		if name != "draft-young" {
			fstest.Must(t, os.Chtimes(filepath.Join(own, name), long, long))
		}
	}
	f := start(t, dir)
	fstest.Settled(t, f)
	want := []string{filepath.Base(d.file.Name()), "draft-young", "journal", "lock"}
	slices.Sort(want)
	fstest.EqualSlices(t, onDisk(t, own), want, "left")
	_, err = d.Commit()
	fstest.Must(t, err)
}
