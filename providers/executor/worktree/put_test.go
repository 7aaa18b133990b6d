package worktree

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

// cutOff replaces git by one that runs a script, in which $git is the real one, where files
// of the repository are about to be changed, and then fails. With a file "killed" in the home
// it does nothing from then on, as if the process were killed; with "back", it does not write
// files back.
func (w *world) cutOff(script string) {
	w.Helper()
	w.write("cut", script)
	cut := *w.git
	cut.path = filepath.Join(w.home, "git")
	text := `#!/bin/sh
git='` + w.git.path + `'
[ ! -e "$HOME/dead" ] || exit 128
for arg; do case $arg in
read-tree) . "$HOME/cut"; [ ! -e "$HOME/killed" ] || touch "$HOME/dead"; exit 128;;
checkout-index) [ ! -e "$HOME/back" ] || exit 128;;
esac; done
exec "$git" "$@"
`
	if err := fstest.WriteProgram(cut.path, []byte(text), 0o755); err != nil {
		w.Fatal(err)
	}
	w.git = &cut
}

// TestAnAdoptionThatIsCutOff: nothing of it is left in the repository. If the process is
// killed, the next adoption takes back what has arrived, but nothing that was changed since.
func TestAnAdoptionThatIsCutOff(t *testing.T) {
	const whole = `"$git" "$@"`
	for name, c := range map[string]struct{ agent, user, cut, since string }{
		"before it began":  {agent: "echo x >>a", cut: ":"},
		"half a file":      {agent: "seq 1 99 >b; echo x >>a", user: "echo u >>dir/c", cut: "seq 1 4 >b"},
		"an empty file":    {agent: "seq 1 99 >b", user: "seq 0 9 >b; git add b", cut: ": >b"},
		"without a file":   {agent: "sed -i 1s/1/one/ a; sed -i 1s/1/one/ b", user: "echo u >>b", cut: whole + "; rm b"},
		"half a new one":   {agent: "mkdir new; seq 1 99 >new/n", cut: "mkdir new; seq 1 9 >new/n"},
		"changed since":    {agent: "sed -i 1s/1/one/ a; sed -i 1s/1/one/ b", cut: whole + "; echo one >b", since: "sed -i 9s/9/nine/ a"},
		"all of it":        {agent: "rm b; chmod +x a; ln -s a link; mkdir new; echo x >new/n", cut: whole},
		"file to folder":   {agent: "rm a; mkdir a; echo x >a/x", cut: whole},
		"without the file": {agent: "rm a; mkdir a; echo x >a/x", cut: "rm a"},
		"an empty folder":  {agent: "rm a; mkdir a; echo x >a/x", cut: "rm a; mkdir a"},
		"folder to file":   {agent: "rm -r dir; echo x >dir", cut: whole},
		"without a folder": {agent: "rm -r dir; echo x >dir", cut: "rm -r dir"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			first := w.git
			w.cutOff(c.cut)
			work := w.made()
			w.sh(c.agent, work.Folder())
			w.ended(work)
			w.sh(c.user)
			const state = `git status --porcelain -uall; git diff; git diff --cached; find . -path ./.git -prune -o -print | sort`
			before := w.sh(state)
			if a, err := work.Adopt(t.Context(), false); err == nil {
				t.Fatalf("%+v", a)
			}
			if after := w.sh(state); after != before {
				t.Errorf("it was\n%s\nand is\n%s", before, after)
			}
			if exists(filepath.Join(work.dir, "ours")) || work.Putting != nil {
				t.Error("something is left of it")
			}

			w.write("killed", "")
			if a, err := work.Adopt(t.Context(), false); err == nil {
				t.Fatalf("%+v", a)
			}
			w.sh(c.since)
			again, err := first.Resume(work.dir)
			if err != nil {
				t.Fatal(err)
			}
			whole := newWorld(t)
			other := whole.made()
			whole.sh(c.agent, other.Folder())
			whole.ended(other)
			whole.sh(c.user + "\n" + c.since)
			for _, work := range []*Work{again, other} {
				if a, err := work.Adopt(t.Context(), false); err != nil || len(a.Files) == 0 || len(a.Conflicts) > 0 {
					t.Errorf("%+v, %v", a, err)
				}
			}
			if got, want := w.sh(state), whole.sh(state); got != want {
				t.Errorf("it is\n%s\nand not\n%s", got, want)
			}
		})
	}
}

