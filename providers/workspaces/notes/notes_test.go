package notes

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// newBox opens a box whose clock advances by a second at each look.
func newBox(t *testing.T, dir string) *Box {
	t.Helper()
	var mu sync.Mutex
	at := now
	b := Open(Options{
		Dir:     dir,
		AgentOf: func(int) (agent, session string) { return "codex", "" },
		Now:     func() time.Time { mu.Lock(); defer mu.Unlock(); at = at.Add(time.Second); return at },
		Changed: func(string) {}, Quiet: time.Hour,
	})
	t.Cleanup(func() { b.Close() })
	return b
}

func texts(b *Box) (all []string) {
	for _, n := range b.All() {
		all = append(all, n.Name+": "+n.Text)
	}
	return all
}

func TestNotes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "notes")
	b := newBox(t, dir)
	if _, err := b.Leave(Author{Agent: "claude-code", Session: "08940314", Dir: "/srv/a b"}, "# Do not run the\tmigration\nIt deletes orders. TOKEN=ghp_0123456789abcdefghijABCDEFGHIJ012345\x1b[31m\n"); err != nil {
		t.Fatal(err)
	}
	b.Leave(Author{}, "Do not run the migration")
	want := []string{"do-not-run-the-migration~2.md: Do not run the migration", "do-not-run-the-migration.md: # Do not run the\tmigration\nIt deletes orders. TOKEN="}
	check := func(b *Box) {
		t.Helper()
		got := texts(b)
		if len(got) != 2 || got[0] != want[0] || !strings.HasPrefix(got[1], want[1]) || strings.Contains(got[1], "ghp_0123456789abc") || strings.Contains(got[1], "\x1b") {
			t.Errorf("notes %q", got)
		}
		if len(got) == 2 && (b.All()[1].Author != Author{Agent: "claude-code", Session: "08940314", Dir: "/srv/a b"}) {
			t.Errorf("author %+v", b.All()[1].Author)
		}
	}
	check(b)
	check(newBox(t, dir)) // another process
	fstest.Check(t, fs.NewTree(b, fs.TreeOptions{}), fstest.Expect("do-not-run-the-migration.md"))

	taken, err := b.Take("do-not-run-the-migration")
	if err != nil || !strings.HasPrefix(taken.Text, "# Do not") {
		t.Errorf("taken: %+v, %v", taken, err)
	}
	fstest.EqualSlices(t, texts(b), want[:1], "left")
	for _, name := range []string{"do-not-run-the-migration", "../x", "taken", ""} {
		if _, err := b.Take(name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("take %q: %v", name, err)
		}
	}
	if kept, _ := filepath.Glob(filepath.Join(dir, "taken", "*_do-not-run-the-migration.md")); len(kept) != 1 {
		t.Errorf("kept: %q", kept)
	}
}

func TestNotesThatAreCreated(t *testing.T) {
	b := newBox(t, filepath.Join(t.TempDir(), "notes"))
	put := func(name, body string) string {
		t.Helper()
		w, err := b.Create(t.Context(), name, fs.Standpoint{Dir: "/srv/shop"})
		if err != nil {
			return err.Error()
		}
		if body != "" {
			if _, err := w.Write(t.Context(), []byte(body), 0); err != nil {
				return err.Error()
			}
		}
		w.Abandon()
		n, err := b.Lookup(t.Context(), strings.TrimSuffix(name, ".md")+".result")
		fstest.Must(t, err)
		outcome, err := fs.NewTree(b, fs.TreeOptions{}).ReadAll(t.Context(), n.(fs.File))
		fstest.Must(t, err)
		return string(outcome)
	}
	for _, c := range []struct{ name, body, want string }{
		{"tests.md", "Run them with -p 1.\n", `"ok":true`},
		{"tests.md", "again", "there is a note of this name"},
		{"empty.md", "", "the file is empty"},
		{"blank.md", " \n", "the note is empty"},
		{"binary.md", "\xff\xfe", "not UTF-8"},
		{"long.md", strings.Repeat("x", MaxText+1), "at most 8192 bytes"},
		{"x.txt", "x", "names end in .md"},
		{".hidden.md", "x", "not accepted"},
	} {
		if got := put(c.name, c.body); !strings.Contains(got, c.want) {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	if got, want := texts(b), []string{"tests.md: Run them with -p 1."}; !slices.Equal(got, want) {
		t.Errorf("notes %q, want %q", got, want)
	}
	fstest.Equal(t, b.All()[0].Author, (Author{Agent: "codex", Dir: "/srv/shop"}), "author")
	for i := len(b.All()); i < MaxNotes; i++ {
		put(fmt.Sprintf("n%d.md", i), "x")
	}
	fstest.Contains(t, put("one-more.md", "x"), "there are 100 notes already")
}

// TestTwoWriters lose nothing, and none gets the name of another.
func TestTwoWriters(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "notes")
	var writers sync.WaitGroup
	for range 4 {
		b := newBox(t, dir)
		writers.Go(func() {
			for range MaxNotes / 5 {
				if _, err := b.Leave(Author{}, "the same words"); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	b := newBox(t, dir)
	fstest.Equal(t, len(b.All()), 4*(MaxNotes/5), "notes")
	if left, _ := filepath.Glob(filepath.Join(dir, ".new-*")); len(left) != 0 {
		t.Errorf("left behind: %q", left)
	}
}

func TestNotesThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	for name, body := range map[string]string{
		"by-hand.md": "written by hand\n", "broken.md": "---\nagent: [\n---\nstill a note\n", "huge.md": strings.Repeat("x", 3*MaxText), "x.txt": "none",
	} {
		fstest.Must(t, os.WriteFile(filepath.Join(dir, name), []byte(body), 0o600))
	}
	fstest.Must(t, os.Symlink("/etc/passwd", filepath.Join(dir, "link.md")))
	b := newBox(t, dir)
	got := texts(b)
	slices.Sort(got)
	if want := []string{"broken.md: still a note", "by-hand.md: written by hand"}; !slices.Equal(got, want) {
		t.Errorf("notes %q, want %q", got, want)
	}
	if err := b.Fault(); err == nil || !strings.Contains(err.Error(), "huge.md") {
		t.Errorf("fault: %v", err)
	}
}
