package projectwalk_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/projectwalk"
)

// write writes files below a root; a path that ends with a slash is a folder.
func write(t *testing.T, root string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(root, name)
		fstest.Must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		if strings.HasSuffix(name, "/") {
			fstest.Must(t, os.MkdirAll(path, 0o755))
		} else if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// visits walks a project for entries named KEPT, and returns the folders visited, relative
// to it, each with what it is visited for.
func visits(root string, old *projectwalk.Tree, change func(*projectwalk.Options)) ([]string, *projectwalk.Tree) {
	var all []string
	o := projectwalk.Options{
		Sought: "things",
		Keep:   func(_, name string) bool { return name == "KEPT" },
		Hide:   func(dir string) bool { return filepath.Base(dir) == "ours" },
		Full:   func() string { return "" },
		Stop:   func() bool { return false },
		Now:    time.Now,
	}
	change(&o)
	tree := projectwalk.Walk(root, old, o, func(dir string, kept []string, err error) {
		rel, _ := filepath.Rel(root, dir)
		if err != nil {
			kept = []string{err.Error()}
		}
		all = append(all, strings.Join(append([]string{rel}, kept...), " "))
	})
	return all, tree
}

func asIs(*projectwalk.Options) {}

func TestWalkLeavesOut(t *testing.T) {
	root := t.TempDir()
	write(t, root, map[string]string{
		".git/HEAD": "", ".gitignore": "built/\n", "KEPT": "",
		"a/KEPT": "", "a/.gitignore": "/no/\n", "a/no/KEPT": "", "a/b/c/KEPT": "", "z/": "",
		"built/KEPT": "", ".hidden/KEPT": "", "node_modules/KEPT": "", "ours/KEPT": "",
		"other/.git": "gitdir: elsewhere", "other/KEPT": "",
		"bare/HEAD": "", "bare/objects/": "", "bare/refs/": "",
	})
	fstest.Must(t, os.Symlink("a", filepath.Join(root, "link")))
	got, tree := visits(root, nil, func(o *projectwalk.Options) { o.SkipBare = true })
	if want := []string{". KEPT", "a KEPT", "z", "a/b", "a/b/c KEPT"}; !slices.Equal(got, want) {
		t.Errorf("visited %q, want %q", got, want)
	}
	if want := []string{filepath.Join(root, "bare"), filepath.Join(root, "other")}; !slices.Equal(tree.Repositories, want) {
		t.Errorf("other repositories: %q, want %q", tree.Repositories, want)
	}
	if tree.Folders != 5 || tree.Stopped != "" {
		t.Errorf("walked %d folders, stopped: %q", tree.Folders, tree.Stopped)
	}
	if got, _ := visits(root, nil, asIs); !slices.Contains(got, "bare/objects") {
		t.Errorf("a bare repository is left out without being asked to: %q", got)
	}
}

func TestWalkUnreadable(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may read everything")
	}
	root := t.TempDir()
	write(t, root, map[string]string{"a/b/": ""})
	fstest.Must(t, os.Chmod(filepath.Join(root, "a"), 0))
	t.Cleanup(func() { os.Chmod(filepath.Join(root, "a"), 0o755) })
	got, _ := visits(root, nil, asIs)
	if want := []string{".", "a open " + filepath.Join(root, "a") + ": " + fs.ErrPermission.Error()}; !slices.Equal(got, want) {
		t.Errorf("visited %q, want %q", got, want)
	}
}

// TestWalkAgain checks that a folder is read again once it has changed, and not before,
// unless it was looked at so soon after a change that another may not show.
func TestWalkAgain(t *testing.T) {
	root := t.TempDir()
	write(t, root, map[string]string{"settled/KEPT": "", "fresh/KEPT": ""})
	changed := time.Now().Add(-time.Hour)
	date := func(name string, at time.Time) {
		fstest.Must(t, os.Chtimes(filepath.Join(root, name), at, at))
	}
	date("settled", changed)
	date("fresh", changed.Add(time.Hour))
	date(".", changed)
	var asked []string
	looks := func(o *projectwalk.Options) {
		o.Now = func() time.Time { return changed.Add(time.Hour + time.Second) }
		o.Keep = func(dir, name string) bool {
			asked = append(asked, filepath.Base(dir)+"/"+name)
			return name == "KEPT"
		}
	}
	want := []string{".", "fresh KEPT", "settled KEPT"}
	_, tree := visits(root, nil, looks)
	asked = nil
	got, tree := visits(root, tree, looks)
	if !slices.Equal(got, want) || !slices.Equal(asked, []string{"fresh/KEPT"}) {
		t.Errorf("again: visited %q, read %q", got, asked)
	}
	date("settled", changed.Add(time.Minute))
	asked = nil
	if got, _ = visits(root, tree, looks); !slices.Equal(got, want) || !slices.Contains(asked, "settled/KEPT") {
		t.Errorf("after a change: visited %q, read %q", got, asked)
	}
}

func TestWalkStops(t *testing.T) {
	root := t.TempDir()
	write(t, root, map[string]string{"a/": "", "b/": ""})
	at := filepath.Join(root, "a")
	late, calls := time.Now(), 0
	for want, change := range map[string]func(*projectwalk.Options){
		"it has plenty; those below " + at + " may be missing": func(o *projectwalk.Options) {
			o.Full = func() string {
				if calls++; calls == 1 {
					return ""
				}
				return "it has plenty"
			}
		},
		"walking it took too long; things below " + at + " may be missing": func(o *projectwalk.Options) {
			o.Stop = func() bool { calls++; return calls > 1 }
		},
		"walking it took too long; things below " + root + " may be missing": func(o *projectwalk.Options) {
			o.Now = func() time.Time { late = late.Add(time.Minute); return late }
		},
	} {
		calls = 0
		if _, tree := visits(root, nil, change); tree.Stopped != want {
			t.Errorf("stopped: %q, want %q", tree.Stopped, want)
		}
	}
}
