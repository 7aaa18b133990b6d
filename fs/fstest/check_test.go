package fstest

import (
	"context"
	"errors"
	"io"
	iofs "io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/drop"
)

var day = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func text(body string) fs.Node { return fs.NewText(day, []byte(body)) }

func treeOf(nodes map[string]fs.Node) *fs.Tree {
	return fs.NewTree(fs.NewFolder(day, nodes), fs.TreeOptions{Deadline: time.Minute})
}

func TestReadyMadeNodesConform(t *testing.T) {
	disk := t.TempDir()
	if err := os.MkdirAll(filepath.Join(disk, "scripts"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, body := range map[string]string{"SKILL.md": "a skill\n", "scripts/run": "#!/bin/sh\n", "log.txt": "head\nline\n", "empty": ""} {
		if err := os.WriteFile(filepath.Join(disk, name), []byte(body), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("scripts/run", filepath.Join(disk, "link")); err != nil {
		t.Fatal(err)
	}
	dir, err := fs.NewDiskDir(disk, fs.DiskOptions{})
	if err != nil {
		t.Fatal(err)
	}
	inbox := drop.New(drop.Options{
		Now:    func() time.Time { return day },
		Static: map[string]fs.Node{"README.md": text("put one JSON object here\n")},
		Accept: func(context.Context, string, fs.Standpoint, []byte) (drop.Work, error) {
			return func(context.Context) drop.Outcome { return drop.Outcome{OK: true} }, nil
		},
	})
	defer inbox.Close()
	draft, err := inbox.Create(t.Context(), "call", fs.Standpoint{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := draft.Write(t.Context(), []byte("{}"), 0); err != nil {
		t.Fatal(err)
	}
	for name, nodes := range map[string]map[string]fs.Node{
		"memory": {
			"a.md":     text("hello\n"),
			"empty":    text(""),
			"run":      fs.NewScript(day, []byte("#!/bin/sh\n")),
			"large":    text(strings.Repeat("0123456789\n", 20000)),
			"rendered": fs.NewRendered(day, 1, func(context.Context) ([]byte, error) { return []byte("made\n"), nil }),
			"counted":  NewCountingFile(day, []byte("counted\n")),
			"sub":      fs.NewFolder(day, map[string]fs.Node{"deep": fs.NewFolder(day, nil)}),
		},
		"disk":  {"disk": dir},
		"log":   {"log.txt": fs.NewLog(filepath.Join(disk, "log.txt"), 5)},
		"inbox": {"inbox": inbox},
	} {
		t.Run(name, func(t *testing.T) { Check(t, treeOf(nodes)) })
	}
	t.Run("empty", func(t *testing.T) { Check(t, treeOf(nil)) })
}

// liar is a folder that breaks promises.
type liar struct {
	attr   func() fs.Attr
	lookup func(name string) (fs.Node, error)
	list   []fs.Entry
}

func (d liar) Attr(context.Context) (fs.Attr, error) {
	if d.attr == nil {
		return fs.Attr{Mode: iofs.ModeDir | 0o555, ModTime: day}, nil
	}
	return d.attr(), nil
}

func (d liar) Lookup(_ context.Context, name string) (fs.Node, error) {
	if d.lookup == nil {
		return nil, fs.ErrNotExist
	}
	return d.lookup(name)
}
func (d liar) List(context.Context) ([]fs.Entry, error) { return d.list, nil }

// waiter is a folder that looks at its context, as one that waits does.
type waiter struct{ liar }

func (d waiter) Lookup(ctx context.Context, name string) (fs.Node, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return d.liar.Lookup(ctx, name)
}

func (d waiter) List(ctx context.Context) ([]fs.Entry, error) {
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return d.list, nil
}

// computer is a waiter that says so.
type computer struct{ waiter }

func (computer) Computed() {}

// searcher is a computer that answers at once for names that nobody chose.
type searcher struct{ computer }

func (d searcher) Lookup(ctx context.Context, name string) (fs.Node, error) {
	if strings.HasPrefix(name, ".") {
		return nil, fs.ErrNotExist
	}
	return d.computer.Lookup(ctx, name)
}

type liarFile struct {
	attr func() fs.Attr
	read func(p []byte, off int64) (int, error)
}

func (f liarFile) Attr(context.Context) (fs.Attr, error) { return f.attr(), nil }
func (f liarFile) ReadAt(_ context.Context, p []byte, off int64) (int, error) {
	if off < 0 {
		return 0, fs.ErrInvalid
	}
	return f.read(p, off)
}

func fileAttr(size int64) func() fs.Attr {
	return func() fs.Attr { return fs.Attr{Mode: 0o444, Size: size, ModTime: day, Version: 1} }
}

func bytesOf(body string) func([]byte, int64) (int, error) {
	return func(p []byte, off int64) (int, error) { return strings.NewReader(body).ReadAt(p, off) }
}

func TestCheckFindsFaults(t *testing.T) {
	var version uint64
	var reads byte
	started := make(chan struct{})
	defer close(started)
	good := liarFile{fileAttr(5), bytesOf("hello")}
	for name, c := range map[string]struct {
		root fs.Node
		says string
	}{
		"nothing":   {good, ""},
		"unlisted":  {liar{list: []fs.Entry{{Name: "a"}}}, "is listed, but lookup says"},
		"unsorted":  {liar{list: []fs.Entry{{Name: "b"}, {Name: "a"}}, lookup: func(string) (fs.Node, error) { return good, nil }}, "is listed after"},
		"twice":     {liar{list: []fs.Entry{{Name: "a"}, {Name: "a"}}, lookup: func(string) (fs.Node, error) { return good, nil }}, "is listed after"},
		"slash":     {liar{list: []fs.Entry{{Name: "a/b"}}}, "no file name"},
		"type":      {liar{list: []fs.Entry{{Name: "a", Type: iofs.ModeDir}}, lookup: func(string) (fs.Node, error) { return good, nil }}, "is listed as"},
		"probe":     {liar{lookup: func(string) (fs.Node, error) { return good, nil }}, `lookup of ".git"`},
		"probe err": {liar{lookup: func(string) (fs.Node, error) { return nil, errors.New("oh") }}, `lookup of ".git"`},
		"waiting":   {waiter{}, "list waits: it says context canceled"},
		"lookup":    {waiter{liar{list: []fs.Entry{{Name: "a"}}, lookup: func(string) (fs.Node, error) { return good, nil }}}, "/a: lookup waits"},
		"computed":  {searcher{}, ""},
		"computes":  {computer{}, `lookup of ".git" waits`},
		"long":      {liarFile{fileAttr(4), bytesOf("hello")}, "size 4"},
		"short":     {liarFile{fileAttr(6), bytesOf("hello")}, "size 6"},
		"unsized":   {liarFile{fileAttr(fs.SizeOnDemand), bytesOf("hello")}, "no Measure"},
		"no time":   {liarFile{func() fs.Attr { return fs.Attr{Mode: 0o444, Size: 5} }, bytesOf("hello")}, "no modification time"},
		"future":    {liarFile{func() fs.Attr { return fs.Attr{Mode: 0o444, Size: 5, ModTime: time.Now().Add(time.Hour)} }, bytesOf("hello")}, "in the future"},
		"version": {liarFile{func() fs.Attr {
			version++
			return fs.Attr{Mode: 0o444, Size: 5, ModTime: day, Version: version}
		}, bytesOf("hello")}, "nothing was changed"},
		"bytes":   {liarFile{fileAttr(1), func(p []byte, off int64) (int, error) { reads++; return bytesOf(string(rune('a'+reads%26)))(p, off) }}, "two reads"},
		"offset":  {liarFile{fileAttr(5), func(p []byte, _ int64) (int, error) { return copy(p, "hello"), io.EOF }}, "not those that a whole read gives"},
		"no EOF":  {liarFile{fileAttr(5), func(p []byte, off int64) (int, error) { n, _ := bytesOf("hello")(p, off); return n, nil }}, "read: short buffer"},
		"leaking": {liarFile{fileAttr(5), func(p []byte, off int64) (int, error) { go func() { <-started }(); return bytesOf("hello")(p, off) }}, "goroutines left behind"},
		"panic":   {PanickingFile(day), "internal error"},
	} {
		t.Run(name, func(t *testing.T) {
			root, ok := c.root.(fs.Dir)
			if !ok {
				root = fs.NewFolder(day, map[string]fs.Node{"file": c.root})
			}
			faults := strings.Join(check(t.Context(), t.Name(), fs.NewTree(root, fs.TreeOptions{}), Expect()), "\n")
			if c.says == "" && faults != "" || !strings.Contains(faults, c.says) {
				t.Errorf("want %q, faults:\n%s", c.says, faults)
			}
		})
	}
}
