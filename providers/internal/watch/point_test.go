package watch

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"ctxfs/fs/fstest"
)

func TestRootsThatDoNotExistYet(t *testing.T) {
	home := tempDir(t)
	root := filepath.Join(home, "one", "two", "three")
	w := start(t, Options{})
	w.Add(root)
	if w.Err(root) != nil || w.Watched(root) {
		t.Fatal("a missing root is waited for and not watched")
	}
	mkdir(t, home, "one")
	mkdir(t, home, "one", "two")
	mkdir(t, root, "sub")
	w.expect(root)
	w.settle()
	write(t, filepath.Join(root, "sub", "f"), "")
	w.expect(filepath.Join(root, "sub", "f"))

	// It goes, with everything above it, and comes again.
	fstest.Must(t, os.RemoveAll(filepath.Join(home, "one")))
	w.expect(root)
	mkdir(t, root, "sub")
	w.expect(root)
	w.settle()
	write(t, filepath.Join(root, "sub", "f"), "")
	w.expect(filepath.Join(root, "sub", "f"))

	// It is replaced in one step.
	other := mkdir(t, home, "one", "two", "other")
	fstest.Must(t, os.RemoveAll(filepath.Join(root, "sub")))
	w.expect(filepath.Join(root, "sub"))
	fstest.Must(t, syscall.Rename(other, root)) // os.Rename refuses folders
	w.expect(root)
	w.settle()
	write(t, filepath.Join(root, "g"), "")
	w.expect(filepath.Join(root, "g"))

	// The folder above is renamed and comes back.
	fstest.Must(t, os.Rename(filepath.Join(home, "one", "two"), filepath.Join(home, "one", "away")))
	w.expect(root)
	if w.Watched(root) {
		t.Error("watched though gone")
	}
	fstest.Must(t, os.Rename(filepath.Join(home, "one", "away"), filepath.Join(home, "one", "two")))
	w.expect(root)
	w.settle()
	write(t, filepath.Join(root, "g"), "1")
	w.expect(filepath.Join(root, "g"))
}

func TestRootsThatAreLinks(t *testing.T) {
	home := tempDir(t)
	first, second := mkdir(t, home, "first"), mkdir(t, home, "second")
	root := filepath.Join(home, "root")
	fstest.Must(t, os.Symlink("first", root))
	w := start(t, Options{})
	w.Add(root)
	write(t, filepath.Join(first, "f"), "")
	w.expect(filepath.Join(first, "f"))

	fstest.Must(t, os.Symlink("second", root+".new"))
	fstest.Must(t, os.Rename(root+".new", root))
	w.expect(root)
	write(t, filepath.Join(second, "f"), "")
	w.expect(filepath.Join(second, "f"))
	if w.Watched(first) {
		t.Error("the folder is watched that the link has left")
	}
}

func TestSingleFiles(t *testing.T) {
	home := tempDir(t)
	file, beside := filepath.Join(home, "config.json"), filepath.Join(home, "beside")
	w := start(t, Options{})
	w.AddFile(file)
	if !w.Watched(file) || w.Watched(home) {
		t.Error("the file is watched and its folder is not")
	}
	write(t, file, "1")
	w.expect(file)
	for range 10 {
		replace(t, file, "2")
		w.expect(file)
	}
	write(t, beside, "")
	if earlier := w.settle(); earlier[beside] || earlier[home] {
		t.Errorf("reported besides: %v", earlier)
	}
	fstest.Must(t, os.Remove(file))
	w.expect(file)

	// A link to a file elsewhere: both are watched.
	target := filepath.Join(mkdir(t, home, "dotfiles"), "real.json")
	write(t, target, "1")
	fstest.Must(t, os.Symlink("dotfiles/real.json", file))
	w.expect(file)
	w.settle()
	write(t, target, "2")
	w.expect(file)
	replace(t, target, "3")
	w.expect(file)

	w.settle()
	w.Remove(file)
	write(t, target, "4")
	replace(t, file, "5")
	if earlier := w.settle(); earlier[file] {
		t.Error("reported after Remove")
	}
}
