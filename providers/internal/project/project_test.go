package project

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
)

// world is a home folder with projects.
type world struct {
	t    *testing.T
	root string // of everything, without links
	home string
	r    *Resolver
}

func newWorld(t *testing.T) *world {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	fstest.Must(t, err)
	w := &world{t: t, root: root, home: filepath.Join(root, "home")}
	w.dir("home/.git/objects")
	w.file("home/.git/HEAD", "ref: refs/heads/main\n")
	w.r = New(Options{Home: w.home, Hide: func(path string) bool {
		return path == w.path("home/view") || path == w.path("home/repo/view")
	}})
	return w
}

func (w *world) path(name string) string { return filepath.Join(w.root, name) }

func (w *world) dir(name string) string {
	w.t.Helper()
	fstest.Must(w.t, os.MkdirAll(w.path(name), 0o755))
	return w.path(name)
}

func (w *world) file(name, body string) {
	w.t.Helper()
	w.dir(filepath.Dir(name))
	fstest.Must(w.t, os.WriteFile(w.path(name), []byte(body), 0o644))
}

func (w *world) repo(name string) string {
	w.t.Helper()
	w.file(name+"/.git/HEAD", "ref: refs/heads/main\n")
	return w.path(name)
}

// of expects the project of a standpoint.
func (w *world) of(at fs.Standpoint, want string) {
	w.t.Helper()
	got, why := w.r.Of(at)
	if got != want || want != "" && why != "" {
		w.t.Errorf("%s: %q (%s), not %q", at.Dir, got, why, want)
	}
}

func TestNearestProject(t *testing.T) {
	w := newWorld(t)
	repo := w.repo("home/repo")
	inner := w.repo("home/repo/vendor/inner")
	w.file("home/repo/sub/module/.git", "gitdir: ../../.git/modules/module\n")
	w.file("home/repo/protected/.git", "") // as a sandbox protects it
	w.dir("home/repo/empty/.git")
	w.file("home/hg/.hg/store/x", "")
	w.file("home/jj/.jj/repo/x", "")
	w.file("home/svn/.svn/wc.db", "x")
	plain := w.dir("home/plain/a/b")
	open := w.repo("open")
	fstest.Must(t, os.Chmod(open, 0o777|os.ModeSticky))
	for dir, want := range map[string]string{
		"home/repo":                  repo,
		"home/repo/.git/objects":     repo,
		"home/repo/a/b/c":            repo,
		"home/repo/vendor":           repo,
		"home/repo/vendor/inner/src": inner,
		"home/repo/sub/module/x":     w.path("home/repo/sub/module"),
		"home/repo/protected/x":      repo,
		"home/repo/empty/x":          repo,
		"home/hg/x":                  w.path("home/hg"),
		"home/jj/x":                  w.path("home/jj"),
		"home/svn/x":                 w.path("home/svn"),
		"home":                       "", // a repository, but the home folder
		"home/plain/a/b":             "",
		"open/x":                     "",
	} {
		w.of(fs.StandpointAt(w.dir(dir)), want)
	}
	w.r.SetKnown([]string{w.path("home/plain"), w.home, w.path("home/gone")})
	w.of(fs.StandpointAt(plain), w.path("home/plain"))
	w.of(fs.StandpointAt(w.home), "")
}

// sandboxed is the standpoint of a program for which a folder here is at path, in a
// file system of its own.
func (w *world) sandboxed(path, dir string) fs.Standpoint {
	at := fs.StandpointAt(dir)
	if at.Unknown != "" {
		w.t.Fatal(at.Unknown)
	}
	ups := strings.Count(path, "/")
	at.Dir = path
	at.Folders = append(at.Folders[:min(ups, len(at.Folders)-1):ups], fs.FileID{Dev: 1, Ino: 1})
	return at
}

