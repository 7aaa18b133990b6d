package workspaces

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs"
	"ctxfs/fs/facts"
	"ctxfs/fs/fstest"
)

// git runs git in a folder, as a person would.
func (w *world) git(dir string, args ...string) string {
	w.Helper()
	out, err := runGit(dir, w.home, args...)
	fstest.Must(w, err)
	return out
}

func runGit(dir, home string, args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{
		"-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "init.defaultBranch=main", "-c", "protocol.file.allow=always", "-c", "maintenance.auto=false",
	}, args...)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+home, "GIT_CONFIG_NOSYSTEM=1", "GIT_EDITOR=true")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("git %q in %s: %v\n%s", args, dir, err, out)
	}
	return string(out), nil
}

// repository makes a repository with one file and one commit on the branch main.
func (w *world) repository(path string) (dir string) {
	w.Helper()
	dir = w.mkdir(path)
	copyRepository(w, dir)
	return dir
}

var copyRepository = fstest.Template(func(dir string) error {
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module x\n"), 0o600); err != nil {
		return err
	}
	for _, args := range [][]string{{"init", "-q", "--template="}, {"add", "."}, {"commit", "-qm", "Begin"}} {
		if _, err := runGit(dir, dir, args...); err != nil {
			return err
		}
	}
	return nil
})

func (w *world) write(path, body string) {
	w.Helper()
	path = filepath.Join(w.home, path)
	fstest.Must(w, os.MkdirAll(filepath.Dir(path), 0o700))
	fstest.Must(w, os.WriteFile(path, []byte(body), 0o600))
}

// lookedAt are the pages that are made of the folder itself.
func lookedAt() []string { return []string{hereName, gitName, layoutName} }

// fresh returns the pages of workspaces, as another process would make them now.
func (w *world) fresh(dirs []string) (names, pages []string) {
	w.Helper()
	w.mu.Lock()
	now := w.now
	w.mu.Unlock()
	other := &world{T: w.T, home: w.home, path: w.path, now: now, state: w.T.TempDir()}
	other.make(true)
	defer other.Provider.Close()
	for _, dir := range dirs {
		found, err := other.here(dir)
		fstest.Must(w, err)
		names, pages = append(names, found.Name), append(pages, other.shown(found.Name))
	}
	return names, pages
}

// shown returns those pages of a workspace as they are shown.
func (w *world) shown(name string) (pages string) {
	w.Helper()
	for _, page := range lookedAt() {
		pages += page + ":\n" + w.read(name+"/"+page) + "\n"
	}
	return pages
}

// exact checks that the pages of workspaces are those that another process would make.
func (w *world) exact(dirs ...string) {
	w.Helper()
	names, want := w.fresh(dirs)
	fstest.Settled(w, w)
	for i, name := range names {
		if got := w.shown(name); got != want[i] {
			w.Fatalf("the pages are\n%s\nnot\n%s", got, want[i])
		}
	}
}

