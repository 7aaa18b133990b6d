package fusefs

import (
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
)

// passedThrough mounts a folder on disk as x.
func passedThrough(t *testing.T, watched bool) (m *mountedTree, dir string) {
	t.Helper()
	dir = t.TempDir()
	d, err := fs.NewDiskDir(dir, fs.DiskOptions{Watched: func(string) bool { return watched }})
	fstest.Must(t, err)
	return mounted(t, fs.NewFolder(epoch, map[string]fs.Node{"x": d}), fs.TreeOptions{}), dir
}

func put(t *testing.T, dir, name, body string) {
	t.Helper()
	fstest.Must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
	fstest.Must(t, os.WriteFile(filepath.Join(dir, name), []byte(body), 0o755))
}

// replace writes a file beside another and renames it over that.
func replace(t *testing.T, dir, name, body string) {
	t.Helper()
	put(t, dir, name+".new", body)
	fstest.Must(t, os.Rename(filepath.Join(dir, name+".new"), filepath.Join(dir, name)))
}

func TestFolderOnDisk(t *testing.T) {
	for _, watched := range []bool{true, false} {
		name := map[bool]string{true: "watched", false: "unwatched"}[watched]
		t.Run(name, func(t *testing.T) {
			m, dir := passedThrough(t, watched)
			news := func(path string) {
				if watched {
					m.changed(path)
				}
			}
			m.expect("", "ls -A x")
			m.expect("No", "[ -e x/run ] || echo No")
			put(t, dir, "run", "#!/bin/sh\necho ran \"$@\"\n")
			news("x")
			m.expect("ran a b", "x/run a b")
			put(t, dir, "sub/a", "aaa\n")
			fstest.Must(t, os.Symlink("a", filepath.Join(dir, "sub/link")))
			news("x/sub")
			m.expect("aaa", "cat x/sub/link")
			m.expect("a", "readlink x/sub/link")

			put(t, dir, "sub/a", "bbb\n") // in place, same size
			news("x/sub/a")
			m.expect("bbb", "cat x/sub/a")
			put(t, dir, "sub/a", "longer than before\n")
			news("x/sub/a")
			m.expect("longer than before", "cat x/sub/a")
			put(t, dir, "sub/a", "s\n")
			news("x/sub/a")
			m.expect("s", "cat x/sub/a")
			m.expect("2", "stat -Lc %s x/sub/link")
			replace(t, dir, "sub/a", "renamed\n")
			news("x/sub")
			m.expect("renamed", "cat x/sub/link")

			fstest.Must(t, os.Remove(filepath.Join(dir, "sub/link")))
			fstest.Must(t, os.Symlink("../run", filepath.Join(dir, "sub/link")))
			news("x/sub/link")
			m.expect("ran", "x/sub/link")

			fstest.Must(t, os.RemoveAll(filepath.Join(dir, "sub")))
			news("x/sub")
			m.expect("run", "ls x")
			put(t, dir, "sub", "now a file\n")
			news("x/sub")
			m.expect("now a file", "cat x/sub")
		})
	}
}

// A file that shrinks while it is read ends early; no reader meets zero bytes.
func TestFileOnDiskShrinks(t *testing.T) {
	m, dir := passedThrough(t, true)
	long := strings.Repeat("line\n", 50_000)
	put(t, dir, "file", long)
	reader := start(t, m.command(t.Context(), `exec 5<x/file; head -c 1000 <&5 >/dev/null; echo begun; read x; cat <&5 | tr -d 'a-z\n' | wc -c`))
	reader.hear("begun")
	put(t, dir, "file", "short\n")
	m.changed("x/file")
	reader.stdin.Write([]byte("\n"))
	fstest.Equal(t, reader.line(), "0", "bytes that were never in the file")
	reader.end()
	m.expect("short", "cat x/file")

	// The same without news, while the kernel still believes the old size.
	put(t, dir, "file2", long)
	m.changed("x")
	m.expect("250000", "wc -c <x/file2")
	put(t, dir, "file2", "short\n")
	m.expect("short", "cat x/file2")
	m.changed("x/file2")
	m.expect("short", "cat x/file2")
	m.expect("6", "stat -c %s x/file2")
}

func TestSameSizeEditsOnDiskAreSeen(t *testing.T) {
	m, dir := passedThrough(t, true)
	put(t, dir, "file", "0000\n")
	m.changed("x")
	for i := range 50 {
		body := strings.Repeat(string(rune('a'+i%26)), 4)
		put(t, dir, "file", body+"\n")
		m.changed("x/file")
		m.expect(body, "cat x/file")
	}
}

// A folder whose watch is lost is asked each time from then on.
func TestWatchIsLost(t *testing.T) {
	var lost atomic.Bool
	dir := t.TempDir()
	d, err := fs.NewDiskDir(dir, fs.DiskOptions{Watched: func(string) bool { return !lost.Load() }})
	fstest.Must(t, err)
	m := mounted(t, fs.NewFolder(epoch, map[string]fs.Node{"x": d}), fs.TreeOptions{})
	put(t, dir, "file", "one\n")
	put(t, dir, "removed", "removed\n")
	m.expect("one\nremoved\nNo", "cat x/*; [ -e x/new ] || echo No")
	lost.Store(true)
	m.changed("x")
	put(t, dir, "file", "two two\n")
	put(t, dir, "new", "new\n")
	fstest.Must(t, os.Remove(filepath.Join(dir, "removed")))
	m.expect("8", "stat -c %s x/file")
	m.expect("No", "[ -e x/removed ] || echo No")
	m.expect("two two\nnew", "cat x/file x/new")
	m.expect("file new", "echo $(ls x)")
}
