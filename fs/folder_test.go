package fs_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
)

var day = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// listed returns the names in a folder, as they are listed.
func listed(t *testing.T, d fs.Dir) (names []string) {
	t.Helper()
	entries, err := d.List(t.Context())
	fstest.Must(t, err)
	for _, e := range entries {
		names = append(names, e.Name)
	}
	return names
}

func TestFolderListsSharedly(t *testing.T) {
	var f fs.Folder // the zero value is ready
	if entries, err := f.List(t.Context()); len(entries) != 0 || entries == nil || err != nil {
		t.Errorf("empty: %v, %v", entries, err)
	}
	f.Set(day, "b", textOf("b"))
	f.Set(day, "a", fs.NewFolder(day, nil))
	first, _ := f.List(t.Context())
	second, _ := f.List(t.Context())
	fstest.Equal(t, &first[0], &second[0], "an unchanged folder was listed anew")
	if !slices.Equal(listed(t, &f), []string{"a", "b"}) || !first[0].Type.IsDir() || first[1].Type != 0 {
		t.Errorf("%v", first)
	}
	before, _ := f.Attr(t.Context())
	f.Remove(day.Add(time.Second), "a")
	after, _ := f.Attr(t.Context())
	if before.Version == after.Version || !after.ModTime.After(before.ModTime) {
		t.Errorf("%+v, then %+v", before, after)
	}
	if len(first) != 2 || first[0].Name != "a" {
		t.Error("a listing that somebody holds was written to")
	}
	if _, err := f.Lookup(t.Context(), "a"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	f.Remove(day.Add(time.Hour), "nothing")
	if again, _ := f.Attr(t.Context()); again != after {
		t.Error("removing nothing changed the folder")
	}
}

func TestFolderKeepsItsOwnMap(t *testing.T) {
	nodes := map[string]fs.Node{"a": textOf("a")}
	f := fs.NewFolder(day, nodes)
	nodes["b"] = textOf("b")
	f.Replace(day, nodes)
	delete(nodes, "a")
	fstest.EqualSlices(t, listed(t, f), []string{"a", "b"})
}

func TestFolderReplaceIsOneStep(t *testing.T) {
	const files = 50
	nodes := func(prefix string) map[string]fs.Node {
		m := make(map[string]fs.Node)
		for i := range files {
			m[fmt.Sprint(prefix, i)] = textOf("x")
		}
		return m
	}
	f := fs.NewFolder(day, nodes("a"))
	var all sync.WaitGroup
	done := make(chan struct{})
	for range 4 {
		all.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				entries, err := f.List(t.Context())
				if err != nil || len(entries) != files || entries[0].Name[0] != entries[files-1].Name[0] {
					t.Errorf("half of two listings: %v, %v", entries, err)
					return
				}
			}
		})
	}
	for i := range 500 {
		f.Replace(day, nodes(string(rune('a'+i%2))))
	}
	close(done)
	all.Wait()
}

func TestFolderOfManyNames(t *testing.T) {
	const files = 100_000
	m := make(map[string]fs.Node, files)
	node := textOf("x")
	for i := range files {
		m[fmt.Sprintf("%06d", i)] = node
	}
	entries, err := fs.NewFolder(day, m).List(t.Context())
	if err != nil || len(entries) != files {
		t.Fatalf("%d, %v", len(entries), err)
	}
	for i, e := range entries {
		if e.Name != fmt.Sprintf("%06d", i) {
			t.Fatalf("%d: %s", i, e.Name)
		}
	}
}
