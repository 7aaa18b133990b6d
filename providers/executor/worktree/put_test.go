package worktree

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

// cutOff replaces git by one that runs a script, in which $git is the real one, where files
// of the repository are about to be changed, and then fails; with a file "stuck" in the home
// it does not repair that either, as if the process were killed.
func (w *world) cutOff(script string) {
	w.Helper()
	w.write("cut", script)
	cut := *w.git
	cut.path = filepath.Join(w.home, "git")
	text := "#!/bin/sh\ngit='" + w.git.path + "'\nfor arg; do case $arg in\nread-tree) . \"$HOME/cut\"; exit 128;;\ncheckout-index) [ ! -e \"$HOME/stuck\" ] || exit 128;;\nesac; done\nexec \"$git\" \"$@\"\n"
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

			w.write("stuck", "")
			if a, err := work.Adopt(t.Context(), false); err == nil {
				t.Fatalf("%+v", a)
			}
			w.sh("rm ../stuck\n" + c.since)
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
