package git

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/providers/workspaces/programs"
)

// world is a home folder, a repository in it, and a Reader.
type world struct {
	t      testing.TB
	home   string
	dir    string // of the repository
	opts   Options
	reader *Reader
}

func newWorld(t testing.TB, init ...string) *world {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git here")
	}
	root, err := filepath.EvalSymlinks(t.TempDir())
	fstest.Must(t, err)
	w := &world{t: t, home: filepath.Join(root, "home"), dir: filepath.Join(root, "home", "repo")}
	runner := programs.New()
	t.Cleanup(runner.Close)
	w.opts = Options{Scratch: filepath.Join(root, "scratch"), Home: w.home, Config: filepath.Join(w.home, ".config"), Path: os.Getenv("PATH"), Programs: runner}
	w.reader = New(w.opts)
	w.write("../.gitconfig", "[user]\n\tname = Ada\n\temail = ada@example.com\n[init]\n\tdefaultBranch = main\n[protocol \"file\"]\n\tallow = always\n[advice]\n\tdetachedHead = false\n")
	w.git(append([]string{"init", "-q"}, init...)...)
	return w
}

// path returns the path of what is named relative to the repository.
func (w *world) path(name string) string { return filepath.Join(w.dir, name) }

func (w *world) write(name, text string) {
	w.t.Helper()
	path := w.path(name)
	fstest.Must(w.t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)))
}

// run runs git as the user does, with what the repository names.
func (w *world) run(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = []string{"HOME=" + w.home, "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_DATE=2026-01-02T03:04:05Z", "GIT_COMMITTER_DATE=2026-01-02T03:04:05Z", "GIT_EDITOR=true", "GIT_TERMINAL_PROMPT=0"}
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

func (w *world) git(args ...string) string {
	w.t.Helper()
	return w.gitIn(w.dir, args...)
}

func (w *world) gitIn(dir string, args ...string) string {
	w.t.Helper()
	fstest.Must(w.t, os.MkdirAll(dir, 0o700))
	out, err := w.run(dir, args...)
	if err != nil {
		w.t.Fatalf("git %q: %v: %s", args, err, out)
	}
	return out
}

// commit commits a file with that text.
func (w *world) commit(name, text string) {
	w.t.Helper()
	w.write(name, text)
	w.git("add", "--", name)
	w.git("commit", "-q", "-m", "write "+name)
}

func (w *world) read(dir string) State {
	w.t.Helper()
	s, err := w.reader.Read(w.t.Context(), dir)
	fstest.Must(w.t, err)
	if left, _ := os.ReadDir(w.opts.Scratch); len(left) > 0 {
		w.t.Errorf("left in the scratch folder: %v", left)
	}
	return s
}

func TestState(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"kept", "changed", "both", "gone", "old"} {
		w.commit(name, "text of "+name+"\n")
	}
	w.gitIn(w.path("../remote.git"), "init", "-q", "--bare")
	w.git("remote", "add", "origin", "https://user:hunter2secret@example.com/repo.git")
	w.git("remote", "set-url", "--push", "origin", w.path("../remote.git"))
	w.git("-c", "remote.origin.url="+w.path("../remote.git"), "push", "-q", "-u", "origin", "main")
	w.git("reset", "-q", "--hard", "HEAD~1")
	w.commit("old", "text of old\nand more\n")
	w.commit("token", "x")
	w.git("commit", "-q", "--amend", "-m", "use ghp_012345678901234567890123456789abcdef")
	w.write("kept", "stashed")
	w.git("stash", "push", "-q", "-m", "later")
	w.write("changed", "other text, which is longer\n")
	w.write("both", "staged\n")
	w.git("add", "both")
	w.write("both", "and changed again\n")
	w.git("mv", "old", "new name")
	fstest.Must(t, os.Remove(w.path("gone")))
	w.write("fresh", "")
	w.write("folder/of/files", "")
	w.write("line\nbreak", "")
	w.write("no utf8 \xff", "")
	w.write(".gitignore", "*.log\n")
	w.write("noise.log", "")
	w.git("worktree", "add", "-q", "-b", "side", w.path("../side"))

	s := w.read(w.dir)
	want := `# git

- branch: main, tracks origin/main: 2 ahead, 1 behind
- remote: https://user:[REDACTED:url-password]@example.com/repo.git
- uncommitted: 2 staged, 3 changed, 5 untracked

## Uncommitted

As ` + "`git status --short`" + ` prints them: index, work tree, path.

    MM both
     M changed
     D gone
    R  new name (from old)
    ?? .gitignore
    ?? folder/
    ?? fresh
    ?? "line\nbreak"
    ?? "no utf8 \xff"

## Last commits

    ID 2026-01-02 03:04 Ada: use [REDACTED:github]
    ID 2026-01-02 03:04 Ada: write old
    ID 2026-01-02 03:04 Ada: write gone
    ID 2026-01-02 03:04 Ada: write both
    ID 2026-01-02 03:04 Ada: write changed
    ID 2026-01-02 03:04 Ada: write kept

## Stashes

    stash@{0} 2026-01-02 03:04 On main: later

## Linked worktrees

    ` + w.path("../side") + ` side
`
	page := s.Page()
	for _, c := range s.Commits {
		page = strings.Replace(page, short(c.ID), "ID", 1)
	}
	fstest.Equal(t, page, want)

	side := w.read(w.path("../side"))
	if side.Branch != "side" || side.Uncommitted.String() != "nothing" || len(side.Stashes) != 1 || len(side.Worktrees) != 1 || len(side.Problems) > 0 {
		t.Errorf("the linked worktree has %+v", side)
	}
	fstest.Must(t, os.RemoveAll(w.path("../side")))
	if s := w.read(w.dir); len(s.Worktrees) != 1 || !s.Worktrees[0].Missing || !strings.Contains(s.Page(), "side, not there") {
		t.Errorf("worktrees are %+v", s.Worktrees)
	}
}