func TestSandboxIsRecognizedByIdentity(t *testing.T) {
	w := newWorld(t)
	repo, inner, other := w.repo("home/repo"), w.repo("home/repo/vendor/inner"), w.repo("home/other")
	plain, sub := w.dir("home/plain"), w.dir("home/repo/a/sub")

	// Nothing is known yet: the path here is another folder, or none.
	at := w.sandboxed("/mnt/a/sub", sub)
	w.of(at, "")
	if _, why := w.r.Of(at); !strings.Contains(why, "/mnt/a/sub is not here") || !strings.Contains(why, "sandbox") {
		t.Error(why)
	}
	misleading := fs.StandpointAt(sub)
	misleading.Dir = other // a folder here, and another project's
	w.of(misleading, "")

	w.of(fs.StandpointAt(sub), repo) // it was used
	w.of(at, repo)
	misleading.Folders = misleading.Folders[:3]
	w.of(misleading, repo)
	w.of(w.sandboxed("/mnt/vendor/inner/src", w.dir("home/repo/vendor/inner/src")), inner)
	// Below it, the sandbox has something else.
	changed := w.sandboxed("/mnt/a/sub", sub)
	changed.Folders[0] = fs.StandpointAt(other).Folders[0]
	w.of(changed, repo)
	// Only a folder above the project is there, or only one within it.
	w.of(w.sandboxed("/mnt", w.home), "")
	w.of(w.sandboxed("/mnt", sub), "")

	w.of(w.sandboxed("/mnt", plain), "")
	w.r.SetKnown([]string{plain, other})
	w.of(w.sandboxed("/mnt", plain), plain)
	w.of(w.sandboxed("/mnt", other), other)
	w.of(at, repo) // it is still in use

	// A configured folder that is made anew is another one.
	was := w.sandboxed("/mnt", plain)
	fstest.Must(t, os.Rename(plain, plain+"-old"))
	w.dir("home/plain")
	w.of(was, "")
	w.of(w.sandboxed("/mnt", plain), plain)
}

func TestStandpointIsNotKnown(t *testing.T) {
	w := newWorld(t)
	repo := w.repo("home/repo")
	for _, c := range []struct {
		at   fs.Standpoint
		want string
	}{
		{fs.Standpoint{}, "where the caller stands is not known"},
		{fs.Standpoint{Unknown: "its process has ended"}, "where the caller stands is not known: its process has ended"},
		{fs.Standpoint{Dir: repo, Unknown: "its folder does not answer"}, "where the caller stands is not known: its folder does not answer"},
		{fs.Standpoint{Dir: w.path("home/gone")}, "the caller's folder " + w.path("home/gone") + " is not here"},
		{fs.Standpoint{Dir: "home"}, "the caller's folder home is not an absolute path"},
		{fs.StandpointAt(w.dir("home/x")), ""},
		{fs.Standpoint{Dir: w.path("home/view/x")}, "the caller stands in a mount of ctxfs, and in no project: " + w.path("home/view/x")},
	} {
		if root, why := w.r.Of(c.at); root != "" || why != c.want {
			t.Errorf("%+v: %q %q, not %q", c.at, root, why, c.want)
		}
	}
}

// TestFolderInAView: nothing in a view is a project, but the view may be in one.
func TestFolderInAView(t *testing.T) {
	w := newWorld(t)
	repo := w.repo("home/repo")
	w.repo("home/view/skills/x")
	w.repo("home/repo/view/skills/x")
	w.of(fs.Standpoint{Dir: w.path("home/view/skills/x")}, "")
	w.of(fs.Standpoint{Dir: w.path("home/repo/view/skills/x")}, repo)
	at := fs.StandpointAt(w.path("home/repo/view/skills/x"))
	w.of(at, repo)
	at.Folders[3] = fs.FileID{Dev: 1, Ino: 1} // in a sandbox, it is in something else
	w.of(at, "")
	if got, err := w.r.Named(fs.Standpoint{Dir: w.path("home/view")}); err == nil {
		t.Errorf("named: %q", got)
	}
	fstest.Must(t, os.Symlink(w.path("home/view/skills"), w.path("home/repo/link")))
	w.of(fs.Standpoint{Dir: w.path("home/repo/link/x")}, "")
}

