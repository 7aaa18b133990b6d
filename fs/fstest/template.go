package fstest

import (
	iofs "io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
	testfstest "testing/fstest"
)

// Template returns a function that fills a folder with what make makes in one. It is made
// once, when it is first needed, and copied from then on: for repositories and other
// folders that programs have to make.
func Template(make func(dir string) error) func(t testing.TB, dir string) {
	made := sync.OnceValues(func() (testfstest.MapFS, error) {
		dir, err := os.MkdirTemp("", "ctxfs-test-")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
		if err := make(dir); err != nil {
			return nil, err
		}
		return filesIn(dir)
	})
	return func(t testing.TB, dir string) {
		t.Helper()
		files, err := made()
		Must(t, err)
		Must(t, os.CopyFS(dir, files))
	}
}

// filesIn returns what is in a folder: files and folders.
func filesIn(dir string) (testfstest.MapFS, error) {
	files := make(testfstest.MapFS)
	return files, filepath.WalkDir(dir, func(path string, e iofs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		file := &testfstest.MapFile{Mode: info.Mode()}
		if !e.IsDir() {
			file.Data, err = os.ReadFile(path)
		}
		name, _ := filepath.Rel(dir, path)
		files[name] = file
		return err
	})
}
