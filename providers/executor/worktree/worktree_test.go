package worktree

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/git"
)

// world is a home with a repository, as the user's git sees it.
type world struct {
	*testing.T
	home, top string
	git       *Git
}

// newWorld returns a repository with one commit: files a, b, dir/c, and *.log ignored.
func newWorld(t *testing.T) *world {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	fstest.Must(t, err)
	w := &world{T: t, home: home, top: filepath.Join(home, "repo")}
	// A variable such as a git that runs this program as its hook sets must mean nothing.
	if w.git, err = Open([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "GIT_DIR=/proc/none", "GIT_INDEX_FILE=/proc/none"}); err != nil {
		t.Skip(err)
	}
	t.Cleanup(w.git.Close)
	copyHome(t, home)
	return w
}

var copyHome = fstest.Template(func(home string) error {
	const script = `printf '[user]\n\tname = Somebody\n\temail = s@example.org\n[init]\n\tdefaultBranch = main\n[maintenance]\n\tauto = false\n' >.gitconfig
mkdir -p repo/dir; cd repo; git init -q --template= .; mkdir .git/hooks .git/info
seq 1 9 >a; seq 1 9 >b; echo c >dir/c; echo '*.log' >.gitignore; git add .; git commit -qm first`
	_, err := run(home, home, script)
	return err
})

// sh runs a script in the repository, or the folder that is named, and returns what it prints.
func (w *world) sh(script string, dir ...string) string {
	w.Helper()
	in := filepath.Join(append([]string{w.top}, dir...)...)
	if len(dir) > 0 && filepath.IsAbs(dir[0]) {
		in = dir[0]
	}
	out, err := run(w.home, in, script)
	fstest.Must(w, err)
	return out
}

func run(home, dir, script string) (string, error) {
	cmd := exec.Command("sh", "-ec", script)
	cmd.Dir, cmd.Env = dir, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "LC_ALL=C"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", script, err, out)
	}
	return strings.TrimSpace(string(out)), nil
}

func (w *world) place(folder ...string) Place {
	dir, err := os.MkdirTemp(w.home, "run-")
	fstest.Must(w, err)
	return Place{Dir: filepath.Join(dir, "repository"), Folder: filepath.Join(append([]string{w.top}, folder...)...), Outside: filepath.Join(w.home, "state")}
}

// untouched is what must not change when the state of a repository is stored.
func (w *world) untouched() string {
	return w.sh(`git rev-parse -q --verify HEAD || :; git symbolic-ref HEAD; git for-each-ref; sha256sum .git/index; stat -c %y .git/index; find .git/objects -type f | sort; git worktree list`)
}

// during returns what changes while a script runs in a folder of the repository.
func (w *world) during(script string, folder ...string) Changes {
	w.Helper()
	work, err := w.git.Watch(w.Context(), w.place(folder...))
	fstest.Must(w, err)
	w.sh(script, folder...)
	diff := filepath.Join(w.home, "changes.diff")
	c, err := work.End(w.Context(), diff)
	fstest.Must(w, err)
	before, _ := os.ReadFile(diff)
	if work, err = w.git.Resume(work.dir); err != nil { // as after a kill
		w.Fatal(err)
	}
	again, err := work.End(w.Context(), diff)
	if after, _ := os.ReadFile(diff); err != nil || !reflect.DeepEqual(again, c) || string(after) != string(before) {
		w.Errorf("it tells\n%+v, and again\n%+v, %v", c, again, err)
	}
	if err := work.Forget(); err != nil || git.Exists(work.dir) {
		w.Errorf("%s is left: %v", work.dir, err)
	}
	return c
}

// applies checks that a patch takes the state before to the state after.
func (w *world) applies(before, after, patch string) {
	w.Helper()
	got := w.sh(`rm -rf check && cp -a `+before+` check && cd check && git apply --allow-empty `+patch+` && diff -r --no-dereference -x .git -x '*.log' . `+after+` && echo same`, w.home)
	fstest.Equal(w, got, "same", "patch leads elsewhere")
}

