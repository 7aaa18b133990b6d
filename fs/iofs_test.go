package fs_test

import (
	"context"
	"errors"
	"io"
	iofs "io/fs"
	"testing"
	"testing/fstest"

	"ctxfs/fs"
)

func viewFixture() *fs.Tree {
	return newTree(map[string]fs.Node{
		"a.md":     textOf("hello\n"),
		"empty":    textOf(""),
		"rendered": fs.NewRendered(day, 1, func(context.Context) ([]byte, error) { return []byte("made"), nil }),
		"broken":   fs.NewFolder(day, nil),
		"dir":      fs.NewFolder(day, map[string]fs.Node{"run": fs.NewScript(day, []byte("#!/bin/sh\n"))}),
	})
}

func TestView(t *testing.T) {
	if err := fstest.TestFS(viewFixture().FS(t.Context()), "a.md", "empty", "rendered", "dir/run"); err != nil {
		t.Error(err)
	}
}

func TestViewErrors(t *testing.T) {
	view := viewFixture().FS(t.Context())
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
	f, err := viewFixture().FS(t.Context()).Open("a.md")
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
	view := newTree(map[string]fs.Node{"r": fs.NewRendered(day, 1, func(context.Context) ([]byte, error) { return nil, nil })}).FS(ctx)
	cancel()
	if _, err := iofs.ReadFile(view, "r"); !errors.Is(err, fs.ErrInterrupted) {
		t.Error(err)
	}
}

func TestViewOfALink(t *testing.T) {
	view := newTree(map[string]fs.Node{"link": link("a.md"), "a.md": textOf("x")}).FS(t.Context())
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
	return fs.Attr{Mode: iofs.ModeSymlink | 0o777, Size: int64(len(l)), ModTime: day}, nil
}
func (l link) Target(context.Context) (string, error) { return string(l), nil }
