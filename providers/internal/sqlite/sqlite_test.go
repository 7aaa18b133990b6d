package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/fstest"
)

// owner opens a database as its program would: one that does not wait for
// locks, so that it fails if we are in its way.
func owner(t *testing.T, path, journal string) *sql.DB {
	t.Helper()
	db, err := open(path, url.Values{"mode": {"rwc"}, "_pragma": {"busy_timeout(0)", "journal_mode(" + journal + ")"}})
	fstest.Must(t, err)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func do(t *testing.T, db *sql.DB, query string, args ...any) {
	t.Helper()
	if _, err := db.Exec(query, args...); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	fstest.Must(t, err)
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func count(t *testing.T, path string) int64 {
	t.Helper()
	var n int64
	err := View(context.Background(), path, func(s *Snapshot) error {
		return s.Each("SELECT count(*) FROM t", func(r Row) error { n = r.Int(0); return nil })
	})
	fstest.Must(t, err)
	return n
}

// TestViewLeavesNoTrace reads databases in every state of their journals.
func TestViewLeavesNoTrace(t *testing.T) {
	for _, c := range []struct {
		name, journal string
		open          bool
	}{
		{"a log in use", "wal", true},
		{"a log, closed", "wal", false},
		{"a journal, open", "delete", true},
		{"a journal, closed", "delete", false},
		{"a journal that is kept", "persist", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "odd name?#100%.db")
			db := owner(t, path, c.journal)
			do(t, db, "CREATE TABLE t (x)")
			do(t, db, "INSERT INTO t VALUES (1), (2)")
			if !c.open {
				fstest.Must(t, db.Close())
			}
			before, bytes := names(t, dir), read(t, path)
			fstest.Equal(t, count(t, path), 2, "rows")
			if after := names(t, dir); !slices.Equal(before, after) {
				t.Errorf("files before %v, after %v", before, after)
			}
			fstest.Equal(t, read(t, path), bytes, "the database was written")
			err := View(context.Background(), path, func(s *Snapshot) error {
				return s.Each("INSERT INTO t VALUES (3)", func(Row) error { return nil })
			})
			if err == nil {
				t.Error("a foreign database was written")
			}
		})
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	fstest.Must(t, err)
	return string(b)
}

// TestLogOfADeadProgram copies a database with its log away from its owner: the
// log alone has the rows, and its index may be missing.
func TestLogOfADeadProgram(t *testing.T) {
	from := t.TempDir()
	db := owner(t, filepath.Join(from, "a.db"), "wal")
	do(t, db, "PRAGMA wal_autocheckpoint = 0")
	do(t, db, "CREATE TABLE t (x)")
	do(t, db, "INSERT INTO t VALUES (1), (2), (3)")
	for _, files := range [][]string{{"a.db", "a.db-wal"}, {"a.db", "a.db-wal", "a.db-shm"}} {
		to := t.TempDir()
		for _, name := range files {
			fstest.Must(t, os.WriteFile(filepath.Join(to, name), []byte(read(t, filepath.Join(from, name))), 0o600))
		}
		log := read(t, filepath.Join(to, "a.db-wal"))
		for range 2 {
			fstest.Equal(t, count(t, filepath.Join(to, "a.db")), 3, "rows", files)
		}
		if got := names(t, to); !slices.Equal(got, files) && len(files) == 2 {
			t.Errorf("%v became %v", files, got)
		}
		fstest.Equal(t, read(t, filepath.Join(to, "a.db-wal")), log, "the log was changed")
	}
}

// TestBesideAWriter reads while the owner writes pairs of rows: it is never
// refused, and no half of a pair is seen.
func TestBesideAWriter(t *testing.T) {
	for _, journal := range []string{"wal", "delete", "truncate"} {
		t.Run(journal, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "a.db")
			db := owner(t, path, journal)
			do(t, db, "CREATE TABLE t (x)")
			const pairs = 200
			written := make(chan error, 1)
			go func() {
				for i := range pairs {
					tx, err := db.Begin()
					if err == nil {
						_, err = tx.Exec("INSERT INTO t VALUES (?), (?)", i, strings.Repeat("x", 3000))
					}
					if err == nil {
						err = tx.Commit()
					}
					if err != nil {
						written <- fmt.Errorf("pair %d: %w", i, err)
						return
					}
				}
				written <- nil
			}()
			reads := 0
			for done := false; !done; {
				select {
				case err := <-written:
					fstest.Must(t, err)
					done = true
				default:
				}
				var n int64
				err := View(context.Background(), path, func(s *Snapshot) error {
					return s.Each("SELECT count(*) FROM t", func(r Row) error { n = r.Int(0); return nil })
				})
				switch {
				case errors.Is(err, ErrBusy), errors.Is(err, ErrUnfinished):
					if journal == "wal" {
						t.Errorf("a log is never busy: %v", err)
					}
				case err != nil:
					t.Fatal(err)
				case n%2 != 0:
					t.Errorf("half a pair: %d rows", n)
				default:
					reads++
				}
			}
			fstest.Equal(t, count(t, path), 2*pairs, "rows at the end")
			t.Logf("%d reads", reads)
		})
	}
}

