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

// seen describes the folders $1, or all: type and path of everything as its folder lists it,
// then type, size and text as found by name, but for those of a big listing.
const seen = `xs=${1:-.}; find $xs -type d -printf 'd %P\n' | sort; find $xs -type f -printf 'f %P\n' | sort
	find $xs -name 'many*' -o -print | xargs sh -c 'find "$@" -maxdepth 0 -printf "%y %s %p\n"' sh | sed 's/^d [0-9]*/d/' | sort
	find $xs -name 'many*' -o -type f -print | sort | xargs -r tail -qn +1`

// told returns what seen must print for a tree.
func told(t *testing.T, root fs.Dir) string {
	t.Helper()
	tree := fs.NewTree(root, fs.TreeOptions{})
	dirs, files, lines := []string{"d "}, []string(nil), []string{"d ."}
	bodies := map[string]string{}
	var walk func(d fs.Dir, at string)
	walk = func(d fs.Dir, at string) {
		entries, err := tree.List(t.Context(), d)
		fstest.Must(t, err)
		for _, e := range entries {
			n, err := tree.Lookup(t.Context(), d, e.Name)
			fstest.Must(t, err)
			path := at + e.Name
			if e.Type == iofs.ModeDir {
				dirs, lines = append(dirs, "d "+path), append(lines, "d ./"+path)
				walk(n.(fs.Dir), path+"/")
				continue
			}
			files = append(files, "f "+path)
			if strings.HasPrefix(e.Name, "many") {
				continue
			}
			body, err := tree.ReadAll(t.Context(), n.(fs.File))
			fstest.Must(t, err)
			lines = append(lines, fmt.Sprintf("f %d ./%s", len(body), path))
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

// TestNews looks at folders in several ways, changes each in another way, and looks again.
// Every pair of a look and a change has a folder of its own.
func TestNews(t *testing.T) {
	t.Parallel()
	const absent = "cat $(of new new/in folder/new) 2>/dev/null; true"
	looks := map[string]string{ // $xs: the folders; of NAME…: these names in all of them
		"unseen":     ":",
		"seen":       "cat $(of file); stat $(of folder/in) >/dev/null",
		"listed":     "ls -U $xs >/dev/null",
		"allseen":    seen,
		"absent":     absent,
		"everything": absent + ";" + seen,
		"big":        "ls -U $xs >/dev/null; cat $(of new file) 2>/dev/null; true",
	}
	const of = `of() { for x in $xs; do for name; do echo $x/$name; done; done; }; xs=$1; `
	type place = *fs.Folder
	folder := func(body string) fs.Node {
		return fs.NewFolder(epoch, map[string]fs.Node{"in": text(body)})
	}
	changes := map[string]func(c *clock, x place){
		"added":          func(c *clock, x place) { x.Set(c.now(), "new", text("new\n")) },
		"folderadded":    func(c *clock, x place) { x.Set(c.now(), "new", folder("inside\n")) },
		"removed":        func(c *clock, x place) { x.Remove(c.now(), "file") },
		"folderremoved":  func(c *clock, x place) { x.Remove(c.now(), "folder") },
		"replaced":       func(c *clock, x place) { x.Set(c.now(), "file", text("other text\n")) },
		"samesize":       func(c *clock, x place) { x.Set(c.now(), "file", text("FILE\n")) },
		"filetofolder":   func(c *clock, x place) { x.Set(c.now(), "file", folder("inside\n")) },
		"foldertofile":   func(c *clock, x place) { x.Set(c.now(), "folder", text("now a file\n")) },
		"folderreplaced": func(c *clock, x place) { x.Set(c.now(), "folder", folder("other inside\n")) },
		"addedbelow": func(c *clock, x place) {
			x.Set(c.now(), "folder", fs.NewFolder(c.now(), map[string]fs.Node{"new": text("n\n")}))
		},
		"allatonce": func(c *clock, x place) {
			x.Replace(c.now(), map[string]fs.Node{"new": folder("1\n"), "file": text("2\n")})
		},
		"addedandremoved": func(c *clock, x place) { x.Set(c.now(), "new", text("")); x.Remove(c.now(), "new") },
	}
	const live = "nobody, of live folders"
	for whom, paths := range map[string][]string{
		"by name":   {"x/new", "x/file", "x/folder"},
		"by folder": {"x"},
		"in all":    {""},
		"by leaves": {"x/new/in", "x/folder/new", "x/file/in", "x/folder/in", "x/file", "x/new"},
		live:        nil,
	} {
		t.Run(whom, func(t *testing.T) {
			places, nodes, like := map[string]place{}, map[string]fs.Node{}, map[string][]string{}
			for look := range looks {
				for change := range changes {
					if whom == live && (change == "folderreplaced" || change == "addedbelow") {
						continue // a static folder must tell, wherever it is
					}
					x := fs.NewFolder(epoch, map[string]fs.Node{"file": text("file\n"), "folder": folder("inside\n")})
					for i := range plainListing {
						if look == "big" {
							x.Set(epoch, fmt.Sprintf("many%04d", i), text(""))
						}
					}
					name := look + "-" + change
					places[name], nodes[name], like[look] = x, x, append(like[look], name)
					if whom == live {
						nodes[name] = liveFolder{x}
					}
				}
			}
			root := fs.NewFolder(epoch, nodes)
			m := mounted(t, root, fs.TreeOptions{})
			m.run("ls")
			for look, script := range looks {
				m.expect("", of+"{ "+script+"; } >/dev/null", strings.Join(like[look], " "))
			}
			for name, x := range places {
				_, change, _ := strings.Cut(name, "-")
				changes[change](new(clock), x)
				for _, path := range paths {
					m.tree.Changed(strings.Replace(path, "x", name, 1))
				}
			}
			settle(t, m)
			want := told(t, root)
			if got, _ := m.run(seen); got != want {
				t.Errorf("\n got: %q\nwant: %q", difference(got, want), difference(want, got))
			}
		})
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
	for i := range rounds {
		if i%4 == 0 {
			settle(t, m)
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
