package mounts

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
	"ctxfs/mounts/control"
)

func TestFolderGoesOnAfterErrors(t *testing.T) {
	broken := true
	tree, _ := newTree(map[string]fs.Node{
		"a": fs.NewRendered(day, 1, func(context.Context) ([]byte, error) {
			if broken {
				return nil, errors.New("the source is away")
			}
			return []byte("a"), nil
		}),
		"dir":     fstest.PanickingDir(day),
		"panics":  fstest.PanickingFile(day),
		"z":       textOf("z"),
		"\xffbad": textOf("no"),
	})
	dir := t.TempDir()
	f := newFolder(t, tree, dir)
	r := passOver(t, f)
	if len(r.Errors) != 4 || !strings.Contains(strings.Join(r.Errors, "\n"), filepath.Join(dir, "a")+": the source is away") {
		t.Errorf("errors %q", r.Errors)
	}
	wantDisk(t, dir, "dir/", "z: z")
	broken = false
	passOver(t, f)
	wantDisk(t, dir, "a: a", "dir/", "z: z")
}

func TestFolderKeepsWhatCannotBeReadNow(t *testing.T) {
	tree, root := newTree(map[string]fs.Node{"a": textOf("a"), "dir": dirOf(map[string]fs.Node{"x": textOf("x")})})
	dir := t.TempDir()
	f := newFolder(t, tree, dir)
	passOver(t, f)
	root.Replace(day, map[string]fs.Node{"a": fs.NewRendered(day, 7, func(context.Context) ([]byte, error) { return nil, errors.New("no") }), "dir": fstest.PanickingDir(day)})
	if r := passOver(t, f); len(r.Errors) != 2 {
		t.Errorf("%q", r.Errors)
	}
	wantDisk(t, dir, "a: a", "dir/", "dir/x: x")
}

func TestFolderContinuesAnInterruptedPass(t *testing.T) {
	const files = 50
	nodes := make(map[string]fs.Node)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for i := range files {
		nodes[fmt.Sprintf("%02d", i)] = fs.NewRendered(day, uint64(i), func(context.Context) ([]byte, error) {
			if i == files/2 {
				cancel()
			}
			return fmt.Append(nil, i), nil
		})
	}
	tree, _ := newTree(nodes)
	dir := t.TempDir()
	f := newFolder(t, tree, dir)
	r, err := f.Pass(ctx)
	if !errors.Is(err, context.Canceled) || r.Written < files/2 || r.Written == files {
		t.Fatalf("%+v, %v", r, err)
	}
	done := r.Written
	f.Close()
	wantReport(t, passOver(t, newFolder(t, tree, dir)), files-done, 0, done)
	if names := onDisk(t, dir); len(names) != files {
		t.Errorf("%d files", len(names))
	}
}

// TestFolderAfterACrash: the process ends at the worst moment, when the
// manifest has a file that has not taken its place yet.
func TestFolderAfterACrash(t *testing.T) {
	tree, root := newTree(map[string]fs.Node{"a": textOf("one")})
	dir := t.TempDir()
	f := newFolder(t, tree, dir)
	passOver(t, f)
	s := f.manifest.states["a"]
	s.Version, s.Size = 99, 1000
	fstest.Must(t, f.manifest.put("a", s))
	f.Close()
	putFile(t, filepath.Join(dir, temporaryName), "half of a")
	root.Set(day, "a", textOf("three"))
	wantReport(t, passOver(t, newFolder(t, tree, dir)), 1, 0, 0)
	wantDisk(t, dir, "a: three")

	// A file that never existed, and half a line.
	dir = t.TempDir()
	f = newFolder(t, tree, dir)
	fstest.Must(t, f.manifest.put("a", s))
	f.Close()
	appendFile(t, filepath.Join(dir, manifestName), `{"path":"b`)
	wantReport(t, passOver(t, newFolder(t, tree, dir)), 1, 0, 0)
}

func TestFolderTwiceAtOnce(t *testing.T) {
	tree, _ := newTree(map[string]fs.Node{"a": textOf("a")})
	dir := t.TempDir()
	f := newFolder(t, tree, dir)
	passOver(t, f)
	_, err := NewFolder(tree, dir, FolderOptions{})
	if f := (*control.Fault)(nil); !errors.As(err, &f) || !strings.Contains(f.Message, "another ctxfs") {
		t.Errorf("second sync: %v", err)
	}
	f.Close()
	newFolder(t, tree, dir)
}

func TestFolderManifestThatIsNone(t *testing.T) {
	tree, _ := newTree(nil)
	for body, says := range map[string]string{
		"hello\n":                                   "is not a manifest",
		`{"ctxfs-sync":2}` + "\n":                   "has format 2",
		"{\"ctxfs-sync\":1}\nhello\n":               "damaged at line 2",
		"{\"ctxfs-sync\":1}\n{\"path\":\"../x\"}\n": "damaged at line 2",
	} {
		dir := t.TempDir()
		putFile(t, filepath.Join(dir, manifestName), body)
		if _, err := NewFolder(tree, dir, FolderOptions{}); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: %v", body, err)
		}
		if now, _ := os.ReadFile(filepath.Join(dir, manifestName)); string(now) != body {
			t.Errorf("%q became %q", body, now)
		}
	}
	dir := t.TempDir()
	fstest.Must(t, os.Symlink("/etc/passwd", filepath.Join(dir, manifestName)))
	if _, err := NewFolder(tree, dir, FolderOptions{}); err == nil {
		t.Error("a link was taken for a manifest")
	}
}

func TestFolderManifestStaysSmall(t *testing.T) {
	tree, root := newTree(nil)
	dir := t.TempDir()
	f := newFolder(t, tree, dir)
	for i := range 12_000 {
		fstest.Must(t, f.manifest.put("a", pathState{Mode: 0o444, Version: uint64(i)}))
	}
	if f.manifest.lines > 10_010 {
		t.Errorf("%d lines", f.manifest.lines)
	}
	if _, err := NewFolder(tree, dir, FolderOptions{}); err == nil {
		t.Error("the lock was lost when the manifest was written anew")
	}
	root.Set(day, "b", textOf("b"))
	passOver(t, f)
	f.Close()
	f = newFolder(t, tree, dir)
	fstest.Equal(t, len(f.manifest.states), 1, "states", f.manifest.states)
}

func TestFolderThatWasRemoved(t *testing.T) {
	tree, _ := newTree(map[string]fs.Node{"a": textOf("a")})
	dir := filepath.Join(t.TempDir(), "dir")
	f := newFolder(t, tree, dir)
	passOver(t, f)
	os.RemoveAll(dir)
	if _, err := f.Pass(t.Context()); err == nil || !strings.Contains(err.Error(), "was removed or replaced") {
		t.Errorf("pass: %v", err)
	}
}
