package fusefs

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
)

func TestSearchesAreReadAhead(t *testing.T) {
	root := fs.NewFolder(epoch, nil)
	for i := range 40 {
		files := make(map[string]fs.Node)
		for j := range 50 {
			files[fmt.Sprintf("%02d", j)] = text(fmt.Sprintf("needle %d %d\n", i, j))
		}
		root.Set(epoch, fmt.Sprintf("d%02d", i), fs.NewFolder(epoch, files))
	}
	m := mounted(t, root, fs.TreeOptions{})
	m.expect("2000", "grep -rh needle . | sort -u | wc -l")
	if n := m.Requests()["READ"]; n >= 2000 {
		t.Errorf("%d reads: no file was read ahead", n)
	}
	m.expect("2000", "grep -rh needle . | sort -u | wc -l")
}

func TestListingReadsNothingAhead(t *testing.T) {
	root := fs.NewFolder(epoch, nil)
	for i := range 20 {
		root.Set(epoch, fmt.Sprintf("d%02d", i), fs.NewFolder(epoch, map[string]fs.Node{"a": text("a"), "b": text("b")}))
	}
	m := mounted(t, root, fs.TreeOptions{})
	m.expect("40", "find . -type f | wc -l")
	m.expect("a", "cat d03/a")
	if c := m.tree.Counters(); c.Reads != 1 {
		t.Errorf("%d reads of the tree", c.Reads)
	}
}

// Files on disk change while they are searched, on cold mounts, so that what is
// read ahead may be old by the time it arrives.
func TestReadAheadIsNeverStale(t *testing.T) {
	dir := t.TempDir()
	const folders, files = 12, 20
	old := time.Now().Add(-time.Hour)
	place := func(i, j int) string { return filepath.Join(fmt.Sprintf("d%02d", i), fmt.Sprintf("f%02d", j)) }
	write := func(path string, version int) {
		full := filepath.Join(dir, path)
		if err := os.WriteFile(full, fmt.Appendf(nil, "%s %08d\n", path, version), 0o644); err != nil {
			t.Error(err)
		}
		if err := os.Chtimes(full, old, old); err != nil { // of the same size and time, it differs by its ctime
			t.Error(err)
		}
	}
	for i := range folders {
		fstest.Must(t, os.Mkdir(filepath.Join(dir, fmt.Sprintf("d%02d", i)), 0o755))
		for j := range files {
			write(place(i, j), 0)
		}
	}
	for round := range fstest.Rounds(12) {
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			d, err := fs.NewDiskDir(dir, fs.DiskOptions{Watched: func(string) bool { return true }})
			fstest.Must(t, err)
			m := mounted(t, d, fs.TreeOptions{})
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			search := m.command(ctx, "for i in 1 2 3; do grep -rc f . >/dev/null; done")
			fstest.Must(t, search.Start())
			random := rand.New(rand.NewPCG(1, uint64(round)))
			for version := range 300 {
				path := place(random.IntN(folders), random.IntN(files))
				write(path, 1+version+round*1000)
				m.tree.Changed(path)
			}
			fstest.Must(t, search.Wait())
			settle(t, m)
			shown, _ := m.run("cat d*/f*")
			var want strings.Builder
			for i := range folders {
				for j := range files {
					body, err := os.ReadFile(filepath.Join(dir, place(i, j)))
					fstest.Must(t, err)
					want.Write(body)
				}
			}
			fstest.Equal(t, shown, want.String(), "the mount shows other bytes than the disk holds")
		})
	}
}
