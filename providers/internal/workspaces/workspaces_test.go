package workspaces

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/facts"
	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/project"
)

// machine is a home with folders in it, and a Set over what was visited.
type machine struct {
	t      *testing.T
	home   string
	now    time.Time
	visits []facts.Visit
	view   string // is shown by us
	set    *Set
}

func newMachine(t *testing.T) *machine {
	root, err := filepath.EvalSymlinks(t.TempDir())
	fstest.Must(t, err)
	m := &machine{t: t, home: filepath.Join(root, "home"), now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	m.mkdir("")
	m.restart()
	return m
}

func (m *machine) restart() {
	m.set = New(Options{
		Projects: project.New(project.Options{Home: m.home, Hide: func(path string) bool { return path == m.view }}), Home: m.home, Names: filepath.Join(m.home, "names.json"), Kept: filepath.Join(m.home, "known.json"),
		Visits: func(time.Time) []facts.Visit { return m.visits }, Now: func() time.Time { return m.now },
	})
}

func (m *machine) mkdir(path string) string {
	m.t.Helper()
	dir := filepath.Join(m.home, path)
	fstest.Must(m.t, os.MkdirAll(dir, 0o700))
	return dir
}

func (m *machine) git(dir string, args ...string) {
	m.t.Helper()
	git := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.com"}, args...)...)
	git.Dir = dir
	git.Env = append(os.Environ(), "HOME="+m.home, "GIT_CONFIG_NOSYSTEM=1")
	if out, err := git.CombinedOutput(); err != nil {
		m.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
}

func (m *machine) repository(path string) string {
	dir := m.mkdir(path)
	m.git(dir, "init", "-q")
	m.git(dir, "commit", "-q", "--allow-empty", "-m", "x")
	return dir
}

func (m *machine) visit(dir string, settled bool) {
	m.visits = append(m.visits, facts.Visit{Dir: dir, Time: m.now, Certain: settled})
	m.now = m.now.Add(time.Minute)
}

// all returns the workspaces, as name=path in the home folder.
func (m *machine) all() (all []string) {
	m.set.Update()
	for _, w := range m.set.All() {
		all = append(all, w.Name+"="+strings.TrimPrefix(w.Dir, m.home+"/"))
	}
	return all
}

func (m *machine) want(want ...string) {
	m.t.Helper()
	fstest.EqualSlices(m.t, m.all(), want, "workspaces")
}

func TestWorkspaces(t *testing.T) {
	m := newMachine(t)
	shop := m.repository("work/shop")
	m.visit(filepath.Join(m.mkdir("work/shop/api"), "../api"), false)
	m.visit(m.mkdir("notes"), true)    // of an agent, in no repository
	m.visit(m.mkdir("passing"), false) // a shell went through
	m.visit(m.home, true)
	m.visit("/", true)
	m.visit("/tmp", true)
	m.visit("relative", true)
	m.visit(filepath.Join(m.home, "gone"), true)
	m.want("notes=notes", "shop=work/shop")

	inner := m.repository("work/shop/vendor/lib")
	m.visit(inner, false)
	m.want("lib=work/shop/vendor/lib", "notes=notes", "shop=work/shop")
	for path, want := range map[string]string{shop + "/api/x.go": "shop", inner + "/y": "lib", shop + "2": "", inner: "lib"} {
		if w, ok := m.set.Of(path); w.Name != want || ok != (want != "") {
			t.Errorf("%s is in %q, want %q", path, w.Name, want)
		}
	}

	fstest.Must(t, os.Rename(filepath.Join(m.home, "notes"), filepath.Join(m.home, "moved")))
	m.now = m.now.Add(2 * examined)
	m.want("lib=work/shop/vendor/lib", "shop=work/shop")

	m.now = m.now.Add(15 * 24 * time.Hour)
	m.set.Configure([]string{inner, m.mkdir("plain")}, 0)
	m.want("plain=plain", "lib=work/shop/vendor/lib")
}

func TestWorktreesBelongToTheirRepository(t *testing.T) {
	m := newMachine(t)
	shop := m.repository("shop")
	m.git(shop, "worktree", "add", "-q", "../shop-fix")
	fix := filepath.Join(m.home, "shop-fix")
	m.visit(fix, false)
	m.want("shop=shop")
	if w, _ := m.set.Of(filepath.Join(fix, "x")); !slices.Equal(w.Worktrees, []string{fix}) || !w.Has(fix+"/x") || w.Has(fix+"x") {
		t.Errorf("the worktrees: %+v", w)
	}
	// One that says it is somebody's worktree, and is not.
	liar := m.mkdir("liar")
	fstest.Must(t, os.WriteFile(filepath.Join(liar, ".git"), []byte("gitdir: "+shop+"/.git/worktrees/shop-fix\n"), 0o600))
	m.visit(liar, false)
	m.want("liar=liar", "shop=shop")
	// A submodule has a file .git as well.
	lib := m.repository("lib")
	m.git(shop, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", lib, "sub")
	m.visit(filepath.Join(shop, "sub"), false)
	m.want("sub=shop/sub", "liar=liar", "shop=shop")
}

// TestNamesStay the same when others of the same name come, when the process restarts
// and whatever the file has.
func TestNamesStay(t *testing.T) {
	m := newMachine(t)
	m.visit(m.repository("b/shop"), false)
	m.want("shop=b/shop")
	m.visit(m.repository("a/Shop"), false)
	m.visit(m.repository("c/by-path"), false)
	m.visit(m.repository("c/a b.c"), false)
	want := []string{"a_b_c=c/a b.c", "by-path~2=c/by-path", "Shop~2=a/Shop", "shop=b/shop"}
	m.want(want...)
	m.restart()
	m.want(want...)
	for _, body := range []string{"{", `{"` + m.home + `/b/shop": "../x", "/y": "shop", "/z": "shop"}`} {
		fstest.Must(t, os.WriteFile(filepath.Join(m.home, "names.json"), []byte(body), 0o600))
		m.restart()
		for _, w := range m.all() {
			if name, _, _ := strings.Cut(w, "="); strings.ContainsAny(name, "/.") {
				t.Errorf("with the file %s: %q", body, w)
			}
		}
	}
}

func TestUpdateReportsChanges(t *testing.T) {
	m := newMachine(t)
	if m.set.Update() {
		t.Error("nothing has changed")
	}
	m.visit(m.repository("shop"), false)
	if !m.set.Update() || m.set.Update() {
		t.Error("a new workspace is one change")
	}
}

// TestRestart: a new process begins with the set as it was, before anybody tells where
// somebody has worked, and without looking at a folder; what is not there any more leaves
// it with the first look.
func TestRestart(t *testing.T) {
	m := newMachine(t)
	shop, plain := m.repository("shop"), m.mkdir("plain")
	m.git(shop, "worktree", "add", "-q", "../fix")
	m.visit(shop, false)
	m.visit(plain, true)
	m.visit(filepath.Join(m.home, "fix"), false)
	m.want("shop=shop", "plain=plain")
	before := m.set.All()

	again := func() {
		m.t.Helper()
		m.visits = nil
		m.restart()
	}
	same := func() bool {
		return slices.EqualFunc(before, m.set.All(), func(a, b Workspace) bool {
			return a.Name == b.Name && a.Dir == b.Dir && a.Time.Equal(b.Time) && slices.Equal(a.Worktrees, b.Worktrees)
		})
	}
	again()
	if !same() {
		t.Errorf("after a restart: %+v, before: %+v", m.set.All(), before)
	}
	if m.set.Update(); !same() {
		t.Errorf("when nobody has told anything yet: %+v, before: %+v", m.set.All(), before)
	}
	again() // and twice

	fstest.Must(t, errors.Join(os.RemoveAll(plain), os.RemoveAll(filepath.Join(m.home, "fix"))))
	again()
	if !same() {
		t.Error("a restart has looked at the folders")
	}
	m.want("shop=shop")
	if w := m.set.All()[0]; len(w.Worktrees) != 0 {
		t.Errorf("a worktree that is gone: %+v", w)
	}
	again()
	m.want("shop=shop")
	m.now = m.now.Add(15 * 24 * time.Hour)
	m.want()
	again()
	m.want()

	for _, body := range []string{"{", `[{"dir":"relative"},{"dir":"/a/../b"},{"dir":"` + shop + `","time":"2026-03-01T12:00:00Z"},{"dir":"` + shop + `"}]`} {
		fstest.Must(t, os.WriteFile(filepath.Join(m.home, "known.json"), []byte(body), 0o600))
		again()
		if n := len(m.set.All()); n > 1 {
			t.Errorf("with the file %s: %+v", body, m.set.All())
		}
	}
}

// TestNothingInAViewIsAWorkspace: what is shown by us is never looked at, by whatever path,
// nor is it kept.
func TestNothingInAViewIsAWorkspace(t *testing.T) {
	m := newMachine(t)
	inbox, shop := m.mkdir("view/memory/inbox"), m.repository("shop")
	m.repository("view/rules/lib")
	fstest.Must(t, os.Symlink(inbox, filepath.Join(m.home, "link")))
	for _, dir := range []string{inbox, filepath.Join(m.home, "link"), filepath.Join(m.home, "view"), filepath.Join(m.home, "view/rules/lib"), shop} {
		m.visit(dir, true)
	}
	all := []string{"shop=shop", "lib=view/rules/lib", "view=view", "inbox=view/memory/inbox"}
	m.want(all...)
	known, err := os.ReadFile(filepath.Join(m.home, "known.json"))
	if err != nil || !strings.Contains(string(known), inbox) {
		t.Fatalf("kept is %s, %v", known, err)
	}
	m.view = filepath.Join(m.home, "view") // is mounted
	m.want("shop=shop")
	if kept, err := os.ReadFile(filepath.Join(m.home, "known.json")); err != nil || strings.Contains(string(kept), "view") {
		t.Errorf("kept is %s, %v", kept, err)
	}
	fstest.Must(t, os.WriteFile(filepath.Join(m.home, "known.json"), known, 0o600))
	m.restart()
	if got := m.set.All(); len(got) != 1 || got[0].Dir != shop {
		t.Errorf("at first there are %v", got)
	}
	for _, dir := range []string{inbox, filepath.Join(m.home, "link"), filepath.Join(m.home, "view/rules/lib")} {
		fstest.Equal(t, m.set.Root(fs.StandpointAt(dir)), "", dir)
		fstest.Equal(t, m.set.RootAt(dir), "", dir)
	}
	m.set.Configure([]string{inbox}, Lately)
	m.want("shop=shop")
}
