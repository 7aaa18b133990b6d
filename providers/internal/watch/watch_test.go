package watch

import (
	"errors"
	iofs "io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"ctxfs/fs/fstest"
)

func TestAFolderIsWatchedWithAllBelow(t *testing.T) {
	root := tempDir(t)
	mkdir(t, root, "a", "b")
	write(t, filepath.Join(root, "a", "b", "f"), "1")
	w := start(t, Options{})
	w.Add(root)
	if !w.Watched(filepath.Join(root, "a", "b")) || w.Err(root) != nil {
		t.Fatal("not watched")
	}

	file := filepath.Join(root, "a", "b", "f")
	write(t, file, "2")
	w.expect(file)
	replace(t, file, "3")
	w.expect(file)
	fstest.Must(t, os.Chmod(file, 0o755))
	w.expect(file)
	fstest.Must(t, os.Remove(file))
	w.expect(file)
	write(t, filepath.Join(root, "new"), "")
	w.expect(filepath.Join(root, "new"))
	fstest.Must(t, os.Chmod(root, 0o700))
	w.expect(root)
}

func TestFilesInNewFoldersAreNotLost(t *testing.T) {
	root := tempDir(t)
	w := start(t, Options{})
	w.Add(root)
	for i := range 50 {
		top := filepath.Join(root, strconv.Itoa(i))
		deep := mkdir(t, top, "x", "y", "z")
		write(t, filepath.Join(deep, "f"), "1")
		w.expect(top)
	}
	// Once the folder is reported, everything in it is watched.
	for i := range 50 {
		file := filepath.Join(root, strconv.Itoa(i), "x", "y", "z", "f")
		if !w.Watched(filepath.Dir(file)) {
			t.Fatal("not watched:", file)
		}
		write(t, file, "2")
		w.expect(file)
	}
}

func TestRenamedFolders(t *testing.T) {
	root := tempDir(t)
	mkdir(t, root, "a", "sub")
	w := start(t, Options{})
	w.Add(root)
	a, b := filepath.Join(root, "a"), filepath.Join(root, "b")
	for range 20 {
		fstest.Must(t, os.Rename(a, b))
		w.expect(a, b)
		if w.Watched(a) || !w.Watched(filepath.Join(b, "sub")) {
			t.Fatal("the old name is watched, or the new is not")
		}
		write(t, filepath.Join(b, "sub", "f"), "")
		w.expect(filepath.Join(b, "sub", "f"))
		a, b = b, a
	}
	// Out of the tree, and another one in its place.
	fstest.Must(t, os.Rename(a, filepath.Join(tempDir(t), "out")))
	mkdir(t, a, "other")
	w.expect(a)
	w.settle()
	write(t, filepath.Join(a, "other", "f"), "")
	w.expect(filepath.Join(a, "other", "f"))
}

func TestSkippedHiddenAndLinked(t *testing.T) {
	root, elsewhere := tempDir(t), tempDir(t)
	for _, name := range []string{".git", "node_modules", "hidden"} {
		mkdir(t, root, name, "sub")
	}
	fstest.Must(t, os.Symlink(elsewhere, filepath.Join(root, "link")))
	fstest.Must(t, os.Symlink(".", filepath.Join(root, "loop")))
	w := start(t, Options{Hide: func(path string) bool { return filepath.Base(path) == "hidden" }})
	w.Add(root)
	for _, dir := range []string{".git", "node_modules", "hidden", "link", "loop"} {
		if w.Watched(filepath.Join(root, dir)) {
			t.Error("watched:", dir)
		}
	}
	write(t, filepath.Join(elsewhere, "f"), "")
	fstest.Must(t, os.Remove(filepath.Join(root, "hidden", "sub")))
	fstest.Must(t, os.Remove(filepath.Join(root, "hidden")))
	mkdir(t, root, "hidden")
	for p := range w.settle() {
		fstest.Equal(t, p, root, "reported:")
	}
}

