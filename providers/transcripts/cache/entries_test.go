package cache

import (
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/catalogue"
	"ctxfs/providers/transcripts/event"
	"ctxfs/providers/transcripts/source"
)

// TestUnsaved: a state that has changed is unsaved until it was written.
func TestUnsaved(t *testing.T) {
	c := New(Options{Env: fs.Env{Now: time.Now, Log: slog.New(slog.NewTextHandler(io.Discard, nil))}, Dir: t.TempDir(), Catalogue: catalogue.New("")})
	s := &catalogue.Session{Agent: "pi", ID: "one"}
	e := readEntry(c.EntryDir(s.Agent, s.ID))
	fstest.Must(t, os.MkdirAll(e.dir, 0o700))
	c.open.entries[s] = &openEntry{entry: e, dirty: true}
	if got := c.Unsaved(); !slices.Equal(got, []*catalogue.Session{s}) {
		t.Errorf("%d sessions are unsaved", len(got))
	}
	c.SaveAll(true)
	if got := c.Unsaved(); len(got) != 0 {
		t.Errorf("%d sessions are unsaved after they were saved", len(got))
	}
	if _, err := os.Stat(filepath.Join(e.dir, stateName)); err != nil {
		t.Error(err)
	}
}

// said is a reader that takes each line for what a user said.
type said struct{}

func (said) Record(line []byte, out event.Sink) {
	out.Emit(event.Event{Kind: event.User, Text: string(line)})
}

// TestAnEntryKeepsNoMemoryToWorkIn: entries stay open, each would keep what its session was
// rendered with.
func TestAnEntryKeepsNoMemoryToWorkIn(t *testing.T) {
	c := New(Options{Dir: t.TempDir()})
	log := filepath.Join(t.TempDir(), "log")
	fstest.Must(t, os.WriteFile(log, []byte("hello\n"), 0o600))
	e := readEntry(c.EntryDir("pi", "one"))
	fstest.Must(t, os.MkdirAll(e.dir, 0o700))
	format := history.Log{Open: func(string) history.Reader { return said{} }}
	fstest.Must(t, c.appendTo(t.Context(), e, &job{inherited: new(inherited), source: &source.Source{Path: log, Format: format}}))
	fstest.Equal(t, e.Seq, 1)
	if e.Writer.Taken != nil {
		t.Error("the entry holds its writer")
	}
}
