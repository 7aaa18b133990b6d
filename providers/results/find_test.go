package results

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

// found returns the results with some words: their tools, and the lines of Why.
func (f *fixture) found(words, in string) string {
	f.t.Helper()
	all, err := f.Search(f.t.Context(), words, in, 10)
	fstest.Must(f.t, err)
	var lines []string
	for _, one := range all.Matches {
		_, why, _ := strings.Cut(one.Why, ": ")
		lines = append(lines, one.Title+": "+why)
	}
	return strings.Join(lines, "\n")
}

// TestFind: a result is found by everything in it, however long it is, from the
// moment it exists until it is deleted, indexed or not.
func TestFind(t *testing.T) {
	dir, cache := stateDir(t), t.TempDir()
	open := func() *fixture { return start(t, dir, func(o *Options) { o.Cache = filepath.Join(cache, "made") }) }
	f := open()
	var tree strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&tree, "/usr/share/doc/package-%d/copyright\n", i)
		if i == 12_000 {
			tree.WriteString("/usr/share/doc/zebra-crossing/copyright\n")
		}
	}
	save := func(server, tool, ext, text string) Saved {
		t.Helper()
		saved, err := f.Store().Save(Origin{Source: "call", Server: server, Tool: tool}, ext, []byte(text))
		fstest.Must(t, err)
		return saved
	}
	check := func(words, in, want string) {
		t.Helper()
		fstest.Equal(t, f.found(words, in), want, "finds", words, in)
	}
	long := save("files", "directory_tree", "", tree.String())
	save("zoo", "list_animals", "", `[{"name":"lion"},{"name":"okapi","eats":"leaves of acacia"}]`)
	save("zoo", "picture", "png", "okapi")
	for _, state := range []string{"new", "indexed", "started again"} {
		switch state {
		case "indexed":
			f.Start()
			fstest.Settles(t, f.fulltext, "all is indexed", func() bool { return f.fulltext.Left() == 0 })
		case "started again":
			f = open()
		}
		check("zebra crossing", "", "files/directory_tree: /usr/share/doc/zebra-crossing/copyright")
		check("zerba", "", "files/directory_tree: /usr/share/doc/zebra-crossing/copyright")
		check("acacia", "", `zoo/list_animals: "eats": "leaves of acacia"`)
		check("okapi", "", `zoo/list_animals: "name": "okapi",`)
		check("list animals", "", "zoo/list_animals: [")
		check("zebra", long.Name, "files/directory_tree: /usr/share/doc/zebra-crossing/copyright")
		check("okapi", long.Name, "")
		check("hippopotamus", "", "")
	}
}
