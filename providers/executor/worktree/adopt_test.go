package worktree

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/git"
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
		"an ignored one": {agent: "echo x >x.log; git add -f x.log; echo y >>a", user: "echo mine >x.log", conflicts: "x.log: contents"},
		"sparse":         {agent: "echo x >>dir/c", user: "git sparse-checkout set --no-cone a", files: "dir/c", check: `[ "$(tail -1 dir/c)" = x ]`},
		"line endings":   {agent: "sed -i 1s/1/first/ a", user: "git config core.autocrlf true; rm a; git checkout a", files: "a", check: `head -1 a | od -c | grep -q '\\r'`},

		"same lines":         {agent: "sed -i 1s/1/one/ a; echo n >n", user: "sed -i 1s/1/eins/ a", conflicts: "a: contents"},
		"deleted here":       {agent: "echo x >>a", user: "rm a", conflicts: "a: modify/delete"},
		"deleted there":      {agent: "rm a", user: "echo x >>a", conflicts: "a: modify/delete"},
		"added twice":        {agent: "echo x >n", user: "echo y >n", conflicts: "n: contents"},
		"a binary":           {agent: `printf 'a\000b' >a`, user: `printf 'a\000c' >a`, conflicts: "a: binary"},
		"a link":             {agent: "ln -sf b a", user: "echo x >>a", conflicts: "a: distinct modes"},
		"behind a link":      {agent: "echo x >>dir/c", user: "mv dir ../elsewhere; ln -s ../elsewhere dir", conflicts: "dir/c: behind a symbolic link"},
		"two, one conflicts": {agent: "echo x >>b; rm a", user: "echo x >>a", conflicts: "a: modify/delete"},
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
			state := `git status --porcelain -uall; git ls-files -s -v; git for-each-ref refs/heads/main refs/ctxfs; find . -path ./.git -prune -o -print0 | sort -z | xargs -0 stat -c '%n %f %s %Y'; cat .git/index | sha256sum`
			before := ""
			if c.conflicts != "" {
				before = w.sh(state)
			}
			a, err := work.Adopt(t.Context())
			fstest.Must(t, err)
			var conflicts []string
			for _, conflict := range a.Conflicts {
				conflicts = append(conflicts, conflict.Path+": "+conflict.Why)
			}
			if got := strings.Join(conflicts, "\n"); got != c.conflicts || strings.Join(a.Files, " ") != c.files || a.Already != (c.files == "" && c.conflicts == "") {
				t.Errorf("%+v", a)
			}
			if c.conflicts != "" {
				fstest.Equal(t, w.sh(state), before)
				if !git.Exists(work.Folder()) {
					t.Error("the worktree is gone")
				}
				return
			}
			if c.check != "" {
				w.sh(c.check)
			}
			if git.Exists(work.Folder()) || a.Worktree != "" {
				t.Error("the worktree is left")
			}
			again, err := work.Adopt(t.Context())
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
	a, err := work.Adopt(t.Context())
	if err != nil || a.Branch != work.Branch || a.Worktree != "" {
		t.Errorf("%+v, %v", a, err)
	}
	fstest.Equal(t, w.sh("git log --format=%s "+work.Branch), "x\nfirst")
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
			a, err := work.Adopt(t.Context())
			if err != nil || len(a.Files) != 1 || len(a.Left) != 1 || a.Left[0] != "in/" || a.Worktree != work.Folder() {
				t.Errorf("%+v, %v", a, err)
			}
			if !git.Exists(filepath.Join(work.Folder(), "in/x")) {
				t.Error("the repository is gone")
			}
		})
	}
}

func TestWhatCannotBeAdopted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	work := w.made()
	if _, err := work.Adopt(t.Context()); !errors.Is(err, ErrUnchanged) {
		t.Errorf("%v", err)
	}
	w.sh("git checkout -qb o; echo o >a; git commit -qam o; git checkout -q -; echo m >a; git commit -qam m; git rebase o || :", work.Folder())
	if _, err := work.Adopt(t.Context()); err == nil || !strings.Contains(err.Error(), "that are not solved") {
		t.Errorf("%v", err)
	}
	w.sh("git rebase --abort; echo x >>dir/c", work.Folder())
	w.sh("git checkout -qb p; echo p >a; git commit -qam p; git checkout -q main; echo m >a; git commit -qam m; git merge -q p || :")
	if _, err := work.Adopt(t.Context()); err == nil || !strings.Contains(err.Error(), "conflicts in "+w.top) {
		t.Errorf("%v", err)
	}
	w.sh("git merge --abort; git reset -q --hard HEAD~")

	// Something that is not git's, where a file wants to be.
	w.sh("rm b; mkdir b; echo x >b/x; git commit -qam folder; git add b; git commit -qm folder", work.Folder())
	w.sh("git rm -q b; echo mine >b")
	if _, err := work.Adopt(t.Context()); err == nil && !git.Exists(filepath.Join(w.top, "b")) {
		t.Errorf("%v", err)
	}
	if text, _ := os.ReadFile(filepath.Join(w.top, "b")); string(text) != "mine\n" {
		t.Errorf("b is %q", text)
	}
	w.sh("git checkout -q a dir") // nothing of it has arrived
	fstest.Equal(t, w.sh("git status --porcelain"), "D  b\n?? b")
	fstest.Must(t, os.RemoveAll(w.top))
	if _, err := work.Adopt(t.Context()); err == nil {
		t.Error("a repository that is gone takes changes")
	}
}

