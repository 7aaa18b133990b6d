package worktree

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/git"
)

// made makes a worktree.
func (w *world) made(folder ...string) *Work {
	w.Helper()
	p := w.place(folder...)
	work, err := w.git.Make(w.Context(), p, filepath.Join(filepath.Dir(p.Dir), "tree"), "ctxfs/"+filepath.Base(filepath.Dir(p.Dir)))
	fstest.Must(w, err)
	return work
}

func (w *world) ended(work *Work) Changes {
	w.Helper()
	c, err := work.End(w.Context(), filepath.Join(filepath.Dir(work.dir), "changes.diff"))
	fstest.Must(w, err)
	return c
}

func TestAWorktreeWithoutChangesIsRemoved(t *testing.T) {
	for name, script := range map[string]string{
		"nothing":    "cat a; git log; git status",
		"ignored":    "echo x >x.log",
		"taken back": "echo x >a; git checkout -q a; echo n >n; rm n",
		"detached":   "git checkout -q --detach",
		"removed":    `git worktree remove --force "$PWD"`,
		"half":       `rm .git`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			before := w.untouched()
			work := w.made()
			w.sh(script, work.Folder())
			c := w.ended(work)
			if c.Worktree != "" || c.Branch != "" || c.Diff != "" || len(c.Files) > 0 || git.Exists(work.Folder()) || git.Exists(work.dir) {
				t.Errorf("%+v", c)
			}
			fstest.Equal(t, w.untouched(), before)
		})
	}
}

func TestAWorktreeWithChangesIsKept(t *testing.T) {
	for name, c := range map[string]struct{ script, changed, branch, note string }{
		"a file":      {"echo x >a", "a", "ctxfs/", ""},
		"untracked":   {"echo n >n", "n", "ctxfs/", ""},
		"a commit":    {"echo x >a; git commit -qam x; echo n >n", "a n", "ctxfs/", ""},
		"undone":      {"echo x >a; git commit -qam x; git revert --no-edit HEAD", "", "ctxfs/", ""},
		"detached":    {"git checkout -q --detach; echo x >a; git commit -qam x", "a", "", "detached"},
		"renamed":     {"git branch -m other; echo x >a; git commit -qam x", "a", "other", ""},
		"two":         {"echo x >a; git commit -qam x; git checkout -qb other; echo x >b; git commit -qam x", "a b", "other", "has commits, too"},
		"in a rebase": {"git checkout -qb o; echo o >a; git commit -qam o; git checkout -q -; echo m >a; git commit -qam m; git rebase o || :", "a", "", "detached"},
		"removed":     {`echo x >a; git commit -qam x; rm -rf "$PWD"`, "a", "ctxfs/", "was removed"},
		"unlinked":    {`echo x >a; rm .git`, "a", "ctxfs/", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			work := w.made()
			w.sh(c.script, work.Folder())
			got := w.ended(work)
			if strings.Join(got.Files, " ") != c.changed || (got.Diff != "") != (c.changed != "") || !strings.HasPrefix(got.Branch, c.branch) || c.branch == "" && got.Branch != "" {
				t.Errorf("%+v", got)
			}
			if notes := strings.Join(got.Notes, "\n"); !strings.Contains(notes, c.note) || c.note == "" && notes != "" {
				t.Errorf("notes: %q", notes)
			}
			if kept := name != "removed"; kept != git.Exists(work.Folder()) || kept != (got.Worktree == work.Folder()) {
				t.Errorf("kept: %v, %q", git.Exists(work.Folder()), got.Worktree)
			}
			if got.Branch != "" {
				w.sh("git rev-parse --verify refs/heads/" + got.Branch)
			}
			if left, _ := os.ReadDir(work.dir); len(left) != 2 { // the record and the lock
				t.Errorf("left: %v", left)
			}
		})
	}
}

func TestWhatIsNotCommittedIsNotInAWorktree(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.sh("echo x >>a; echo s >>b; git add b; echo u >u; echo l >x.log")
	work := w.made("dir")
	if filepath.Base(work.Folder()) != "dir" || work.Missing != 3 || !strings.Contains(work.Base(), w.top) {
		t.Errorf("%s: %d are missing: %s", work.Folder(), work.Missing, work.Base())
	}
	w.sh("echo x >>c; echo y >../y", work.Folder())
	c := w.ended(work)
	if !slices.Equal(c.Files, []string{"../y", "c"}) || !slices.Equal(c.Notes, []string{work.Base()}) {
		t.Errorf("%+v", c)
	}
}

