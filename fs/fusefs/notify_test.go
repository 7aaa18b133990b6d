package fusefs

import (
	"context"
	"fmt"
	iofs "io/fs"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
)

// liveFolder is a folder that changes without notice.
type liveFolder struct{ *fs.Folder }

func (f liveFolder) Attr(ctx context.Context) (fs.Attr, error) {
	a, err := f.Folder.Attr(ctx)
	a.Live = true
	return a, err
}

// clock returns times that never stand still.
type clock struct{ ticks atomic.Int64 }

func (c *clock) now() time.Time { return epoch.Add(time.Duration(c.ticks.Add(1)) * time.Second) }

// seen describes a tree as it looks: type and path of everything as its folder
// lists it, then type, size and text as found by name.
const seen = `find . -type d -printf 'd %P\n' | sort; find . -type f -printf 'f %P\n' | sort
	find . -printf '%y %s %P\n' | sed 's/^d [0-9]*/d/' | sort; find . -type f | sort | xargs -r tail -qn +1`

// told returns what seen must print for a tree.
func told(t *testing.T, root fs.Dir) string {
	t.Helper()
	tree := fs.NewTree(root, fs.TreeOptions{})
	dirs, files, lines := []string{"d "}, []string(nil), []string{"d "}
	bodies := map[string]string{}
	var walk func(d fs.Dir, at string)
	walk = func(d fs.Dir, at string) {
		entries, err := tree.List(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			n, err := tree.Lookup(t.Context(), d, e.Name)
			if err != nil {
				t.Fatal(err)
			}
			path := at + e.Name
			if e.Type == iofs.ModeDir {
				dirs, lines = append(dirs, "d "+path), append(lines, "d "+path)
				walk(n.(fs.Dir), path+"/")
				continue
			}
			body, err := tree.ReadAll(t.Context(), n.(fs.File))
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, "f "+path)
			lines = append(lines, fmt.Sprintf("f %d %s", len(body), path))
			bodies["./"+path] = string(body)
		}
	}
	walk(root, "")
	all := slices.Concat(slices.Sorted(slices.Values(dirs)), slices.Sorted(slices.Values(files)), slices.Sorted(slices.Values(lines)))
	out := strings.Join(all, "\n") + "\n"
	for _, path := range slices.Sorted(maps.Keys(bodies)) {
		out += bodies[path]
	}
	return out
}

// TestNews looks at a folder in one of several ways, changes it, and looks again.
func TestNews(t *testing.T) {
	before := map[string]string{
		"unseen":      ":",
		"seen":        "cat x/file; stat x/folder/in >/dev/null",
		"listed":      "ls -U x >/dev/null",
		"all seen":    seen,
		"absent":      "cat x/new x/new/in x/folder/new 2>/dev/null; true",
		"everything":  "cat x/new x/new/in x/folder/new 2>/dev/null;" + seen,
		"big listing": "ls -U x >/dev/null; cat x/new x/file 2>/dev/null; true",
	}
	type place = *fs.Folder
	folder := func(body string) fs.Node {
		return fs.NewFolder(epoch, map[string]fs.Node{"in": text(body)})
	}
	changes := map[string]func(c *clock, x place){
		"added":           func(c *clock, x place) { x.Set(c.now(), "new", text("new\n")) },
		"folder added":    func(c *clock, x place) { x.Set(c.now(), "new", folder("inside\n")) },
		"removed":         func(c *clock, x place) { x.Remove(c.now(), "file") },
		"folder removed":  func(c *clock, x place) { x.Remove(c.now(), "folder") },
		"replaced":        func(c *clock, x place) { x.Set(c.now(), "file", text("other text\n")) },
		"same size":       func(c *clock, x place) { x.Set(c.now(), "file", text("FILE\n")) },
		"file to folder":  func(c *clock, x place) { x.Set(c.now(), "file", folder("inside\n")) },
		"folder to file":  func(c *clock, x place) { x.Set(c.now(), "folder", text("now a file\n")) },
		"folder replaced": func(c *clock, x place) { x.Set(c.now(), "folder", folder("other inside\n")) },
		"added below": func(c *clock, x place) {
			x.Set(c.now(), "folder", fs.NewFolder(c.now(), map[string]fs.Node{"new": text("n\n")}))
		},
		"all at once": func(c *clock, x place) {
			x.Replace(c.now(), map[string]fs.Node{"new": folder("1\n"), "file": text("2\n")})
		},
		"added and removed": func(c *clock, x place) { x.Set(c.now(), "new", text("")); x.Remove(c.now(), "new") },
	}
	names := map[string][]string{
		"by name":   {"x/new", "x/file", "x/folder"},
		"by folder": {"x"},
		"in all":    {""},
		"by leaves": {"x/new/in", "x/folder/new", "x/file/in", "x/folder/in", "x/file", "x/new"},
	}
	root := fs.NewFolder(epoch, nil)
	m := mounted(t, root, fs.TreeOptions{})
	m.expect("", "ls")
	for _, live := range []bool{false, true} {
		for how, look := range before {
			for what, change := range changes {
				for whom, paths := range names {
					if live && (whom != "by name" || what == "folder replaced" || what == "added below") {
						continue // a static folder must tell, wherever it is
					}
					c := new(clock)
					x := fs.NewFolder(epoch, map[string]fs.Node{"file": text("file\n"), "folder": folder("inside\n")})
					if how == "big listing" {
						for i := range plainListing {
							x.Set(epoch, fmt.Sprintf("many%04d", i), text(""))
						}
					}
					if live {
						root.Replace(c.now(), map[string]fs.Node{"x": liveFolder{x}})
					} else {
						root.Replace(c.now(), map[string]fs.Node{"x": x})
					}
					m.changed("")
					m.run(look)
					change(c, x)
					for _, path := range paths {
						if !live {
							m.tree.Changed(path)
						}
					}
					settle(t, m)
					if got, _ := m.run(seen); got != told(t, root) {
						t.Errorf("%s, %s, told %s, live %v\n got: %q\nwant: %q", how, what, whom, live, difference(got, told(t, root)), difference(told(t, root), got))
					}
				}
			}
		}
	}
}