func TestFaults(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		fstest.Must(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	good := filepath.Join(dir, "good.db")
	db := owner(t, good, "delete")
	do(t, db, "CREATE TABLE t (x)")
	for range 100 {
		do(t, db, "INSERT INTO t VALUES (?)", strings.Repeat("y", 1000))
	}
	whole := read(t, good)
	unfinished := write("unfinished.db", whole)
	write("unfinished.db-journal", "\xd9\xd5\x05\xf9\x20\xa1\x63\xd7 and so forth")
	for _, c := range []struct {
		path string
		want error
	}{
		{write("empty.db", ""), ErrSchema},
		{write("text.db", strings.Repeat("this is no database. ", 100)), ErrDamaged},
		{write("short.db", whole[:5000]), ErrDamaged},
		{write("overwritten.db", whole[:4096]+strings.Repeat("\xff", 40000)+whole[44096:]), ErrDamaged},
		{unfinished, ErrUnfinished},
		{filepath.Join(dir, "missing.db"), fs.ErrNotExist},
	} {
		err := View(context.Background(), c.path, func(s *Snapshot) error {
			if _, err := s.Table("t", "x"); err != nil {
				return err
			}
			return s.Each("SELECT x FROM t", func(Row) error { return nil })
		})
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.path) {
			t.Errorf("%s: %v", filepath.Base(c.path), err)
		}
	}
	err := View(context.Background(), good, func(s *Snapshot) error { _, err := s.Table("t", "other"); return err })
	if !errors.Is(err, ErrSchema) || !strings.Contains(err.Error(), `"other"`) {
		t.Errorf("a missing column: %v", err)
	}
	if err := View(context.Background(), dir, func(*Snapshot) error { return nil }); err == nil {
		t.Error("a folder was opened")
	}
}

// TestLockedByItsOwner reads while a transaction of the owner holds the file:
// what it has not committed is not seen, and it is not disturbed.
func TestLockedByItsOwner(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	db := owner(t, path, "delete")
	do(t, db, "CREATE TABLE t (x)")
	do(t, db, "PRAGMA cache_size = 5")
	for _, size := range []int{10, 1_000_000} { // the second is on disk before it is committed
		do(t, db, "BEGIN EXCLUSIVE")
		do(t, db, "INSERT INTO t VALUES (?)", strings.Repeat("x", size))
		n := int64(0)
		err := View(context.Background(), path, func(s *Snapshot) error {
			return s.Each("SELECT count(*) FROM t", func(r Row) error { n = r.Int(0); return nil })
		})
		if err != nil && !errors.Is(err, ErrUnfinished) && !errors.Is(err, ErrBusy) || n != 0 {
			t.Errorf("%d rows, %v", n, err)
		}
		do(t, db, "ROLLBACK")
	}
	fstest.Equal(t, count(t, path), 0, "rows")
}

func TestCancelled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	do(t, owner(t, path, "delete"), "CREATE TABLE t (x)")
	ctx, cancel := context.WithCancel(context.Background())
	err := View(ctx, path, func(s *Snapshot) error {
		cancel()
		return s.Each("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT count(*) FROM n", func(Row) error { return nil })
	})
	fstest.ErrorIs(t, err, context.Canceled, "error")
}

