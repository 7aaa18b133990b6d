package results

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/fstest"
)

func TestCompact(t *testing.T) {
	c := newClock(time.Date(2026, 11, 21, 4, 0, 0, 0, time.UTC))
	dir := stateDir(t)
	store := Open(StoreOptions{Dir: dir, Now: c.now, Log: discard()})
	for range 2 * maxDead {
		_, err := store.Save(issues, "", []byte("x"))
		fstest.Must(t, err)
	}
	f := start(t, dir, at(c))
	c.move(2 * minAge)
	young := f.save(issues, "", "y")
	journal := filepath.Join(f.dir, ownFolder, "journal")
	before, err := os.ReadFile(journal)
	fstest.Must(t, err)
	c.move(14*day - minAge)
	last := f.save(issues, "", "z") // deletes all but two
	if got := f.names(); len(got) != 2 {
		t.Fatalf("%d are left", len(got))
	}
	after, err := os.ReadFile(journal)
	fstest.Must(t, err)
	if len(after) > len(before)/100 || !strings.Contains(string(after), young.Name) || !strings.Contains(string(after), last.Name) {
		t.Errorf("the journal had %d bytes and has\n%s", len(before), after)
	}
	if got := f.rows(); len(got) != 2 || got[0][2] != "git hub" {
		t.Errorf("index %q", got)
	}
	f.save(issues, "", "more")
	if got := start(t, f.dir, at(c)).rows(); len(got) != 3 || got[0][2] != "git hub" || got[2][2] != "git hub" {
		t.Errorf("index after a restart %q", got)
	}
}

// TestLongNames: long names are in the journal, cut.
func TestLongNames(t *testing.T) {
	long := Origin{"call", strings.Repeat("\x01", 5000), strings.Repeat("\u202e€", 5000)}
	r := newRecord("2026-11-21T04-01-02Z.a.b.abcde.txt", time.Date(2026, 11, 21, 4, 1, 2, 3e6, time.UTC), long, 1, 1)
	if got, ok := parseLine(r.line()); !ok || got != r || len(got.Origin.Server) != maxNameLen || strings.Count(r.line(), "\n") != 1 {
		t.Errorf("%q: %+v, %v", r.line(), got, ok)
	}
}

func FuzzJournal(f *testing.F) {
	f.Add([]byte("2026-11-21T04-01-02Z.a.b.abcde.txt\t1795233662003\t1\t1\t\"call\"\t\"a\\tb\"\t\"\"\n"))
	f.Add([]byte("\n\n2026-11-21T04-01-02Z.a.b.abcde.txt\t-1\t-1\t-1\t\"\n\t\t\t\t\t\t\n"))
	f.Add([]byte("../x\t1\t1\t1\t\"\"\t\"\"\t\"\""))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text []byte) {
		for line := range strings.Lines(string(text)) {
			r, ok := parseLine(line)
			if !ok {
				continue
			}
			if !isResult(r.File) || strings.Contains(r.File, "/") || r.Bytes < 0 || r.Lines < 0 || r.Time.IsZero() {
				t.Fatalf("%q gave %+v", line, r)
			}
			if got, ok := parseLine(r.line()); !ok || got != r {
				t.Fatalf("%q gave %+v, and that %+v", line, r, got)
			}
		}
		j := journal{dir}
		fstest.Must(t, os.WriteFile(j.path(), text, 0o600))
		all, err := (&reader{journal: j}).next()
		fstest.Must(t, err)
		fstest.Must(t, j.compact(func(record) bool { return true }))
		kept, err := (&reader{journal: j}).next()
		if err != nil || len(kept) != len(all) && len(kept) != len(all)+1 {
			t.Fatalf("%d records, %d after compacting, %v", len(all), len(kept), err)
		}
	})
}