func shorten(s string) string {
	if len(s) > 600 {
		return s[:600] + "…"
	}
	return s
}

func TestLiveFolderIsListedAnewWithoutNews(t *testing.T) {
	x := fs.NewFolder(epoch, map[string]fs.Node{"a": text("a\n")})
	m := mounted(t, fs.NewFolder(epoch, map[string]fs.Node{"x": liveFolder{x}}), fs.TreeOptions{})
	names := start(t, helper(t, "names", filepath.Join(m.dir, "x")))
	want := "a"
	for i := range 5 {
		fmt.Fprintln(names.stdin)
		fstest.Equal(t, names.line(), want, "listing", i)
		settle(t, m) // what the listing itself has caused
		name := fmt.Sprintf("b%d", i)
		x.Set(epoch.Add(time.Duration(i+1)*time.Second), name, text(name))
		want += " " + name
	}
	names.end()

	m.expect("a", "cat x/a")
	x.Set(epoch.Add(time.Minute), "a", text("b\n"))
	m.expect("b", "cat x/a")
	x.Remove(epoch.Add(time.Hour), "a")
	m.expect("1", "cat x/a 2>/dev/null; echo $?")
	x.Set(epoch.Add(time.Hour), "a", fs.NewFolder(epoch, nil))
	m.expect("directory", "stat -c %F x/a")
}

// TestNewsRacesWithReaders changes a tree at random while it is read in every
// way; when all is quiet the mount shows the tree.
func TestNewsRacesWithReaders(t *testing.T) {
	root := fs.NewFolder(epoch, nil)
	m := mounted(t, root, fs.TreeOptions{})
	var readers []*child
	for _, script := range []string{
		"ls -lR .", "ls -U . sub", "cat a b c sub/a sub/b", "find . -type f", "stat a b c sub sub/a", "rg -uu . .", "find . -size +1",
	} {
		readers = append(readers, start(t, m.command(t.Context(), "while ! read -t 0; do "+script+" >/dev/null 2>&1; done; true")))
	}
	rounds := 1500
	if testing.Short() {
		rounds = 300
	}
	names := []string{"a", "b", "c", "sub"}
	c := new(clock)
	random := rand.New(rand.NewPCG(1, 2))
	var sub *fs.Folder
	node := func(i int) fs.Node {
		if random.IntN(4) == 0 {
			sub = fs.NewFolder(c.now(), map[string]fs.Node{"a": text(fmt.Sprintf("%d in a folder\n", i))})
			return sub
		}
		return text(strings.Repeat(fmt.Sprintf("%d\n", i), 1+random.IntN(3)))
	}
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for i := range rounds {
		if i%4 == 0 {
			<-tick.C
		}
		name := names[random.IntN(len(names))]
		switch random.IntN(5) {
		case 0:
			root.Remove(c.now(), name)
			m.tree.Changed(name)
		case 1:
			if sub != nil {
				sub.Set(c.now(), "b", text(fmt.Sprint(i, "\n")))
				for _, n := range names {
					m.tree.Changed(n + "/b")
				}
			}
		default:
			root.Set(c.now(), name, node(i))
			m.tree.Changed(name)
		}
	}
	for _, r := range readers {
		r.end()
	}
	settle(t, m)
	if got, _ := m.run(seen); got != told(t, root) {
		t.Errorf("the mount shows\n%s\nthe tree is\n%s", got, told(t, root))
	}
}