func TestValues(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.db")
	db := owner(t, path, "delete")
	do(t, db, "CREATE TABLE v (at TIMESTAMP, text TEXT, n INTEGER, bytes BLOB, none)")
	do(t, db, "INSERT INTO v VALUES ('2026-02-03 04:05:06', 'ä', '12', x'00ff', NULL), (1770091506, 5, 2.5, 'text', NULL)")
	var got []string
	err := View(context.Background(), path, func(s *Snapshot) error {
		got = nil
		v, err := s.Table("v", "at")
		if err != nil {
			return err
		}
		return s.Each("SELECT "+v.Pick("at", "text", "n", "bytes", "none", "absent")+" FROM v", func(r Row) error {
			got = append(got, fmt.Sprintf("%s|%s|%d|%x|%v%v", r.Time(0).Format(time.RFC3339), r.Text(1), r.Int(2), r.Bytes(3), r.Null(4), r.Null(5)))
			return nil
		})
	})
	fstest.Must(t, err)
	want := []string{"2026-02-03T04:05:06Z|ä|12|00ff|truetrue", "2026-02-03T04:05:06Z|5|2|74657874|truetrue"}
	fstest.EqualSlices(t, got, want)
	at := time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)
	for _, n := range []int64{at.Unix(), at.UnixMilli(), at.UnixMicro(), at.UnixNano()} {
		if !Time(n).Equal(at) {
			t.Errorf("%d is %v", n, Time(n))
		}
	}
	if !Time(0).IsZero() || !Time(-1).IsZero() {
		t.Error("a time was made of nothing")
	}
}

// TestOwn creates a database of ours, with a full-text index.
func TestOwn(t *testing.T) {
	db, err := Own(filepath.Join(t.TempDir(), "own.db"))
	fstest.Must(t, err)
	defer db.Close()
	do(t, db, "CREATE VIRTUAL TABLE f USING fts5(text, tokenize = 'unicode61')")
	do(t, db, "INSERT INTO f VALUES ('the quick brown fox'), ('a lazy dog')")
	var text string
	if err := db.QueryRow("SELECT text FROM f WHERE f MATCH 'brown' ORDER BY bm25(f)").Scan(&text); err != nil || text != "the quick brown fox" {
		t.Errorf("found %q, %v", text, err)
	}
}

// FuzzView reads databases with some bytes changed: there may be an error, and
// nothing else.
func FuzzView(f *testing.F) {
	path := filepath.Join(f.TempDir(), "a.db")
	db, err := open(path, url.Values{"mode": {"rwc"}, "_pragma": {"page_size(512)"}})
	fstest.Must(f, err)
	if _, err := db.Exec("CREATE TABLE t (id TEXT PRIMARY KEY, x); CREATE INDEX i ON t (x)"); err != nil {
		f.Fatal(err)
	}
	for n := range 60 {
		if _, err := db.Exec("INSERT INTO t VALUES (?, hex(zeroblob(?)))", fmt.Sprint("k", n), n*7); err != nil {
			f.Fatal(err)
		}
	}
	fstest.Must(f, db.Close())
	whole, err := os.ReadFile(path)
	fstest.Must(f, err)
	f.Add(uint16(100), []byte{0xff, 0xff, 0xff})
	f.Add(uint16(18), []byte{2, 2})
	f.Add(uint16(600), []byte("\x05\x00\x00\x00\x09"))
	f.Fuzz(func(t *testing.T, at uint16, bytes []byte) {
		broken := slices.Clone(whole)
		copy(broken[int(at)%len(broken):], bytes)
		path := filepath.Join(t.TempDir(), "b.db")
		fstest.Must(t, os.WriteFile(path, broken, 0o600))
		_ = View(context.Background(), path, func(s *Snapshot) error {
			table, err := s.Table("t", "id")
			if err != nil {
				return err
			}
			if err := s.Each("SELECT "+table.Pick("id", "x", "y")+", octet_length(x) FROM t ORDER BY id", func(r Row) error {
				_, _, _ = r.Text(0), r.Time(1), r.Int(2)
				return nil
			}); err != nil {
				return err
			}
			return s.Each("SELECT count(*), max(x) FROM t GROUP BY id", func(Row) error { return nil })
		})
	})
}