// TestStorm: after a storm of changes of all kinds the pages are those of what is there.
func TestStorm(t *testing.T) {
	w := newWorld(t)
	shop := w.repository("shop")
	w.git(w.home, "init", "-q", "--bare", "origin.git")
	w.write("shop/.gitignore", "*.log\n")
	for i := range 40 {
		w.write(fmt.Sprintf("shop/part-%d/file-%d.go", i%8, i), fmt.Sprint("package p", i))
	}
	w.git(shop, "add", ".")
	w.git(shop, "commit", "-qm", "More")
	w.git(shop, "remote", "add", "origin", filepath.Join(w.home, "origin.git"))
	w.git(shop, "push", "-qu", "origin", "main")
	if _, err := w.here(shop); err != nil {
		t.Fatal(err)
	}
	w.exact(shop)

	reading, stop := context.WithCancel(t.Context())
	read := make(chan struct{})
	go func() {
		defer close(read)
		tree := fs.NewTree(w.Root(), fs.TreeOptions{})
		for reading.Err() == nil {
			for _, page := range lookedAt() {
				if n, err := tree.Resolve(reading, "shop/"+page); err == nil {
					_, _ = tree.ReadAll(reading, n.(fs.File))
				}
			}
		}
	}()
	for i := range fstest.Rounds(2000) {
		path := fmt.Sprintf("shop/part-%d/file-%d.go", i%8, i%40)
		switch i % 9 {
		case 0, 1, 2:
			w.write(path, fmt.Sprint("package q", i))
		case 3:
			w.write(path+".new", fmt.Sprint("package r", i))
			_ = os.Rename(filepath.Join(w.home, path+".new"), filepath.Join(w.home, path))
		case 4:
			w.write(fmt.Sprintf("shop/deep-%d/a/b/c/x.txt", i), "")
		case 5:
			_ = os.Rename(filepath.Join(shop, fmt.Sprintf("deep-%d", i-1)), filepath.Join(shop, fmt.Sprintf("moved-%d", i%3)))
		case 6:
			_ = os.RemoveAll(filepath.Join(shop, fmt.Sprintf("moved-%d", (i+1)%3)))
		case 7:
			w.write(fmt.Sprintf("shop/part-%d/noise-%d.log", i%8, i), "")
		case 8:
			_ = os.Remove(filepath.Join(w.home, path))
		}
		if i%400 == 399 {
			w.git(shop, "add", "-A")
			w.git(shop, "commit", "-qm", fmt.Sprint("commit ", i))
		}
	}
	stop()
	<-read
	w.exact(shop)

	// The last change counts, whatever it is.
	for _, step := range []struct {
		what string
		do   func()
	}{
		{"a push", func() { w.git(shop, "push", "-q") }},
		{"a stash", func() { w.write("shop/part-0/file-0.go", "x"); w.git(shop, "stash", "-q") }},
		{"another stash", func() { w.write("shop/part-0/file-0.go", "y"); w.git(shop, "stash", "-q") }},
		{"the first is dropped", func() { w.git(shop, "stash", "drop", "-q", "stash@{1}") }},
		{"a branch", func() { w.git(shop, "checkout", "-qb", "side") }},
		{"its upstream", func() {
			w.git(shop, "config", "branch.side.remote", ".")
			w.git(shop, "config", "branch.side.merge", "refs/heads/main")
		}},
		{"packed", func() { w.git(shop, "pack-refs", "--all") }},
		{"a worktree", func() { w.git(shop, "worktree", "add", "-q", "../shop-fix") }},
		{"a branch there", func() { w.git(filepath.Join(w.home, "shop-fix"), "checkout", "-qb", "elsewhere") }},
		{"a conflict", func() {
			w.write("shop/part-1/file-1.go", "ours")
			w.git(shop, "add", "-A")
			w.git(shop, "commit", "-qm", "ours")
			w.git(shop, "checkout", "-q", "main")
			w.write("shop/part-1/file-1.go", "theirs")
			w.git(shop, "add", "-A")
			w.git(shop, "commit", "-qm", "theirs")
			merge := exec.Command("git", "-c", "user.name=t", "-c", "user.email=t@example.com", "merge", "-q", "side")
			merge.Dir = shop
			_ = merge.Run()
		}},
		{"and its end", func() { w.git(shop, "merge", "--abort") }},
		{"what is ignored", func() { w.write("shop/.git/info/exclude", "*.txt\n") }},
		{"a killed git", func() { w.write("shop/.git/index.lock", "") }},
		{"no repository", func() { _ = os.Rename(filepath.Join(shop, ".git"), filepath.Join(w.home, "kept.git")) }},
		{"and one again", func() { _ = os.Rename(filepath.Join(w.home, "kept.git"), filepath.Join(shop, ".git")) }},
	} {
		step.do()
		t.Log(step.what)
		w.exact(shop)
	}
	if got := w.read("shop/git.md"); !strings.Contains(got, "shop-fix") || !strings.Contains(got, "elsewhere") {
		t.Errorf("the worktree is missing:\n%s", got)
	}
}

// TestSubmoduleIsFollowed: its repository lies elsewhere.
func TestSubmoduleIsFollowed(t *testing.T) {
	w := newWorld(t)
	lib, shop := w.repository("lib"), w.repository("shop")
	w.git(shop, "submodule", "--quiet", "add", lib, "sub")
	sub := filepath.Join(shop, "sub")
	if _, err := w.here(sub); err != nil {
		t.Fatal(err)
	}
	w.exact(sub)
	w.git(sub, "checkout", "-qb", "fix")
	w.exact(sub)
	w.git(sub, "commit", "-q", "--allow-empty", "-m", "Fix")
	w.exact(sub)
	if got := w.read("sub/HERE.md"); !strings.Contains(got, "git: on branch fix") || !strings.Contains(got, "last commit: Fix") {
		t.Errorf("got\n%s", got)
	}
}

// TestOthersRest: what happens in one workspace, and news of others that are none, have no
// other looked at.
func TestOthersRest(t *testing.T) {
	w := newWorld(t)
	shop, other := w.mkdir("shop"), w.mkdir("other")
	for _, dir := range []string{shop, other} {
		if _, err := w.here(dir); err != nil {
			t.Fatal(err)
		}
	}
	w.exact(shop)
	w.Provider.mu.Lock()
	rests := w.places["other"]
	w.Provider.mu.Unlock()
	before := rests.looked.Load()
	for i := range 20 {
		name := fmt.Sprintf("file-%d.go", i)
		w.write("shop/"+name, "")
		w.Refresh()
		fstest.Settles(t, w, "the change shows", func() bool { return strings.Contains(w.read("shop/layout.txt"), name) })
	}
	fstest.Equal(t, rests.looked.Load(), before, "the other was looked at again")
	w.say(facts.Remark{Topic: facts.TopicSessions, Text: "news"})
	fstest.Settles(t, w, "news are shown", func() bool { return strings.Contains(w.read("other/HERE.md"), "- news") })
}
