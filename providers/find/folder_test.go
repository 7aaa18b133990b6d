package find

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
)

var testTime = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// foundTree is a tree of someTools with a find/ in it.
func foundTree(t testing.TB) *fs.Tree {
	t.Helper()
	x := someIndex()
	root := fs.NewFolder(testTime, nil)
	tree := fs.NewTree(root, fs.TreeOptions{})
	for _, d := range someTools() {
		dir := root
		parts := strings.Split(d.Path, "/")
		for _, p := range parts[:len(parts)-1] {
			n, err := dir.Lookup(t.Context(), p)
			if err != nil {
				n = fs.NewFolder(testTime, nil)
				dir.Set(testTime, p, n)
			}
			dir = n.(*fs.Folder)
		}
		dir.Set(testTime, parts[len(parts)-1], fs.NewText(testTime, []byte(d.Path)))
	}
	root.Set(testTime, "find", newQueryFolder(testTime, folderOptions{
		Search: func(_ context.Context, query string, opts Options) ([]fs.Match, error) {
			return x.Search(query, opts), nil
		},
		Resolve: tree.Resolve, Folders: []string{"mcps", "skills"},
		Modified: func() time.Time { return testTime },
	}))
	return tree
}

func TestFolder(t *testing.T) {
	tree := foundTree(t)
	fstest.Check(t, tree, fstest.Expect("find/README.md", "find/create issue/01-github-create_issue.json", "find/skills/fill forms/01-pdf-forms.md"))
	read := func(path string) string {
		t.Helper()
		n, err := tree.Resolve(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := tree.ReadAll(t.Context(), n.(fs.File))
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	if got := read("find/create issue/01-github-create_issue.json"); got != "mcps/github/tools/create_issue.json" {
		t.Errorf("it is another file: %s", got)
	}
	if got := read("find/README.md"); !strings.Contains(got, "find/mcps/") {
		t.Errorf("the explanation: %s", got)
	}
	for dir, want := range map[string][]string{
		"find":      {"README.md"},
		"find/mcps": {"README.md"},
		"find/repo": nil,
		// Below a folder of the tree alone.
		"find/mcps/github/create issue": {"01-github-create_issue.json", "02-github-list_issues.json"},
		"find/skills/pdf":               nil,
		"find/a file":                   nil,
	} {
		n, err := tree.Resolve(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		entries, err := tree.List(t.Context(), n.(fs.Dir))
		if err != nil || len(entries) == 0 || want != nil && (len(entries) != len(want) || entries[0].Name != want[0]) {
			t.Errorf("%s: %v, %v", dir, entries, err)
		}
		fstest.Check(t, fs.NewTree(n.(fs.Dir), fs.TreeOptions{}))
	}
}

func TestFolderHasNotWhatIsNotFound(t *testing.T) {
	tree := foundTree(t)
	for _, path := range []string{
		"find/.git", "find/.gitignore", "find/mcps/.git", "find/package.json", "find/zzzzqqqq", "find/_", "find/skills/take a screenshot",
		"find/mcps/github/take a screenshot", "find/skills/pdf/take a screenshot", "find/github/create issue", "find/repo/mcps", "find/repo/01-nothing.json", "find/mcps/skills", "find/mcps/" + strings.Repeat("x", 255),
	} {
		if _, err := tree.Resolve(t.Context(), path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestFoundFilesThatAreOverwritten are files of their own for each version: nothing
// notifies the kernel of their changes.
func TestFoundFilesThatAreOverwritten(t *testing.T) {
	f := overwritten{fs.NewText(testTime, []byte("x"))}
	r := results{opts: folderOptions{Resolve: func(context.Context, string) (fs.Node, error) { return f, nil }}}
	r.add("01-x.md", "x")
	n, err := r.Lookup(t.Context(), "01-x.md")
	if err != nil {
		t.Fatal(err)
	}
	if a, err := n.Attr(t.Context()); err != nil || a.InPlace || a.Size != 1 {
		t.Errorf("%+v, %v", a, err)
	}
}

type overwritten struct{ fs.File }

func (f overwritten) Attr(ctx context.Context) (fs.Attr, error) {
	a, err := f.File.Attr(ctx)
	a.InPlace = true
	return a, err
}

func FuzzFolderName(f *testing.F) {
	for _, name := range []string{"create issue", "\xff", "..", "mcps", "a\nb", "README.md", strings.Repeat("é", 127)} {
		f.Add(name)
	}
	tree := foundTree(f)
	n, err := tree.Resolve(context.Background(), "find")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, name string) {
		found, err := tree.Lookup(t.Context(), n.(fs.Dir), name)
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%q: %v", name, err)
			}
			return
		}
		dir, ok := found.(fs.Dir)
		if !ok {
			return
		}
		entries, err := tree.List(t.Context(), dir)
		if err != nil || len(entries) == 0 || !slices.IsSortedFunc(entries, func(a, b fs.Entry) int { return strings.Compare(a.Name, b.Name) }) {
			t.Errorf("%q: %v, %v", name, entries, err)
		}
		for _, e := range entries {
			if _, err := tree.Lookup(t.Context(), dir, e.Name); err != nil {
				t.Errorf("%q: %s: %v", name, e.Name, err)
			}
		}
	})
}
