package mounts

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/mounts/control"
)

// TestHint: a mount point that ctxfs created has a file that says how to mount;
// it is never in the way, and no other file is taken for it.
func TestHint(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made here")
	prepared := func(dir string) {
		t.Helper()
		fstest.Must(t, prepareMount(control.Home{}, dir, nil))
	}
	read := func(dir string) string {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(dir, hintName))
		fstest.Must(t, err)
		return string(text)
	}
	for range 2 {
		prepared(dir)
		if text := read(dir); !strings.HasPrefix(text, "# Not mounted\n") || !strings.Contains(text, "\n    ctxfs mount '"+dir+"'\n") {
			t.Errorf("the hint is\n%s", text)
		}
	}
	// In a folder that was moved it names the new place.
	moved := filepath.Join(t.TempDir(), "moved")
	fstest.Must(t, os.Rename(dir, moved))
	prepared(moved)
	fstest.Contains(t, read(moved), "ctxfs mount "+moved+"\n")
	// It may have been cut off.
	putFile(t, filepath.Join(moved, hintName), "# Not")
	prepared(moved)
	fstest.Contains(t, read(moved), "ctxfs mount "+moved+"\n")
	// Other files beside it are in the way.
	putFile(t, filepath.Join(moved, "mine"), "x")
	if err := prepareMount(control.Home{}, moved, nil); err == nil || !strings.Contains(err.Error(), "it holds mine)") {
		t.Errorf("beside a file of somebody: %v", err)
	}

	// A folder that somebody else created stays as it is.
	theirs := t.TempDir()
	prepared(theirs)
	if entries, _ := os.ReadDir(theirs); len(entries) != 0 {
		t.Errorf("left in somebody's folder: %v", entries)
	}
	putFile(t, filepath.Join(theirs, hintName), "my own notes\n")
	if err := prepareMount(control.Home{}, theirs, nil); err == nil || !strings.Contains(err.Error(), "it holds "+hintName) {
		t.Errorf("somebody's file of that name: %v", err)
	}
	link := t.TempDir()
	fstest.Must(t, os.Symlink(filepath.Join(moved, hintName), filepath.Join(link, hintName)))
	if err := prepareMount(control.Home{}, link, nil); err == nil {
		t.Error("a link was taken for the hint")
	}

	// A folder that is synced to does not need it, and keeps what is not ours.
	fstest.Must(t, os.Remove(filepath.Join(moved, "mine")))
	tree, _ := newTree(nil)
	for _, d := range []string{moved, theirs} {
		f := newFolder(t, tree, d)
		passOver(t, f)
		fstest.Must(t, f.Close())
	}
	if _, err := os.Lstat(filepath.Join(moved, hintName)); !os.IsNotExist(err) {
		t.Errorf("in a synced folder: %v", err)
	}
	fstest.Equal(t, read(theirs), "my own notes\n", "somebody's file is now")
}
