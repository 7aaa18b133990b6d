package seen

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"

	"ctxfs/fs/facts"
	"ctxfs/fs/fstest"
	"ctxfs/providers/transcripts/agents/history"
	"ctxfs/providers/transcripts/event"
	"ctxfs/providers/transcripts/source"
)

// TestReaderGoesOn: a log that grows is read on, one that was rewritten from the start.
func TestReaderGoesOn(t *testing.T) {
	t.Parallel()
	const rel = "p/1e0816ef-6f89-4f05-b331-dab09bb14485.jsonl"
	text, err := os.ReadFile(fstest.Data(t, "sessions/claude-code", filepath.Base(rel)))
	fstest.Must(t, err)
	path := filepath.Join(t.TempDir(), filepath.Base(rel))
	write := func(text string) {
		t.Helper()
		fstest.Must(t, os.WriteFile(path, []byte(text), 0o600))
	}
	var kept Reader
	read := func(r *Reader) []facts.Read {
		t.Helper()
		info, err := os.Stat(path)
		fstest.Must(t, err)
		all, err := r.Read(t.Context(), event.Session{Agent: "claude-code", ID: "x"}, &source.Source{Path: path, Format: formatOf(t, "claude-code", rel), Stat: source.StatOf(info)})
		fstest.Must(t, err)
		return all
	}
	lines := strings.SplitAfter(string(text), "\n")
	for n := 0; n < len(lines); n += len(lines) / 7 {
		write(strings.Join(lines[:n], "") + `{"half of a`)
		if got, want := read(&kept), read(new(Reader)); !reflect.DeepEqual(got, want) {
			t.Fatalf("after %d lines: %d files, from the start %d", n, len(got), len(want))
		}
	}
	offset := kept.kept[0].offset
	write(strings.Join(lines, ""))
	read(&kept)
	if kept.kept[0].offset <= offset || len(kept.kept) != 1 {
		t.Errorf("it is not read on: %d after %d", kept.kept[0].offset, offset)
	}
	write(strings.Join(lines[len(lines)/2:], "")) // the same file, with another beginning
	if got, want := read(&kept), read(new(Reader)); !reflect.DeepEqual(got, want) {
		t.Errorf("rewritten: %d files, from the start %d", len(got), len(want))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := new(Reader).Read(ctx, event.Session{Agent: "claude-code", ID: "x"}, &source.Source{Path: path, Format: formatOf(t, "claude-code", rel)}); !errors.Is(err, context.Canceled) {
		t.Errorf("after its caller left: %v", err)
	}
}

// TestReaderOfStores: a session of a store is read again when the store has changed, and
// by several at once.
func TestReaderOfStores(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	reads, content := 0, "one"
	failing := errors.New("locked")
	var fault error
	format := history.Store{Read: func(_ context.Context, _, _ string, out event.Sink) error {
		mu.Lock()
		defer mu.Unlock()
		reads++
		out.Emit(event.Event{Kind: event.ToolCall, Call: &event.Call{ID: "1", Name: "write", Input: `{"filePath":"/a","content":"` + content + `"}`}})
		out.Emit(event.Event{Kind: event.ToolResult, Result: &event.Result{CallID: "1"}})
		return fault
	}}
	db := filepath.Join(t.TempDir(), "db")
	fstest.Must(t, os.WriteFile(db, nil, 0o600))
	var r Reader
	read := func() ([]facts.Read, error) {
		return r.Read(t.Context(), event.Session{Agent: "opencode", ID: "s"}, &source.Source{Path: db, Key: "s", Format: format})
	}
	expect := func(text string, count int) {
		t.Helper()
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				if got, err := read(); err != nil || len(got) != 1 || got[0].Parts[0].Text != text {
					t.Errorf("%+v, %v", got, err)
				}
			})
		}
		all.Wait()
		fstest.Equal(t, reads, count, "times")
	}
	expect("one\n", 1)
	content = "two"
	fstest.Must(t, os.WriteFile(db+"-wal", []byte("x"), 0o600))
	expect("two\n", 2)
	fault = failing
	fstest.Must(t, os.WriteFile(db+"-wal", []byte("xx"), 0o600))
	if _, err := read(); !errors.Is(err, failing) {
		t.Errorf("a store that cannot be read: %v", err)
	}
	fault = nil
	expect("two\n", 4)
}
