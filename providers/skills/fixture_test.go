package skills

import (
	"context"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/agents"
	"ctxfs/providers/internal/host"
)

type fixture struct {
	*Provider
	t       *testing.T
	home    string
	tree    *fs.Tree
	changes chan string
}

// home makes a home folder with these files, by path; a body "-> x" makes a
// link, a path that ends in "/" a folder.
func home(t *testing.T, files map[string]string) string {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	for _, path := range sortedKeys(files) {
		put(t, filepath.Join(home, path), files[path], strings.HasSuffix(path, "/"))
	}
	return home
}

func put(t *testing.T, path, body string, folder bool) {
	t.Helper()
	if folder {
		must(t, os.MkdirAll(path, 0o755))
		return
	}
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	if target, ok := strings.CutPrefix(body, "-> "); ok {
		must(t, os.Symlink(target, path))
		return
	}
	must(t, os.WriteFile(path, []byte(body), 0o644))
}

func sortedKeys(m map[string]string) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func must(t testing.TB, err error) {
	t.Helper()
	fstest.Must(t, err)
}

func start(t *testing.T, home string, change ...func(*Options)) *fixture {
	t.Helper()
	f := &fixture{t: t, home: home, changes: make(chan string, 100_000)}
	opts := Options{Host: host.Host{
		Env: fs.Env{
			Changed: func(path string) { f.changes <- path },
			Log:     slog.New(slog.NewTextHandler(io.Discard, nil)),
			Now:     func() time.Time { return time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC) },
			Built:   built,
		},
		Machine: agents.Machine{Home: home, LookupEnv: func(string) (string, bool) { return "", false }},
		Watch:   true,
	}}
	for _, c := range change {
		c(&opts)
	}
	f.Provider = New(opts)
	for len(f.changes) > 0 {
		<-f.changes // what there is from the beginning
	}
	t.Cleanup(func() { must(t, f.Close()) })
	f.tree = fs.NewTree(f.Root(), fs.TreeOptions{Deadline: fstest.Patience})
	return f
}

func offline(opts *Options) { opts.Watch = false }

// expect checks that a path is reported as changed, once all is shown.
func (f *fixture) expect(path string) {
	f.t.Helper()
	fstest.Settled(f.t, f)
	for {
		select {
		case got := <-f.changes:
			if got == path {
				return
			}
		default:
			f.t.Fatalf("no change of %q was told", path)
		}
	}
}

// await checks that a condition holds once all is shown.
func (f *fixture) await(what string, holds func() bool) {
	f.t.Helper()
	if fstest.Settled(f.t, f); !holds() {
		f.t.Fatalf("not so: %s; names %q\n%s", what, f.names(""), f.read("INDEX.md"))
	}
}

func (f *fixture) node(path string) fs.Node {
	f.t.Helper()
	n, err := f.tree.Resolve(context.Background(), path)
	must(f.t, err)
	return n
}

func (f *fixture) attr(path string) fs.Attr {
	f.t.Helper()
	a, err := f.tree.Stat(context.Background(), f.node(path))
	must(f.t, err)
	return a
}

func (f *fixture) names(path string) []string {
	f.t.Helper()
	names := fstest.Names(f.t, f.tree, path)
	if path != "" {
		return names
	}
	return slices.DeleteFunc(names, func(name string) bool { // which are always there
		return slices.Contains([]string{ignoreName, recordName, needsName, securityName}, name)
	})
}

func (f *fixture) read(path string) string { f.t.Helper(); return fstest.Read(f.t, f.tree, path) }

func (f *fixture) wantNames(path string, want ...string) {
	f.t.Helper()
	slices.Sort(want)
	fstest.EqualSlices(f.t, f.names(path), want, "holds", path)
}

func (f *fixture) wantIndex(lines ...string) {
	f.t.Helper()
	index := f.read("INDEX.md")
	for _, line := range lines {
		if !slices.Contains(strings.Split(marks.ReplaceAllString(index, ""), "\n"), line) {
			f.t.Errorf("INDEX.md lacks the line %q:\n%s", line, index)
		}
	}
}

// marks are what was learned of a skill, at the end of its line in INDEX.md.
var marks = regexp.MustCompile(`(?m) \[\d+ \+ \d+ \+ ~?\d+[^\]]*\]$`)

func md(name, description string) string {
	return "---\nname: " + name + "\ndescription: " + description + "\n---\n\n# " + name + "\n\nDo it.\n"
}

// built is when the program of the tests was built.
var built = time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC)
