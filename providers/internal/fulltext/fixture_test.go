package fulltext

import (
	"bytes"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ctxfs/fs/fstest"
)

// shelf is a Library in memory.
type shelf struct {
	looks atomic.Int32 // calls of Texts

	mu    sync.Mutex
	texts map[string]*book
}

type book struct {
	Text
	body []byte
	next int // number of the next block
}

func newShelf() *shelf { return &shelf{texts: make(map[string]*book)} }

func (s *shelf) Texts() []Text {
	s.looks.Add(1)
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Text
	for _, b := range s.texts {
		all = append(all, b.Text)
	}
	slices.SortFunc(all, func(a, b Text) int { return b.Time.Compare(a.Time) })
	return all
}

type closer struct{ *bytes.Reader }

func (closer) Close() error { return nil }

func (s *shelf) Open(t Text) (File, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.texts[t.Session]
	if b == nil || b.Generation != t.Generation {
		return nil, fs.ErrNotExist
	}
	return closer{bytes.NewReader(b.body)}, nil
}

// say appends blocks to a session.
func (s *shelf) say(session string, texts ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.texts[session]
	if b == nil {
		b = &book{Text: Text{Session: session, Generation: 1, Time: time.Unix(int64(1_700_000_000+len(s.texts)), 0)}, next: 1}
		b.body = []byte("# pi session " + session + "\n\n")
		s.texts[session] = b
	}
	for _, text := range texts {
		b.body = fmt.Appendf(b.body, "### [%s/%05d] 2026-05-12T01:03:%02dZ user typed\n%s\n\n", session, b.next, b.next%60, text)
		b.next++
	}
	b.Size = int64(len(b.body))
}

// again replaces a session's text.
func (s *shelf) again(session string, texts ...string) {
	s.mu.Lock()
	b := s.texts[session]
	b.Generation++
	b.next, b.body = 1, []byte("# pi session again\n\n")
	s.mu.Unlock()
	s.say(session, texts...)
}

func (s *shelf) remove(session string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.texts, session)
}

// fixture is an index over a shelf, without a worker.
type fixture struct {
	*Index
	*shelf
	t testing.TB
}

func newFixture(t testing.TB) *fixture {
	t.Helper()
	return reopen(t, filepath.Join(t.TempDir(), "fulltext.db"), newShelf())
}

func reopen(t testing.TB, path string, s *shelf) *fixture {
	t.Helper()
	f := &fixture{t: t, shelf: s, Index: New(Options{Path: path, Library: s, Log: slog.New(slog.DiscardHandler)})}
	t.Cleanup(func() { fstest.Must(t, f.Close()) })
	return f
}

// index does all that the worker would do.
func (f *fixture) index() {
	f.t.Helper()
	for {
		more, err := f.step(f.t.Context())
		fstest.Must(f.t, err)
		if !more {
			return
		}
	}
}

// found returns the hits for words: session/number.
func (f *fixture) found(words string) string {
	f.t.Helper()
	var all []string
	for _, h := range f.hits(words, 10) {
		all = append(all, fmt.Sprintf("%s/%d", h.Text.Session, h.Number))
	}
	return strings.Join(all, " ")
}

func (f *fixture) hits(words string, limit int) []Hit {
	f.t.Helper()
	r, err := f.Search(f.t.Context(), Query{Words: words, Limit: limit})
	fstest.Must(f.t, err)
	fstest.Equal(f.t, r.Left, 0, "bytes were not searched")
	return r.Hits
}

// padding returns text of other words that is long enough to be indexed.
func padding(word string) []string {
	var all []string
	for i := range minBatch/4096 + 1 {
		all = append(all, strings.Repeat(fmt.Sprintf("%s%d filler\n", word, i%50), 4096/(len(word)+9)))
	}
	return all
}

// covered returns how much of a session is in the index.
func (f *fixture) covered(session string) int64 {
	f.t.Helper()
	s, done, err := f.openedStore(true)
	defer done()
	fstest.Must(f.t, err)
	v, err := f.viewOf(f.t.Context(), s.writer)
	fstest.Must(f.t, err)
	for _, t := range f.Texts() {
		if t.Session == session {
			return v.indexedSize(t)
		}
	}
	return 0
}
