package historytest

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ctxfs/providers/internal/sqlite"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/event"
)

// MakeDatabase creates a database with a write-ahead log, as agents have it, and
// leaves its writer open.
func MakeDatabase(t testing.TB, path string, statements ...string) *sql.DB {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	db, err := sqlite.Own(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	// The writer does not wait for locks: it fails where a reader is in its way.
	Execute(t, db, "PRAGMA busy_timeout = 0")
	for _, s := range statements {
		Execute(t, db, s)
	}
	return db
}

// Execute executes a statement that must not fail.
func Execute(t testing.TB, db *sql.DB, statement string, args ...any) {
	t.Helper()
	if _, err := db.Exec(statement, args...); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// ListStore lists the sessions of a store.
func ListStore(t testing.TB, s history.Store, path string) []history.Entry {
	t.Helper()
	list, err := s.Sessions(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// ReadStore reads a session of a store as the provider does, with what the list
// says about it.
func ReadStore(t testing.TB, s history.Store, path, id string) *event.Collector {
	t.Helper()
	for _, l := range ListStore(t, s, path) {
		if l.ID == id {
			c := &event.Collector{Of: l.Session}
			if err := s.Read(context.Background(), path, l.Key, c); err != nil {
				t.Fatal(err)
			}
			return c
		}
	}
	t.Fatalf("%s has no session %q", path, id)
	return nil
}

// Outline returns the events in a line each, without quiet ones.
func Outline(events []event.Event) []string {
	var list []string
	for _, e := range events {
		if e.Quiet {
			continue
		}
		line := string(e.Kind)
		if e.Origin != "" {
			line += " (" + e.Origin + ")"
		}
		switch {
		case e.Call != nil:
			line += fmt.Sprintf(" %s %s %s", e.Call.Name, e.Call.ID, e.Call.Input)
			if e.Subagent != "" {
				line += " -> " + e.Subagent
			}
		case e.Result != nil:
			line += fmt.Sprintf(" %s %s %s", e.Result.Name, e.Result.CallID, e.Result.Text)
			if e.Result.Error {
				line += " FAILED"
			}
		case e.Compact != nil:
			line += fmt.Sprintf(" %s%s", e.Compact.Trigger, e.Compact.Summary)
		case e.Rewound != nil:
			line += fmt.Sprintf(" to %d, %d", e.Rewound.To, e.Rewound.Count)
		default:
			line += " " + e.Text
		}
		list = append(list, line)
	}
	return list
}

// CheckOutline compares events with the expected lines of [Outline].
func CheckOutline(t *testing.T, events []event.Event, want ...string) {
	t.Helper()
	if got := Outline(events); !slices.Equal(got, want) {
		t.Errorf("told:\n  %s\nwant:\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

// StoreAt returns the store that an agent has for a file of a machine.
func StoreAt(t testing.TB, a history.Agent, m history.Machine, path string) history.Store {
	t.Helper()
	for _, p := range a.Places(m) {
		if rel, err := filepath.Rel(p.Dir, path); err == nil && filepath.IsLocal(rel) {
			if s, ok := p.File(filepath.ToSlash(rel)).(history.Store); ok {
				return s
			}
		}
	}
	t.Fatalf("%s is no store of %s", path, a.Name)
	return history.Store{}
}

// Linux returns a machine with a home folder and environment variables
// ("NAME=value").
func Linux(home string, env ...string) history.Machine {
	return history.Machine{Home: home, OS: "linux", LookupEnv: func(name string) (string, bool) {
		for _, e := range env {
			if key, value, _ := strings.Cut(e, "="); key == name {
				return value, true
			}
		}
		return "", false
	}}
}

// BesideAWriter lists and reads a session while write appends to it over another
// connection. Neither fails, and each message is read completely or not at all.
func BesideAWriter(t *testing.T, s history.Store, path, id string, write func(n int) error, whole func([]event.Event) error) {
	t.Helper()
	written := make(chan error, 1)
	go func() {
		for n := range 60 {
			if err := write(n); err != nil {
				written <- fmt.Errorf("the writer was refused: %w", err)
				return
			}
		}
		written <- nil
	}()
	stamps := make(map[string]int)
	for done := false; !done; {
		select {
		case err := <-written:
			if err != nil {
				t.Fatal(err)
			}
			done = true
		default:
		}
		for _, l := range ListStore(t, s, path) {
			if l.ID != id {
				continue
			}
			c := &event.Collector{Of: l.Session}
			if err := s.Read(context.Background(), path, l.Key, c); err != nil {
				t.Fatal(err)
			}
			if err := whole(c.Events); err != nil {
				t.Fatal(err)
			}
			if before, ok := stamps[l.Stamp]; ok && done && before != len(c.Events) {
				t.Errorf("stamp %s stands for %d and %d events", l.Stamp, before, len(c.Events))
			}
			if done {
				stamps[l.Stamp] = len(c.Events)
			}
		}
	}
}

// BadDatabases checks the errors for files that are not a store's database.
func BadDatabases(t *testing.T, s history.Store, table string) {
	t.Helper()
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	other := filepath.Join(dir, "other.db")
	MakeDatabase(t, other, "CREATE TABLE something (x)")
	narrow := filepath.Join(dir, "narrow.db")
	MakeDatabase(t, narrow, "CREATE TABLE "+table+" (x)")
	for _, c := range []struct{ path, words string }{
		{file("empty.db", ""), "no table"},
		{file("text.db", strings.Repeat("no database ", 50)), "not a SQLite database"},
		{other, "no table"},
		{narrow, "no column"},
		{filepath.Join(dir, "missing.db"), "no such file"},
	} {
		_, err := s.Sessions(context.Background(), c.path)
		if err == nil || !strings.Contains(err.Error(), c.words) {
			t.Errorf("sessions of %s: %v", filepath.Base(c.path), err)
		}
		if err := s.Read(context.Background(), c.path, "key", &event.Collector{}); err == nil {
			t.Errorf("read of %s: no error", filepath.Base(c.path))
		}
	}
}

// CheckSchema reads the only session of a database whose schema may be of an unknown
// version: then the error is a [history.Partial] that names what the database lacks;
// lacks is "" where nothing is missing.
func CheckSchema(t *testing.T, s history.Store, path, id, lacks string) *event.Collector {
	t.Helper()
	list, err := s.Sessions(context.Background(), path)
	var partial *history.Partial
	if lacks == "" && err != nil || lacks != "" && (!errors.As(err, &partial) || !strings.Contains(err.Error(), lacks)) {
		t.Errorf("it lacks %q: %v", lacks, err)
	}
	if len(list) != 1 || list[0].ID != id {
		t.Fatalf("%+v", list)
	}
	c := &event.Collector{Of: list[0].Session}
	if err := s.Read(context.Background(), path, list[0].Key, c); err != nil {
		t.Fatal(err)
	}
	return c
}

// CheckEvents checks what must be true of the events of any input: each has a
// kind and the fields that belong to it.
func CheckEvents(t *testing.T, read func(event.Sink)) {
	t.Helper()
	c := &event.Collector{}
	read(c)
	for _, e := range c.Events {
		switch {
		case e.Kind == "",
			e.Kind == event.ToolCall && e.Call == nil,
			e.Kind == event.ToolResult && e.Result == nil,
			e.Kind == event.Compaction && e.Compact == nil,
			e.Kind == event.Rewind && (e.Rewound == nil || e.Rewound.To > len(c.Events)),
			e.Kind == event.Unknown && e.Record == "":
			t.Errorf("%+v", e)
		}
	}
}
