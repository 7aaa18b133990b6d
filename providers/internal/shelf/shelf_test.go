package shelf

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/watch"
)

var born = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// owner is the owner of a shelf, and what it was told.
type owner struct {
	*Shelf
	tree *fs.Tree

	mu   sync.Mutex
	view View
	told []string
}

func newOwner(t *testing.T, watch bool) *owner {
	o := new(owner)
	o.Shelf = New(fs.Env{Now: func() time.Time { return born.Add(time.Hour) }, Built: born, Changed: func(path string) {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.told = append(o.told, path)
	}}, Options{Watch: watch, What: "changes", Index: "INDEX.md", Poll: time.Hour, Blind: time.Hour, Look: func(context.Context) View {
		o.mu.Lock()
		defer o.mu.Unlock()
		return o.view
	}})
	o.tree = fs.NewTree(o.Root(), fs.TreeOptions{})
	t.Cleanup(func() {
		if err := o.Close(); err != nil {
			t.Error(err)
		}
	})
	return o
}

// shows sets what is to be seen, and returns what was told of it.
func (o *owner) shows(pages ...Page) []string {
	o.mu.Lock()
	o.view.Pages, o.told = pages, nil
	o.mu.Unlock()
	o.Look()
	return o.told
}

func (o *owner) node(t *testing.T, path string) fs.Node {
	t.Helper()
	n, err := o.tree.Resolve(t.Context(), path)
	fstest.Must(t, err)
	return n
}

func page(path, body string, at time.Duration) Page {
	return Page{Path: path, Body: []byte(body), Time: born.Add(at)}
}

// TestEqualPagesKeepTheirNodes: only what differs is replaced, dated and told.
func TestEqualPagesKeepTheirNodes(t *testing.T) {
	o := newOwner(t, false)
	fstest.EqualSlices(t, o.shows(page("a/x.md", "x", 1), page("a/b/y.md", "y", 2), page("INDEX.md", "i", 2)), []string{"INDEX.md", "a", "a/b", "a/b/y.md", "a/x.md"}, "at first")
	x := o.node(t, "a/x.md")
	fstest.EqualSlices(t, o.shows(page("a/x.md", "x", 3), page("a/b/y.md", "z", 3), page("INDEX.md", "j", 2)), []string{"INDEX.md", "a/b/y.md"}, "change")
	fstest.Equal(t, o.node(t, "a/x.md"), x, "an equal page has another node")
	for path, want := range map[string]time.Time{"a/x.md": born.Add(1), "a/b/y.md": born.Add(3), "INDEX.md": born.Add(time.Hour)} {
		if a, err := o.tree.Stat(t.Context(), o.node(t, path)); err != nil || !a.ModTime.Equal(want) {
			t.Errorf("%s is of %v, not %v", path, a.ModTime, want)
		}
	}
	fstest.EqualSlices(t, o.shows(page("INDEX.md", "k", 4)), []string{"INDEX.md", "a", "a/b", "a/b/y.md", "a/x.md"}, "removal")
	if told := o.shows(page("INDEX.md", "k", 5)); told != nil {
		t.Errorf("nothing has changed: %q", told)
	}
	o.view.Status.Summary = "1 more"
	fstest.EqualSlices(t, o.shows(page("INDEX.md", "k", 5)), []string{"INDEX.md"}, "status has changed")
	fstest.Check(t, o.tree, fstest.Clock(o.env.Now))
}

// TestTimesSurviveARestart: what replaces a partial view has the time of its facts.
func TestTimesSurviveARestart(t *testing.T) {
	o := newOwner(t, false)
	o.view.Partial = true
	o.shows(page("INDEX.md", "looking", 0))
	o.view.Partial = false
	o.shows(page("INDEX.md", "all", 0), page("a/x.md", "x", 0))
	for _, path := range []string{"INDEX.md", "a/x.md", "a", ""} {
		if a, err := o.tree.Stat(t.Context(), o.node(t, path)); err != nil || !a.ModTime.Equal(born) {
			t.Errorf("%s is of %v: %v", path, a.ModTime, err)
		}
	}
}

// TestWithoutAWatch: where the system has no more watches that is said, and changes are found
// by looking again.
func TestWithoutAWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOwner(t, false)
		o.opts.Watch, o.opts.Blind = true, 10*time.Second
		o.watcher = watch.Look(watch.Options{Changed: func([]string) {}}, syscall.EMFILE)
		defer o.watcher.Close()
		o.watched = watch.NewSet(o.watcher)
		o.Start()
		fstest.Settled(t, o)
		if st := o.Status(); st.State != "degraded" || len(st.Problems) != 1 || !strings.Contains(st.Problems[0].Mend, "max_user_instances") {
			t.Errorf("status %+v", st)
		}
		o.mu.Lock()
		o.view.Pages = []Page{page("x.md", "x", 1)}
		o.mu.Unlock()
		time.Sleep(2 * o.opts.Blind)
		fstest.EqualSlices(t, fstest.Names(t, o.tree, ""), []string{"x.md"})
	})
}

// TestAShelfFollowsItsWatch uses the real watch.
func TestAShelfFollowsItsWatch(t *testing.T) {
	dir := t.TempDir()
	o := newOwner(t, true)
	o.opts.Look = func(context.Context) View {
		v := View{Watch: []string{dir + "/"}}
		names, _ := filepath.Glob(filepath.Join(dir, "*"))
		for _, name := range names {
			v.Pages = append(v.Pages, page(filepath.Base(name), name, 1))
		}
		return v
	}
	o.Start()
	fstest.Settled(t, o)
	if o.fault() != nil {
		t.Skipf("nothing can be watched: %v", o.fault())
	}
	for _, name := range []string{"a", "b"} {
		fstest.Must(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
		fstest.Settles(t, o, name+" is shown", func() bool { return slices.Contains(fstest.Names(t, o.tree, ""), name) })
	}
}