func TestWhatChanged(t *testing.T) {
	for name, c := range map[string]struct {
		before, script string
		folder         []string
		changed        string
	}{
		"nothing":             {script: "git status; git log; cat a"},
		"a file":              {script: "echo 10 >>a", changed: "a"},
		"all kinds":           {script: "echo 10 >>a; rm b; echo n >n; mkdir x; echo y >x/y; chmod +x dir/c; ln -s a link; echo out >o.log", changed: "a b dir/c link n x/y"},
		"a binary":            {script: `printf 'a\000b' >bin`, changed: "bin"},
		"a commit":            {script: "echo 10 >>a; git commit -qam second; echo new >n; git add n; git commit -qm third", changed: "a n"},
		"staged":              {script: "echo 10 >>a; git add a", changed: "a"},
		"what was before":     {before: "echo x >>a; echo u >u; echo s >s; git add s; rm b", script: "echo y >>u", changed: "u"},
		"taken back":          {before: "echo x >>a; echo u >u", script: "git checkout -q a; rm u", changed: "a u"},
		"committed as it was": {before: "echo x >>a; echo u >u", script: "git add -A; git commit -qm second"},
		"ignored, but added":  {script: "echo l >x.log; git add -f x.log; git commit -qm log", changed: "x.log"},
		"file to folder":      {script: "rm a; mkdir a; echo x >a/x", changed: "a a/x"},
		"folder to file":      {script: "rm -r dir; echo x >dir", changed: "dir dir/c"},
		"folder to link":      {script: "mv dir other; ln -s other dir", changed: "dir dir/c other/c"},
		"odd names":           {script: `echo x >'with space'; echo y >"$(printf 'new\nline')"; echo z >'ü"q\'`, changed: "new\nline with space ü\"q\\"},
		"moved":               {script: "git mv a moved", changed: "a moved"},
		"from a folder":       {script: "echo x >>c; echo y >>../a", folder: []string{"dir"}, changed: "../a c"},
		"a conflict before":   {before: "git checkout -qb o; echo o >a; git commit -qam o; git checkout -q main; echo m >a; git commit -qam m; git merge -q o || :", script: "echo solved >a", changed: "a"},
		"another branch":      {before: "git checkout -qb o; echo o >a; git commit -qam o; git checkout -q main", script: "git checkout -q o", changed: "a"},
		"a nested repository": {before: "git init -q old; echo x >old/x", script: "git init -q sub; echo x >sub/x; echo y >y; echo x >old/y", changed: "sub y"},
		"ctxfs's own state":   {before: "cd ..; git init -q; echo /repo >.gitignore", script: "mkdir -p ../state; echo x >../state/x"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.sh(c.before + "\ncp -a . ../before")
			got := w.during(c.script, c.folder...)
			want := strings.Split(c.changed, " ")
			if c.changed == "" {
				want = nil
			}
			if c.changed == "new\nline with space ü\"q\\" {
				want = []string{"new\nline", "with space", "ü\"q\\"}
			}
			if !slices.Equal(got.Files, want) || (len(got.Notes) > 0) != strings.Contains(name, "nested") {
				t.Errorf("changed: %q, %q; want %q", got.Files, got.Notes, want)
			}
			fstest.Equal(t, (got.Diff != ""), (len(want) > 0), "diff", got.Diff)
			if got.Diff != "" && c.folder == nil && !strings.Contains(name, "nested") {
				w.applies("before", "../repo", got.Diff)
			}
		})
	}
}

func TestARepositoryIsNotTouched(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.sh(`echo x >>a; echo u >u; echo s >s; git add s; printf '#!/bin/sh\ntouch ../hooked' >.git/hooks/post-index-change; chmod +x .git/hooks/*; git config core.fsmonitor "touch ../hooked"`)
	before := w.untouched()
	w.during("echo y >>u; echo z >dir/z")
	fstest.Equal(t, w.untouched(), before)
	if git.Exists(filepath.Join(w.home, "hooked")) {
		t.Error("the repository had a program of its own run")
	}
}
