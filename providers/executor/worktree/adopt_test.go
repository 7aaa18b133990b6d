package worktree

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAdoption has an agent change something in its worktree, and the user in the
// repository, and says how the repository is afterwards.
func TestAdoption(t *testing.T) {
	for name, c := range map[string]struct {
		agent, user string
		files       string // that are changed
		conflicts   string // path: why, a line each
		check       string // a script that must succeed in the repository
	}{
		"a file":         {agent: "echo x >>a", files: "a", check: `[ "$(tail -1 a)" = x ] && git diff --cached --quiet`},
		"committed":      {agent: "echo x >>a; git commit -qam x; echo n >n", files: "a n", check: `[ "$(tail -1 a)" = x ] && [ "$(git log --oneline | wc -l)" = 1 ] && [ -f n ]`},
		"all kinds":      {agent: "rm b; chmod +x dir/c; ln -s a link; mkdir x; printf 'a\\000b' >x/bin", files: "b dir/c link x/bin", check: `[ ! -e b ] && [ -x dir/c ] && [ -L link ] && [ "$(wc -c <x/bin)" = 3 ]`},
		"file to folder": {agent: "rm a; mkdir a; echo x >a/x", files: "a a/x", check: `[ "$(cat a/x)" = x ]`},
		"folder to file": {agent: "rm -r dir; echo x >dir", files: "dir dir/c", check: `[ "$(cat dir)" = x ]`},
		"odd names":      {agent: `echo x >'with space'; echo z >'ü"q\'`, files: `with space ü"q\`, check: `[ -f 'with space' ]`},

		"other files":    {agent: "echo x >>a", user: "echo y >>b; echo u >u; echo s >s; git add s; rm dir/c", files: "a", check: `[ "$(tail -1 b)" = y ] && [ -f u ] && [ ! -e dir/c ] && [ "$(git diff --cached --name-only)" = s ]`},
		"other lines":    {agent: "sed -i 1s/1/first/ a", user: "sed -i 9s/9/last/ a", files: "a", check: `[ "$(head -1 a)" = first ] && [ "$(tail -1 a)" = last ]`},
		"staged lines":   {agent: "sed -i 1s/1/first/ a", user: "sed -i 9s/9/last/ a; git add a", files: "a", check: `[ "$(head -1 a)" = first ] && [ "$(git show :a | head -1)" = 1 ] && git show :a | grep -q last`},
		"newer commits":  {agent: "sed -i 1s/1/first/ a", user: "sed -i 9s/9/last/ a; git mv b moved; git commit -qam newer", files: "a", check: `[ "$(head -1 a)" = first ] && [ "$(tail -1 a)" = last ]`},
		"mode and lines": {agent: "chmod +x a", user: "echo y >>a", files: "a", check: `[ -x a ] && [ "$(tail -1 a)" = y ]`},
		"there already":  {agent: "echo x >>a; echo n >n", user: "echo x >>a; echo n >n"},
		"some of it":     {agent: "echo x >>a; echo n >n", user: "echo n >n", files: "a"},
		"an ignored one": {agent: "echo x >x.log; git add -f x.log; echo y >>a", user: "echo mine >x.log", conflicts: "x.log: was added here and there"},
		"sparse":         {agent: "echo x >>dir/c", user: "git sparse-checkout set --no-cone a", files: "dir/c", check: `[ "$(tail -1 dir/c)" = x ]`},
		"amid a merge":   {agent: "sed -i 1s/1/first/ b", user: "git checkout -qb o; echo o >a; git commit -qam o; git checkout -q main; echo m >a; git commit -qam m; git merge -q o || :", files: "b", check: `[ "$(head -1 b)" = first ] && [ "$(git ls-files -u | wc -l)" = 3 ]`},
		"line endings":   {agent: "sed -i 1s/1/first/ a", user: "git config core.autocrlf true; rm a; git checkout a", files: "a", check: `head -1 a | od -c | grep -q '\\r'`},

		"same lines":         {agent: "sed -i 1s/1/one/ a; echo n >n", user: "sed -i 1s/1/eins/ a", conflicts: "a: was changed here and there in the same lines"},
		"deleted here":       {agent: "echo x >>a", user: "rm a", conflicts: "a: was deleted here, and changed there"},
		"deleted there":      {agent: "rm a", user: "echo x >>a", conflicts: "a: was changed here, and deleted there"},
		"added twice":        {agent: "echo x >n", user: "echo y >n", conflicts: "n: was added here and there"},
		"a binary":           {agent: `printf 'a\000b' >a`, user: `printf 'a\000c' >a`, conflicts: "a: was changed here and there, and is no text"},
		"a link":             {agent: "ln -sf b a", user: "echo x >>a", conflicts: "a: is a symbolic link here or there"},
		"behind a link":      {agent: "echo x >>dir/c", user: "mv dir ../elsewhere; ln -s ../elsewhere dir", conflicts: "dir/c: leads through a symbolic link here"},
		"two, one conflicts": {agent: "echo x >>b; rm a", user: "echo x >>a", conflicts: "a: was changed here, and deleted there"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			work := w.made()
			w.sh(c.agent, work.Folder())
			w.ended(work)
			if c.user != "" {
				w.sh(c.user)
			}
			state := `git status --porcelain -uall; git ls-files -s -v; git for-each-ref; find . -path ./.git -prune -o -print0 | sort -z | xargs -0 stat -c '%n %f %s %Y'; cat .git/index | sha256sum`
			before := w.sh(state)
			a, err := work.Adopt(t.Context(), false)
			if err != nil {
				t.Fatal(err)
			}
			var conflicts []string
			for _, conflict := range a.Conflicts {
				conflicts = append(conflicts, conflict.Path+": "+conflict.Why)
			}
			if got := strings.Join(conflicts, "\n"); got != c.conflicts || strings.Join(a.Files, " ") != c.files || a.Already != (c.files == "" && c.conflicts == "") {
				t.Errorf("%+v", a)
			}
			if c.conflicts != "" {
				if after := w.sh(state); after != before {
					t.Errorf("it was\n%s\nand is\n%s", before, after)
				}
				if !exists(work.Folder()) {
					t.Error("the worktree is gone")
				}
				return
			}
			if c.check != "" {
				w.sh(c.check)
			}
			if exists(work.Folder()) || a.Worktree != "" {
				t.Error("the worktree is left")
			}
			again, err := work.Adopt(t.Context(), false)
			if err != nil || !again.Already || again.Branch != a.Branch {
				t.Errorf("once more: %+v, %v", again, err)
			}
			if left, _ := os.ReadDir(work.dir); len(left) != 2 { // the record and the lock
				t.Errorf("left: %v", left)
			}
		})
	}
}

func TestABranchWithCommitsSurvivesAdoption(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	work := w.made()
	w.sh("echo x >>a; git commit -qam x", work.Folder())
	w.ended(work)
	a, err := work.Adopt(t.Context(), false)
	if err != nil || a.Branch != work.Branch || a.Worktree != "" {
		t.Errorf("%+v, %v", a, err)
	}
	if log := w.sh("git log --format=%s " + work.Branch); log != "x\nfirst" {
		t.Errorf("%s", log)
	}
}

// TestARepositoryInAWorktreeSurvives: what an agent has cloned or begun in its worktree is in
// no diff, and goes with the worktree.
func TestARepositoryInAWorktreeSurvives(t *testing.T) {
	for name, script := range map[string]string{
		"without commits": "git init -q in; echo x >in/x",
		"with one":        "git init -q in; cd in; echo x >x; git add x; git -c user.name=a -c user.email=a@b commit -qm x",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			work := w.made()
			w.sh(script, work.Folder())
			c := w.ended(work)
			if c.Worktree != work.Folder() || c.Diff != "" || len(c.Files) != 1 || c.Files[0] != "in" || !strings.Contains(strings.Join(c.Notes, "\n"), "repositories of their own: in/") {
				t.Errorf("%+v", c)
			}
			w.sh("echo y >>a", work.Folder())
			a, err := work.Adopt(t.Context(), false)
			if err != nil || len(a.Files) != 1 || len(a.Left) != 1 || a.Left[0] != "in/" || a.Worktree != work.Folder() {
				t.Errorf("%+v, %v", a, err)
			}
			if !exists(filepath.Join(work.Folder(), "in/x")) {
				t.Error("the repository is gone")
			}
		})
	}
}

func TestAKeptWorktreeIsAdoptedInSteps(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	work := w.made()
	w.sh("sed -i 1s/1/one/ a", work.Folder())
	w.ended(work)
	if a, err := work.Adopt(t.Context(), true); err != nil || a.Worktree == "" || len(a.Files) != 1 {
		t.Errorf("%+v, %v", a, err)
	}
	if a, err := work.Adopt(t.Context(), true); err != nil || !a.Already {
		t.Errorf("%+v, %v", a, err)
	}
	w.sh("sed -i 1s/one/eins/ a") // the user goes on with what has arrived
	w.sh("sed -i 9s/9/nine/ a", work.Folder())
	resumed, err := w.git.Resume(work.dir)
	if err != nil {
		t.Fatal(err)
	}
	if a, err := resumed.Adopt(t.Context(), false); err != nil || len(a.Files) != 1 {
		t.Errorf("%+v, %v", a, err)
	}
	w.sh(`[ "$(head -1 a)" = eins ] && [ "$(tail -1 a)" = nine ]`)
}

func TestWhatCannotBeAdopted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	work := w.made()
	if _, err := work.Adopt(t.Context(), false); !errors.Is(err, ErrUnchanged) {
		t.Errorf("%v", err)
	}
	w.sh("git checkout -qb o; echo o >a; git commit -qam o; git checkout -q -; echo m >a; git commit -qam m; git rebase o || :", work.Folder())
	if _, err := work.Adopt(t.Context(), false); err == nil || !strings.Contains(err.Error(), "a rebase is under way") {
		t.Errorf("%v", err)
	}
	w.sh("git rebase --abort; echo x >>dir/c", work.Folder())

	// Something that is not git's, where a file wants to be.
	w.sh("rm b; mkdir b; echo x >b/x; git commit -qam folder; git add b; git commit -qm folder", work.Folder())
	w.sh("git rm -q b; echo mine >b")
	if _, err := work.Adopt(t.Context(), false); err == nil && !exists(filepath.Join(w.top, "b")) {
		t.Errorf("%v", err)
	}
	if text, _ := os.ReadFile(filepath.Join(w.top, "b")); string(text) != "mine\n" {
		t.Errorf("b is %q", text)
	}
	w.sh("git checkout -q a dir") // nothing of it has arrived
	if status := w.sh("git status --porcelain"); status != "D  b\n?? b" {
		t.Errorf("%s", status)
	}
	if err := os.RemoveAll(w.top); err != nil {
		t.Fatal(err)
	}
	if _, err := work.Adopt(t.Context(), false); err == nil {
		t.Error("a repository that is gone takes changes")
	}
}
