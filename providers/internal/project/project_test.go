package project

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs"
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
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, root: root, home: filepath.Join(root, "home")}
	w.dir("home/.git/objects")
	w.file("home/.git/HEAD", "ref: refs/heads/main\n")
	w.r = New(Options{Home: w.home, Hide: func(path string) bool {
		return path == w.path("home/view") || strings.HasPrefix(path, w.path("home/view")+"/") || strings.HasPrefix(path, w.path("home/repo/view"))
	}})
	return w
}

func (w *world) path(name string) string { return filepath.Join(w.root, name) }

func (w *world) dir(name string) string {
	w.t.Helper()
	if err := os.MkdirAll(w.path(name), 0o755); err != nil {
		w.t.Fatal(err)
	}
	return w.path(name)
}

func (w *world) file(name, body string) {
	w.t.Helper()
	w.dir(filepath.Dir(name))
	if err := os.WriteFile(w.path(name), []byte(body), 0o644); err != nil {
		w.t.Fatal(err)
	}
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
	if got != want || (why == "") != (want != "") {
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
	if err := os.Chmod(open, 0o777|os.ModeSticky); err != nil {
		t.Fatal(err)
	}
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