// TestWhatIsInTheWayIsKept: what an adoption would replace and git does not know of stays as
// it is, and nothing of the rest arrives.
func TestWhatIsInTheWayIsKept(t *testing.T) {
	for name, c := range map[string]struct{ agent, user string }{
		"a file for a folder": {"echo x >>a; mkdir new; echo x >new/n", "echo mine >new"},
		"a folder for a file": {"echo x >>a; echo x >n", "mkdir n; echo mine >n/mine"},
		"said to be the same": {"echo x >>a", "git update-index --assume-unchanged a; echo mine >>a"},
		"outside of sparse":   {"echo x >>a", "git update-index --skip-worktree a; echo mine >>a"},
		"a link to outside":   {"echo x >>a; mkdir new; echo x >new/n", "mkdir ../out; echo mine >../out/n; ln -s ../out new"},
		"a moved file":        {"sed -i 1s/1/one/ b", "git mv b moved; git commit -qm moved; echo mine >>moved"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			work := w.made()
			w.sh(c.agent, work.Folder())
			w.ended(work)
			w.sh(c.user)
			const state = `find . ../out -path ./.git -prune -o -print0 2>&- | sort -z | xargs -0 stat -c '%n %f %s %y'; git ls-files -sv`
			before := w.sh(state)
			if a, err := work.Adopt(t.Context()); err == nil && len(a.Conflicts) == 0 {
				t.Errorf("%+v", a)
			}
			fstest.Equal(t, w.sh(state), before)
			if !git.Exists(work.Folder()) {
				t.Error("the worktree is gone")
			}
		})
	}
}

// TestAnAdoptionThatIsCutOff: what was not committed is in a commit while git writes files.
func TestAnAdoptionThatIsCutOff(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	work := w.made()
	w.sh("sed -i 1s/1/one/ b; echo n >n", work.Folder())
	w.ended(work)
	w.sh("echo mine >>b")
	cut := *w.git
	cut.path = filepath.Join(w.home, "git")
	script := "#!/bin/sh\ncase \"$*\" in *' -n '*);; *' read-tree '*) echo half >b; exit 128;; esac\nexec '" + w.git.path + "' \"$@\"\n"
	fstest.Must(t, fstest.WriteProgram(cut.path, []byte(script), 0o755))
	var off *CutOffError
	work.git = &cut
	if a, err := work.Adopt(t.Context()); !errors.As(err, &off) || off.Err == nil {
		t.Fatalf("%+v, %v", a, err)
	}
	fstest.Equal(t, w.sh("cat b; git show "+off.Ref+":b | tail -1"), "half\nmine")
	work.git = w.git
	if a, err := work.Adopt(t.Context()); !errors.As(err, &off) || off.Err != nil {
		t.Fatalf("%+v, %v", a, err)
	}
	w.sh("git restore --source=" + off.Ref + " -- b; git update-ref -d " + off.Ref)
	if a, err := work.Adopt(t.Context()); err != nil || len(a.Files) != 2 {
		t.Errorf("%+v, %v", a, err)
	}
	fstest.Equal(t, w.sh("head -1 b; tail -1 b; cat n; git for-each-ref refs/ctxfs"), "one\nmine\nn")
}

// TestNoProgramOfTheRepositoryRuns, such as one that merges files of its own.
func TestNoProgramOfTheRepositoryRuns(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.sh("git config merge.own.driver 'touch ../ran'; echo '* merge=own' >.git/info/attributes; git config core.fsmonitor 'touch ../ran'; printf '#!/bin/sh\ntouch \"$HOME/ran\"' >.git/hooks/post-checkout; cp .git/hooks/post-checkout .git/hooks/reference-transaction; chmod +x .git/hooks/*")
	work := w.made()
	w.sh("rm -f ../ran; sed -i 1s/1/one/ a")
	w.sh("sed -i 9s/9/nine/ a", work.Folder())
	w.sh("rm -f ../ran")
	w.ended(work)
	if a, err := work.Adopt(t.Context()); err != nil || len(a.Conflicts) != 1 {
		t.Errorf("%+v, %v", a, err)
	}
	if git.Exists(filepath.Join(w.home, "ran")) {
		t.Error("the repository had a program of its own run")
	}
}

// TestALockOfAKilledGit is in nobody's way.
func TestALockOfAKilledGit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	work := w.made()
	w.sh("echo x >>a", work.Folder())
	for range 2 {
		fstest.Must(t, os.WriteFile(filepath.Join(work.dir, "index.lock"), nil, 0o600))
		if c := w.ended(work); len(c.Files) != 1 {
			t.Errorf("%+v", c)
		}
	}
}
