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
	"ctxfs/providers/transcripts/catalogue"
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