func TestMoreFoldersThanAreWatched(t *testing.T) {
	root := tempDir(t)
	for i := range 30 {
		mkdir(t, root, strconv.Itoa(i))
	}
	w := start(t, Options{MaxDirs: 10})
	w.Add(root)
	fstest.ErrorIs(t, w.Err(root), ErrLimit, "31 folders of which 10 may be watched")
	n := 0
	for i := range 30 {
		if w.Watched(filepath.Join(root, strconv.Itoa(i))) {
			n++
		}
	}
	fstest.Equal(t, n, 9, "folders below the root are watched, want 9")
}

func TestFoldersThatMayNotBeRead(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may read everything: run this as an ordinary user")
	}
	root := tempDir(t)
	locked := mkdir(t, root, "locked")
	fstest.Must(t, os.Chmod(locked, 0))
	t.Cleanup(func() { os.Chmod(locked, 0o755) })
	w := start(t, Options{})
	w.Add(root)
	if err := w.Err(root); !errors.Is(err, iofs.ErrPermission) || w.Watched(locked) || !w.Watched(root) {
		t.Fatalf("locked: %v", err)
	}
	fstest.Must(t, os.Chmod(locked, 0o755))
	w.expect(locked)
	if err := w.Err(root); err != nil || !w.Watched(locked) {
		t.Fatalf("unlocked: %v", err)
	}
	write(t, filepath.Join(locked, "f"), "")
	w.expect(filepath.Join(locked, "f"))

	fstest.Must(t, os.Chmod(root, 0))
	w.expect(root)
	fstest.Must(t, os.Chmod(root, 0o755))
	w.expect(root)
	w.settle()
	write(t, filepath.Join(locked, "f"), "2")
	w.expect(filepath.Join(locked, "f"))
}

func TestRootsInsideEachOther(t *testing.T) {
	root := tempDir(t)
	inner := mkdir(t, root, "a", "inner")
	w := start(t, Options{})
	w.Add(root)
	w.Add(inner)
	w.Remove(root)
	if w.Watched(root) || !w.Watched(inner) {
		t.Fatal("the inner root alone is watched now")
	}
	write(t, filepath.Join(inner, "f"), "")
	w.expect(filepath.Join(inner, "f"))
	w.Add(root)
	w.Remove(inner)
	write(t, filepath.Join(inner, "f"), "2")
	w.expect(filepath.Join(inner, "f"))
	w.Remove(root)
	if left := w.notify.WatchList(); len(left) != 0 || len(w.folders) != 0 {
		t.Errorf("left: %q, %d folders", left, len(w.folders))
	}
}

// TestLostEventsAreNews: everything counts as changed, for who waits until all is settled,
// too.
func TestLostEventsAreNews(t *testing.T) {
	home := tempDir(t)
	root, file := mkdir(t, home, "root"), filepath.Join(home, "file")
	w := start(t, Options{})
	w.Add(root)
	w.AddFile(file)
	w.lost <- struct{}{}
	w.expect(root, file)
	write(t, filepath.Join(root, "f"), "")
	w.expect(filepath.Join(root, "f"))
}

func TestChangedMayAddAndRemove(t *testing.T) {
	home := tempDir(t)
	first, second := mkdir(t, home, "first"), mkdir(t, home, "second")
	var w *Watcher
	told := make(chan string, 100)
	w = New(Options{Changed: func(paths []string) {
		for _, p := range paths {
			w.Remove(first)
			w.Add(second)
			told <- p
		}
	}})
	defer w.Close()
	w.Add(first)
	write(t, filepath.Join(first, "f"), "")
	<-told
	write(t, filepath.Join(second, "f"), "")
	for p := range told {
		if p == filepath.Join(second, "f") {
			break
		}
	}
}

func TestCloseWhileMuchHappens(t *testing.T) {
	root := tempDir(t)
	w := start(t, Options{})
	w.Add(root)
	stop := make(chan struct{})
	var writers sync.WaitGroup
	for i := range 2 {
		writers.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				dir := filepath.Join(root, strconv.Itoa(i))
				os.MkdirAll(filepath.Join(dir, "x"), 0o755)
				os.WriteFile(filepath.Join(dir, "x", "f"), nil, 0o644)
				os.Rename(dir, dir+"-moved")
				os.RemoveAll(dir + "-moved")
			}
		})
	}
	for range 200 {
		<-w.paths
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	close(stop)
	writers.Wait()
}