func TestOperations(t *testing.T) {
	conflicting := func(t *testing.T) *world {
		w := newWorld(t)
		w.commit("file", "1\n")
		w.git("checkout", "-q", "-b", "topic")
		w.commit("file", "topic\n")
		w.git("checkout", "-q", "main")
		w.commit("file", "main\n")
		return w
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"merge", "topic"}, "under way: merge of topic"},
		{[]string{"rebase", "topic"}, "under way: rebase of main, step 1 of 1"},
		{[]string{"rebase", "--apply", "topic"}, "under way: rebase of main, step 1 of 1"},
		{[]string{"cherry-pick", "topic"}, "under way: cherry-pick of "},
		{[]string{"revert", "HEAD~1"}, "under way: revert of "},
	} {
		w := conflicting(t)
		if out, err := w.run(w.dir, c.args...); err == nil {
			t.Fatalf("git %q has no conflict: %s", c.args, out)
		}
		s := w.read(w.dir)
		if page := s.Page(); !strings.Contains(page, c.want) || s.Uncommitted.Conflicts != 1 || !strings.Contains(page, " file\n") || len(s.Problems) > 0 {
			t.Errorf("git %q gives %+v\n%s", c.args, s, page)
		}
	}
	w := conflicting(t)
	w.git("bisect", "start", "HEAD", "HEAD~1")
	fstest.Contains(t, w.read(w.dir).Page(), "under way: bisect, begun on main")
	w.write(".git/index.lock", "")
	fstest.Contains(t, w.read(w.dir).Page(), "index.lock exists since ")
}

func TestErrors(t *testing.T) {
	w := newWorld(t)
	w.commit("file", "1")
	for dir, want := range map[string]error{w.home: ErrNone, w.path("none"): fs.ErrNotExist, w.path("file"): ErrNone} {
		if _, err := w.reader.Read(t.Context(), dir); !errors.Is(err, want) {
			t.Errorf("%s: %v", dir, err)
		}
	}
	opts := w.opts
	opts.Path = w.path("bin") + ":relative:"
	w.write("bin/git", "#!/bin/sh\n")
	fstest.Must(t, os.Chmod(w.path("bin/git"), 0o700))
	if _, err := New(opts).Read(t.Context(), w.dir); err == nil || !strings.Contains(err.Error(), "git is not installed") {
		t.Errorf("without git: %v", err)
	}
	for name, text := range map[string]string{".git/HEAD": "nonsense", ".git/config": "[core\n", ".git/index": "nonsense"} {
		before, _ := os.ReadFile(w.path(name))
		w.write(name, text)
		if s, err := w.reader.Read(t.Context(), w.dir); err == nil && len(s.Problems) == 0 {
			t.Errorf("nothing is said about a broken %s", name)
		} else if err != nil && strings.Contains(err.Error(), w.opts.Scratch) || strings.Contains(s.Page(), w.opts.Scratch) {
			t.Errorf("a broken %s is said of our files: %v\n%s", name, err, s.Page())
		}
		w.write(name, string(before))
	}
}

// TestHangingGit: a git that does not answer is ended with whoever waits for it.
func TestHangingGit(t *testing.T) {
	w := newWorld(t)
	w.commit("file", "1")
	began := fstest.NewFIFO(t)
	w.write("../fake/git", "#!/bin/sh\necho >'"+began.Path+"'\nexec sleep 1000\n")
	fstest.Must(t, os.Chmod(w.path("../fake/git"), 0o700))
	opts := w.opts
	opts.Path = w.path("../fake")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error)
	go func() {
		_, err := New(opts).Read(ctx, w.dir)
		done <- err
	}()
	began.Line()
	cancel()
	fstest.ErrorIs(t, <-done, context.Canceled)
	if left, _ := os.ReadDir(opts.Scratch); len(left) > 0 {
		t.Errorf("left in the scratch folder: %v", left)
	}
}

func TestForeignOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a repository to somebody else")
	}
	w := newWorld(t)
	w.commit("file", "1")
	fstest.Must(t, os.Chown(w.path(".git"), 12345, -1))
	if s := w.read(w.dir); s.Foreign != 12345 || len(s.Commits) != 1 || !strings.Contains(s.Page(), "safe.directory") {
		t.Errorf("got %+v", s)
	}
	w.gitIn(w.home, "config", "--global", "safe.directory", w.dir)
	if s := w.read(w.dir); s.Foreign != -1 {
		t.Errorf("although the user trusts it: %+v", s)
	}
}

func FuzzStatus(f *testing.F) {
	f.Add("# branch.oid (initial)\x00# branch.head main\x00# branch.ab +1 -2\x001 M. N... 100644 100644 100644 a b path\x002 R. N... 1 2 3 a b R100 new\x00old\x00u UU N... 1 2 3 4 a b c both\x00? new\x00")
	f.Fuzz(func(t *testing.T, text string) {
		var p statusParser
		if err := records(strings.NewReader(text), p.record); err != nil {
			return
		}
		var s State
		p.finish(&s)
		_ = s.Page()
	})
}