func TestWhereNoWorktreeIsMade(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ script, folder, want string }{
		"no repository":      {"mkdir ../x", "../x", ErrNone.Error()},
		"bare":               {"git init -q --bare ../x", "../x", ErrBare.Error()},
		"no commit":          {"git init -q ../x", "../x", "no commit yet"},
		"not in the commit":  {"mkdir x; echo y >x/y", "x", "folder x is not in the commit"},
		"a damaged one":      {"rm .git/HEAD", ".", "cannot be used"},
		"a branch is there":  {"git branch ctxfs", ".", "ctxfs"},
		"nothing to be read": {"rm -r .git/objects; mkdir .git/objects", ".", "git"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.sh(c.script)
			p := w.place(c.folder)
			tree := filepath.Join(filepath.Dir(p.Dir), "tree")
			_, err := w.git.Make(t.Context(), p, tree, "ctxfs/x")
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v", err)
			}
			if git.Exists(tree) || git.Exists(filepath.Join(w.top, ".git/worktrees/tree")) || git.Exists(filepath.Join(w.top, ".git/refs/heads/ctxfs/x")) {
				t.Error("something is left")
			}
		})
	}
}

func TestManyWorktreesAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	before := w.untouched()
	places := make([]Place, 8)
	for i := range places {
		places[i] = w.place()
	}
	var all sync.WaitGroup
	for i, p := range places {
		all.Go(func() {
			work, err := w.git.Make(t.Context(), p, filepath.Join(filepath.Dir(p.Dir), "tree"), fmt.Sprint("ctxfs/", i))
			if err == nil {
				_, err = work.End(t.Context(), filepath.Join(filepath.Dir(p.Dir), "diff"))
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	fstest.Equal(t, w.untouched(), before)
}

// TestAKilledMaker is about a process that was killed while it made a worktree: what git
// has left by then may be anything.
func TestAKilledMaker(t *testing.T) {
	for name, script := range map[string]string{
		"before git":    "",
		"branch only":   "git branch ctxfs/x",
		"in the middle": "git worktree add -q -b ctxfs/x ../t && rm -r ../t/* && echo initializing >.git/worktrees/t/locked && rm .git/worktrees/t/index && touch .git/worktrees/t/index.lock",
		"folder only":   "mkdir ../t; echo x >../t/x",
		"complete":      "git worktree add -q -b ctxfs/x ../t",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			before := w.untouched()
			tree := filepath.Join(w.home, "t")
			p := w.place()
			killed := &Work{git: w.git, dir: p.Dir}
			source, err := killed.locate(t.Context(), w.top)
			fstest.Must(t, err)
			killed.record = record{Repository: repository{Top: tree, Head: source.Head}, Source: &source, Branch: "ctxfs/x"}
			fstest.Must(t, killed.save())
			w.sh(script)
			work, err := w.git.Resume(p.Dir)
			fstest.Must(t, err)
			if c := w.ended(work); c.Worktree != "" || git.Exists(tree) {
				t.Errorf("%+v", c)
			}
			fstest.Equal(t, w.untouched(), before)
		})
	}
}

// TestAHalfRemovedWorktree: a process that was killed while it removed a worktree has left it
// as if the agent had removed it.
func TestAHalfRemovedWorktree(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	before := w.untouched()
	half := func(work *Work) *Work {
		w.sh("mv tree tree.gone; rm tree.gone/a", filepath.Dir(work.Folder()))
		resumed, err := w.git.Resume(work.dir)
		fstest.Must(t, err)
		return resumed
	}
	work := half(w.made())
	if c := w.ended(work); c.Worktree != "" || len(c.Files) > 0 || git.Exists(work.Folder()+".gone") || git.Exists(work.dir) {
		t.Errorf("%+v", c)
	}
	work = w.made()
	w.sh("echo x >>b", work.Folder())
	w.ended(work)
	work.Adopted = true
	fstest.Must(t, work.save())
	work = half(work)
	if a, err := work.Adopt(t.Context()); err != nil || !a.Already || a.Worktree != "" || git.Exists(work.Folder()+".gone") {
		t.Errorf("%+v, %v", a, err)
	}
	fstest.Equal(t, w.untouched(), before)
}
