package fstest

import (
	"context"
	"errors"
	"io"
	iofs "io/fs"
	"os"
	"path/filepath"
	"testing"
	testfstest "testing/fstest"
	"time"

	"ctxfs/fs"
)

var viewDay = time.Date(2026, 5, 4, 0, 0, 0, 0, time.UTC)

func viewOf(nodes map[string]fs.Node) *fs.Tree {
	return fs.NewTree(fs.NewFolder(viewDay, nodes), fs.TreeOptions{})
}

func viewFixture() *fs.Tree {
	return viewOf(map[string]fs.Node{
		"a.md":     fs.NewText(viewDay, []byte("hello\n")),
		"empty":    fs.NewText(viewDay, []byte("")),
		"rendered": fs.NewRendered(viewDay, 1, func(context.Context) ([]byte, error) { return []byte("made"), nil }),
		"broken":   fs.NewFolder(viewDay, nil),
		"dir":      fs.NewFolder(viewDay, map[string]fs.Node{"run": fs.NewScript(viewDay, []byte("#!/bin/sh\n"))}),
	})
}

func TestView(t *testing.T) {
	if err := testfstest.TestFS(FS(t.Context(), viewFixture()), "a.md", "empty", "rendered", "dir/run"); err != nil {
		t.Error(err)
	}
}

func TestViewErrors(t *testing.T) {
	view := FS(t.Context(), viewFixture())
	for name, want := range map[string]error{"nothing": fs.ErrNotExist, "a.md/x": fs.ErrNotDir, "/a.md": fs.ErrInvalid, "": fs.ErrInvalid, "dir/../a.md": fs.ErrInvalid} {
		_, err := view.Open(name)
		if pe := (*iofs.PathError)(nil); !errors.As(err, &pe) || pe.Path != name || pe.Op != "open" || !errors.Is(err, want) {
			t.Errorf("open %q: %v, want %v", name, err, want)
		}
	}
	if _, err := iofs.ReadFile(view, "dir"); !errors.Is(err, fs.ErrIsDir) {
		t.Errorf("read a folder: %v", err)
	}
	if _, err := iofs.ReadDir(view, "a.md"); !errors.Is(err, fs.ErrNotDir) {
		t.Errorf("list a file: %v", err)
	}
}

func TestViewFilesSeek(t *testing.T) {
	f, err := FS(t.Context(), viewFixture()).Open("a.md")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := f.(io.ReadSeeker)
	if off, err := s.Seek(-3, io.SeekEnd); off != 3 || err != nil {
		t.Errorf("seek: %d, %v", off, err)
	}
	if body, err := io.ReadAll(s); string(body) != "lo\n" || err != nil {
		t.Errorf("%q, %v", body, err)
	}
	if _, err := s.Seek(-1, io.SeekStart); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("seek before the beginning: %v", err)
	}
	if _, err := s.Seek(0, 7); err == nil {
		t.Error("seek from nowhere")
	}
}

func TestViewEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	view := FS(ctx, viewOf(map[string]fs.Node{"r": fs.NewRendered(viewDay, 1, func(context.Context) ([]byte, error) { return nil, nil })}))
	cancel()
	if _, err := iofs.ReadFile(view, "r"); !errors.Is(err, fs.ErrInterrupted) {
		t.Error(err)
	}
}

func TestViewOfALink(t *testing.T) {
	view := FS(t.Context(), viewOf(map[string]fs.Node{"link": link("a.md"), "a.md": fs.NewText(viewDay, []byte("x"))}))
	if target, err := iofs.ReadLink(view, "link"); target != "a.md" || err != nil {
		t.Errorf("%q, %v", target, err)
	}
	if _, err := iofs.ReadFile(view, "link"); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("read: %v", err)
	}
}

// link is a link to its own text.
type link string

func (l link) Attr(context.Context) (fs.Attr, error) {
	return fs.Attr{Mode: iofs.ModeSymlink | 0o777, Size: int64(len(l)), ModTime: viewDay}, nil
}
func (l link) Target(context.Context) (string, error) { return string(l), nil }

func TestViewOfADisk(t *testing.T) {
	dir := t.TempDir()
	Must(t, os.MkdirAll(filepath.Join(dir, "sub", "deep", "empty"), 0o755))
	Must(t, os.WriteFile(filepath.Join(dir, "a.txt"), []byte("hello"), 0o644))
	Must(t, os.WriteFile(filepath.Join(dir, "run.sh"), []byte("#!/bin/sh\n"), 0o755))
	Must(t, os.WriteFile(filepath.Join(dir, "sub", "b.txt"), []byte("b"), 0o644))
	Must(t, os.Symlink("sub/b.txt", filepath.Join(dir, "link")))
	Must(t, os.Symlink("nowhere", filepath.Join(dir, "dead")))
	d, err := fs.NewDiskDir(dir, fs.DiskOptions{})
	Must(t, err)
	Must(t, testfstest.TestFS(FS(t.Context(), fs.NewTree(d, fs.TreeOptions{})), "a.txt", "run.sh", "sub/b.txt", "sub/deep/empty"))
}