// TestOneProjectByAnyPath has links to a project, and changes of what they lead to.
func TestOneProjectByAnyPath(t *testing.T) {
	w := newWorld(t)
	repo, sub := w.repo("data/repo"), w.dir("data/repo/sub")
	for link, to := range map[string]string{"home/link": repo, "home/inner": sub, "home/data": w.path("data")} {
		fstest.Must(t, os.Symlink(to, w.path(link)))
	}
	for _, dir := range []string{"home/link", "home/link/sub", "home/inner", "home/data/repo/sub", "data/../data/repo"} {
		w.of(fs.Standpoint{Dir: w.path(dir)}, repo)
		if got, err := w.r.Named(fs.Standpoint{Dir: w.root + "/" + dir}); got != repo {
			t.Errorf("%s: %q %v", dir, got, err)
		}
	}
}

func TestNamedProject(t *testing.T) {
	w := newWorld(t)
	repo, sub, plain := w.repo("home/repo"), w.dir("home/repo/sub"), w.dir("home/plain")
	w.file("home/file", "x")
	for dir, want := range map[string]string{repo: repo, sub: repo, plain: plain, w.home: w.home, sub + "/..//": repo} {
		if got, err := w.r.Named(fs.Standpoint{Dir: dir}); got != want {
			t.Errorf("%s: %q %v, not %q", dir, got, err, want)
		}
	}
	for dir, want := range map[string]string{
		"plain":               "not an absolute path",
		w.path("home/gone"):   "there is no folder " + w.path("home/gone"),
		w.path("home/file"):   w.path("home/file") + " is not a folder",
		w.path("home/file/x"): w.path("home/file/x"),
	} {
		if got, err := w.r.Named(fs.Standpoint{Dir: dir}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %q %v, not %q", dir, got, err, want)
		}
	}
	// In a sandbox, the path may be that of another folder.
	if got, err := w.r.Named(w.sandboxed(plain, sub)); err == nil || !strings.Contains(err.Error(), "sandbox") {
		fstest.Equal(t, got, repo, err)
	}
	unknown := w.sandboxed("/mnt", w.dir("home/unknown"))
	if got, err := w.r.Named(unknown); err == nil || !strings.Contains(err.Error(), "sandbox") {
		t.Errorf("%q %v", got, err)
	}
	// That it was named does not make a folder a project of others.
	w.of(fs.StandpointAt(plain), "")
	if got, err := w.r.Named(w.sandboxed("/mnt", plain)); got != plain {
		t.Errorf("%q %v", got, err)
	}
}

// TestUsedProjectsAreBounded finds more projects than are remembered.
func TestUsedProjectsAreBounded(t *testing.T) {
	w := newWorld(t)
	first := w.repo("home/first")
	w.of(fs.StandpointAt(first), first)
	for i := range maxUsed {
		w.r.known.remember(first, fs.FileID{Dev: 1, Ino: uint64(i)})
	}
	if n := len(w.r.known.used); n != maxUsed || len(w.r.known.order) != maxUsed {
		t.Errorf("%d are remembered", n)
	}
	w.of(w.sandboxed("/mnt", first), "")
}

// TestManyAsk asks for projects at once, while the configuration changes.
func TestManyAsk(t *testing.T) {
	w := newWorld(t)
	var work sync.WaitGroup
	for i := range 20 {
		repo := w.repo(fmt.Sprint("home/repo", i))
		at, boxed := fs.StandpointAt(w.dir(fmt.Sprint("home/repo", i, "/sub"))), w.sandboxed("/mnt/sub", w.path(fmt.Sprint("home/repo", i, "/sub")))
		work.Go(func() {
			for range 20 {
				for _, at := range []fs.Standpoint{at, boxed} {
					if got, why := w.r.Of(at); got != repo {
						t.Errorf("%s: %q %s", at.Dir, got, why)
					}
				}
			}
		})
		work.Go(func() { w.r.SetKnown([]string{repo, w.path("home/gone")}) })
	}
	work.Wait()
}