// TestTakingBackSparesOthers: what somebody has done between the kill and the next adoption
// is there afterwards, whatever became of that.
func TestTakingBackSparesOthers(t *testing.T) {
	for name, c := range map[string]struct{ first, user, agent, cut, how, since, check string }{
		"a folder instead":   {agent: "seq 1 99 >b", since: "git rm -qf b; mkdir b; echo p >b/x; git add b/x; echo p >b/y", check: "[ -f b/x ] && [ -f b/y ]"},
		"a file instead":     {agent: "echo x >>dir/c", since: "rm -r dir; echo p >dir", check: `[ "$(cat dir)" = p ]`},
		"an edited file":     {agent: "rm -r dir; echo x >dir", since: "echo p >dir", check: `[ "$(cat dir)" = p ]`},
		"a link instead":     {agent: "echo x >>dir/c", since: "git mv dir lib; ln -s lib dir; git add dir; git commit -qm link", check: "[ -L dir ] && [ -f lib/c ]"},
		"a link to outside":  {agent: "mkdir new; echo n >new/n", since: "git add -A; mv new ../outside; ln -s ../outside new", check: "[ -L new ] && [ -f ../outside/n ]"},
		"a folder for a new": {agent: "echo n >n", since: "git add n; rm n; mkdir n; echo p >n/p", check: "[ -f n/p ]"},
		"an edit to a mode":  {agent: "chmod +x a", since: "echo p >>a", check: `[ "$(tail -1 a)" = p ]`},
		"a file as a link":   {first: "printf a >b; git commit -qam b", agent: "ln -sf a b", check: "[ -L b ]"},
		// What takes back is killed as well.
		"amid taking back": {
			user: "seq 10 2000 >>b; cp b ../b", agent: "sed -i 1s/1/one/ b", since: "head -c 100 ../b >b", how: "back", check: `[ "$(wc -l <b)" = 2000 ] && [ "$(head -1 b)" = one ]`,
		},
		"amid a line's end": {
			user: `git config core.autocrlf true; rm b; git checkout -q b; printf 'u\r\n' >>b`, agent: "sed -i 1s/1/one/ b", cut: `printf 'one\r' >b`,
			check: `[ "$(wc -l <b)" = 10 ] && grep -q u b && grep -q one b`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			first := w.git
			w.cutOff(cmp.Or(c.cut, `"$git" "$@"`))
			w.write(cmp.Or(c.how, "killed"), "")
			w.sh(c.first)
			work := w.made()
			w.sh(c.user)
			w.sh(c.agent, work.Folder())
			w.ended(work)
			if a, err := work.Adopt(t.Context(), false); err == nil || work.Putting == nil {
				t.Fatalf("%+v, %v", a, err)
			}
			w.sh(c.since)
			again, err := first.Resume(work.dir)
			if err != nil {
				t.Fatal(err)
			}
			w.ended(again) // as if it were lost
			if a, err := again.Adopt(t.Context(), false); err != nil {
				t.Errorf("%+v, %v", a, err)
			}
			w.sh(c.check)
			if again.Putting != nil {
				t.Error("it is not taken back")
			}
		})
	}
}

// TestAHalfRemovedWorktree: what is missing in a worktree that was being removed was not
// deleted by the agent.
func TestAHalfRemovedWorktree(t *testing.T) {
	for _, script := range []string{"rm a", "rm -r a dir .git", `git worktree remove --force --force "$PWD"`} {
		t.Run(strings.Fields(script)[1], func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			before := w.untouched()
			half := func(work *Work) *Work {
				if err := os.Rename(filepath.Join(work.dir, recordFile), filepath.Join(work.dir, removingFile)); err != nil {
					t.Fatal(err)
				}
				w.sh(script, work.Folder())
				resumed, err := w.git.Resume(work.dir)
				if err != nil {
					t.Fatal(err)
				}
				return resumed
			}
			work := half(w.made())
			if c := w.ended(work); c.Worktree != "" || len(c.Files) > 0 || exists(work.Folder()) || exists(work.dir) {
				t.Errorf("%+v", c)
			}
			work = w.made()
			w.sh("echo x >>b", work.Folder())
			w.ended(work)
			if a, err := work.Adopt(t.Context(), true); err != nil || len(a.Files) != 1 {
				t.Errorf("%+v, %v", a, err)
			}
			work = half(work)
			if a, err := work.Adopt(t.Context(), false); err != nil || !a.Already || a.Worktree != "" || exists(work.Folder()) {
				t.Errorf("%+v, %v", a, err)
			}
			if after := w.untouched(); after != before {
				t.Errorf("it was\n%s\nand is\n%s", before, after)
			}
			if status := w.sh("git status --porcelain"); status != "M b" {
				t.Errorf("%s", status)
			}
		})
	}
}

// TestALockOfAKilledGit is in nobody's way.
func TestALockOfAKilledGit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	work := w.made()
	w.sh("echo x >>a", work.Folder())
	for range 2 {
		if err := os.WriteFile(work.shadow().index()+".lock", nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if c := w.ended(work); len(c.Files) != 1 {
			t.Errorf("%+v", c)
		}
	}
}
