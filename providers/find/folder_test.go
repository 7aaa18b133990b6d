package find

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/facts"
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
		Search: func(_ context.Context, query string, opts Options) ([]facts.Match, error) {
			return x.Search(query, opts), nil
		},
		Resolve: tree.Resolve, Folders: []string{"mcps", "skills"},
		Modified: func() time.Time { return testTime }, Now: func() time.Time { return testTime }, Reported: func() uint64 { return 0 },
	}))
	return tree
}

func TestFolder(t *testing.T) {
	tree := foundTree(t)
	fstest.Check(t, tree, fstest.Expect("find/README.md", "find/create issue/01-github-create_issue.json", "find/skills/fill forms/01-pdf-forms.md"))
	read := func(path string) string {
		t.Helper()
		n, err := tree.Resolve(t.Context(), path)
		fstest.Must(t, err)
		body, err := tree.ReadAll(t.Context(), n.(fs.File))
		fstest.Must(t, err)
		return string(body)
	}
	fstest.Equal(t, read("find/create issue/01-github-create_issue.json"), "mcps/github/tools/create_issue.json", "another file")
	if got := read("find/create issue/00-LIST.md"); !strings.HasPrefix(got, "mcps/github/tools/create_issue.json — ") {
		t.Errorf("the list: %s", got)
	}
	fstest.Contains(t, read("find/README.md"), "find/mcps/")
	for dir, want := range map[string][]string{
		"find":      {"README.md"},
		"find/mcps": {"README.md"},
		"find/repo": nil,
		// Below a folder of the tree alone.
		"find/mcps/github/create issue": {"00-LIST.md", "01-github-create_issue.json", "02-github-list_issues.json"},
		"find/skills/pdf":               nil,
		"find/a file":                   nil,
	} {
		n, err := tree.Resolve(t.Context(), dir)
		fstest.Must(t, err)
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

// TestAliases: whatever the kernel could keep of a node whose changes are announced
// elsewhere, it has to ask for below find/.
func TestAliases(t *testing.T) {
	text := fs.NewText(testTime, []byte("x"))
	folder := fs.NewFolder(testTime, map[string]fs.Node{
		"text": text, "overwritten": withAttr{text, func(a *fs.Attr) { a.InPlace = true }}, "growing": withAttr{text, func(a *fs.Attr) { a.Live = true }},
		"resting": withAttr{text, func(*fs.Attr) {}}, "made": fs.NewRendered(testTime, 1, func(context.Context) ([]byte, error) { return []byte("made"), nil }),
		"sub": fs.NewFolder(testTime, map[string]fs.Node{"file": withAttr{text, func(a *fs.Attr) { a.InPlace = true }}}),
	})
	root := fs.NewFolder(testTime, map[string]fs.Node{"skills": fs.NewFolder(testTime, map[string]fs.Node{"pdf": folder})})
	tree := fs.NewTree(root, fs.TreeOptions{})
	searched := 0
	clock := testTime
	root.Set(testTime, "find", newQueryFolder(testTime, folderOptions{
		Search: func(context.Context, string, Options) ([]facts.Match, error) {
			searched++
			found := facts.Match{Path: "skills/pdf/SKILL.md", Whole: "skills/pdf", Title: "pdf", Score: 1}
			return []facts.Match{found, found}, nil
		},
		Resolve: tree.Resolve, Modified: func() time.Time { return testTime },
		Now: func() time.Time { return clock }, Reported: func() uint64 { return 0 },
	}))
	attr := func(path string) fs.Attr {
		t.Helper()
		n, err := tree.Resolve(t.Context(), "find/fill a form/"+path)
		fstest.Must(t, err)
		a, err := tree.Stat(t.Context(), n)
		if err != nil || a.InPlace {
			t.Errorf("%s: %+v, %v", path, a, err)
		}
		return a
	}
	for path, live := range map[string]bool{
		"": true, "01-pdf": true, "01-pdf/sub": true, "01-pdf/sub/file": true, "01-pdf/overwritten": true, "01-pdf/growing": true,
		"01-pdf/resting": true, "01-pdf/text": false, "00-LIST.md": false,
	} {
		if a := attr(path); a.Live != live {
			t.Errorf("%s: live %v", path, a.Live)
		}
	}
	if a := attr("01-pdf/made"); a.Size != 4 {
		t.Errorf("what is made on demand: %+v", a)
	}
	fstest.Equal(t, searched, 1, "searches for one walk")
	clock = clock.Add(recent)
	attr("01-pdf")
	fstest.Equal(t, searched, 2, "searches after a while")
	n, err := tree.Resolve(t.Context(), "find/fill a form")
	fstest.Must(t, err)
	if listed, err := tree.List(t.Context(), n.(fs.Dir)); err != nil || len(listed) != 2 {
		t.Errorf("what is found twice is listed once: %v, %v", listed, err)
	}
	fstest.Check(t, fs.NewTree(n.(fs.Dir), fs.TreeOptions{}))
}

// withAttr is a file with another Attr.
type withAttr struct {
	*fs.Text
	change func(*fs.Attr)
}

func (f withAttr) Attr(ctx context.Context) (fs.Attr, error) {
	a, err := f.Text.Attr(ctx)
	f.change(&a)
	return a, err
}

func FuzzFolderName(f *testing.F) {
	for _, name := range []string{"create issue", "\xff", "..", "mcps", "a\nb", "README.md", strings.Repeat("é", 127)} {
		f.Add(name)
	}
	tree := foundTree(f)
	n, err := tree.Resolve(context.Background(), "find")
	fstest.Must(f, err)
	f.Fuzz(func(t *testing.T, name string) {
		found, err := tree.Lookup(t.Context(), n.(fs.Dir), name)
		if err != nil {
			fstest.ErrorIs(t, err, fs.ErrNotExist, name)
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
