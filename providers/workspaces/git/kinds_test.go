package git

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/git"
)

func TestKindsOfRepositories(t *testing.T) {
	t.Run("unborn", func(t *testing.T) {
		w := newWorld(t)
		w.write("first", "")
		s := w.read(w.dir)
		if s.Head != "" || s.Branch != "main" || s.Uncommitted.Untracked != 1 || len(s.Problems) > 0 || !strings.Contains(s.Page(), "branch: main, without a commit") {
			t.Errorf("got %+v\n%s", s, s.Page())
		}
	})
	t.Run("detached", func(t *testing.T) {
		w := newWorld(t)
		w.commit("file", "1")
		w.git("checkout", "-q", "--detach")
		if s := w.read(w.dir); s.Branch != "" || !strings.Contains(s.Page(), "branch: none (detached head) at "+short(w.git("rev-parse", "HEAD"))) {
			t.Errorf("got\n%s", s.Page())
		}
	})
	t.Run("bare", func(t *testing.T) {
		w := newWorld(t)
		w.commit("file", "1")
		w.git("clone", "-q", "--bare", w.dir, w.path("../bare"))
		s := w.read(w.path("../bare"))
		if !s.Bare || s.Branch != "main" || len(s.Commits) != 1 || len(s.Problems) > 0 || !strings.Contains(s.Page(), "bare repository") {
			t.Errorf("got %+v\n%s", s, s.Page())
		}
		w.gitIn(w.path("../bare"), "worktree", "add", "-q", w.path("../of bare"), "main")
		if s := w.read(w.path("../of bare")); s.Bare || s.Branch != "main" || s.Uncommitted.String() != "nothing" {
			t.Errorf("its worktree: %+v", s)
		}
	})
	t.Run("sha256", func(t *testing.T) {
		w := newWorld(t, "--object-format=sha256")
		w.commit("file", "1")
		if s := w.read(w.dir); len(s.Head) != 64 || s.Uncommitted.String() != "nothing" || len(s.Problems) > 0 {
			t.Errorf("got %+v", s)
		}
	})
	t.Run("reftable", func(t *testing.T) {
		w := newWorld(t)
		if out, err := w.run(w.dir, "init", "-q", "--ref-format=reftable", w.path("../ref")); err != nil {
			t.Logf("this git has no reftable: %s", out)
			w.git("config", "core.repositoryformatversion", "1")
			w.git("config", "extensions.refstorage", "reftable")
			s := w.read(w.dir)
			if page := s.Page(); !strings.Contains(page, "a newer version of git is needed") || strings.Contains(page, w.opts.Scratch) {
				t.Errorf("got\n%s", page)
			}
			return
		}
		w.dir = w.path("../ref")
		w.commit("file", "1")
		w.git("worktree", "add", "-q", "-b", "side", w.path("../side"))
		for dir, branch := range map[string]string{w.dir: "main", w.path("../side"): "side"} {
			if s := w.read(dir); s.Branch != branch || len(s.Commits) != 1 || len(s.Problems) > 0 {
				t.Errorf("got %+v", s)
			}
		}
	})
	t.Run("submodule", func(t *testing.T) {
		w := newWorld(t)
		w.commit("file", "1")
		w.gitIn(w.path("../other"), "clone", "-q", w.dir, ".")
		w.git("submodule", "--quiet", "add", w.path("../other"), "sub")
		w.git("commit", "-q", "-m", "a submodule")
		if s := w.read(w.path("sub")); s.Branch != "main" || s.Elsewhere != "" || s.Uncommitted.String() != "nothing" || len(s.Problems) > 0 {
			t.Errorf("the submodule has %+v", s)
		}
		w.gitIn(w.path("sub"), "commit", "-q", "--allow-empty", "-m", "more")
		w.write("sub/dirt", "")
		if s := w.read(w.dir); s.Uncommitted.String() != "1 changed" || s.Uncommitted.Paths[0].Path != "sub" {
			t.Errorf("its repository has %+v", s.Uncommitted)
		}
	})
	t.Run("nested", func(t *testing.T) {
		w := newWorld(t)
		w.gitIn(w.path("inner"), "init", "-q")
		w.write("inner/file", "")
		if s := w.read(w.dir); s.Uncommitted.Untracked != 1 || s.Uncommitted.Paths[0].Path != "inner/" {
			t.Errorf("got %+v", s.Uncommitted)
		}
		w.write("plain/file", "")
		if _, err := w.reader.Read(t.Context(), w.path("plain")); !errors.Is(err, ErrNone) {
			t.Errorf("a folder in a repository: %v", err)
		}
	})
	t.Run("split index", func(t *testing.T) {
		w := newWorld(t)
		w.commit("file", "1")
		w.git("update-index", "--split-index")
		if s := w.read(w.dir); s.Uncommitted.String() != "nothing" || len(s.Problems) > 0 {
			t.Errorf("got %+v", s)
		}
	})
	t.Run("sparse checkout", func(t *testing.T) {
		w := newWorld(t)
		w.commit("in/file", "1")
		w.commit("out/file", "1")
		w.git("sparse-checkout", "set", "in") // which gives the worktree a configuration of its own
		if s := w.read(w.dir); git.Exists(w.path("out")) || s.Uncommitted.String() != "nothing" || len(s.Problems) > 0 {
			t.Errorf("got %+v", s)
		}
	})
	t.Run("partial and shallow clone", func(t *testing.T) {
		w := newWorld(t)
		w.commit("file", "1")
		w.commit("file", "2")
		w.git("config", "uploadpack.allowFilter", "true")
		w.gitIn(w.home, "clone", "-q", "--depth=1", "--filter=blob:none", "file://"+w.dir, "partial")
		s := w.read(w.path("../partial"))
		if s.Branch != "main" || s.Upstream != "origin/main" || s.Uncommitted.String() != "nothing" || len(s.Commits) != 1 || len(s.Problems) > 0 {
			t.Errorf("got %+v", s)
		}
	})
	t.Run("line ends", func(t *testing.T) {
		w := newWorld(t)
		w.commit(".gitattributes", "*.txt text eol=crlf\n")
		w.commit("a.txt", "one\r\ntwo\r\n")
		later := time.Now().Add(time.Hour)
		if err := os.Chtimes(w.path("a.txt"), later, later); err != nil { // git has to compare it
			t.Fatal(err)
		}
		if s := w.read(w.dir); s.Uncommitted.String() != "nothing" {
			t.Errorf("got %+v", s.Uncommitted)
		}
	})
	t.Run("alternates", func(t *testing.T) {
		w := newWorld(t)
		w.commit("file", "1")
		w.git("clone", "-q", "--shared", w.dir, w.path("../shared"))
		fstest.Must(t, os.WriteFile(w.path("../shared/.git/objects/info/alternates"), []byte("../../../repo/.git/objects\n"), 0o600))
		if s := w.read(w.path("../shared")); len(s.Commits) != 1 || len(s.Problems) > 0 {
			t.Errorf("got %+v", s)
		}
	})
	t.Run("work tree elsewhere", func(t *testing.T) {
		w := newWorld(t)
		w.commit("file", "1")
		w.git("config", "core.worktree", "../../elsewhere")
		if s := w.read(w.dir); s.Elsewhere != w.path("../elsewhere") || s.Uncommitted.Tracked > 0 || !strings.Contains(s.Page(), "core.worktree") {
			t.Errorf("got %+v", s)
		}
		w.gitIn(w.home, "config", "--file", w.path(".git/config"), "core.worktree", "..")
		if s := w.read(w.dir); s.Elsewhere != "" || s.Uncommitted.String() != "nothing" {
			t.Errorf("where it is the same folder: %+v", s)
		}
	})
	t.Run("fetched by another worktree", func(t *testing.T) {
		w := newWorld(t)
		w.commit("file", "1")
		w.gitIn(w.path("../clone"), "clone", "-q", w.dir, ".")
		w.gitIn(w.path("../clone"), "fetch", "-q")
		w.gitIn(w.path("../clone"), "worktree", "add", "-q", "--track", "-b", "side", w.path("../side"), "origin/main")
		if s := w.read(w.path("../side")); s.Fetched.IsZero() || !strings.Contains(s.Page(), "tracks origin/main and equals it (last fetch 20") {
			t.Errorf("got\n%s", s.Page())
		}
	})
	t.Run("upstream gone", func(t *testing.T) {
		w := newWorld(t)
		w.commit("file", "1")
		w.git("config", "branch.main.remote", "origin")
		w.git("config", "branch.main.merge", "refs/heads/main")
		w.git("config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*")
		if s := w.read(w.dir); !s.Gone || !strings.Contains(s.Page(), "tracks origin/main, which does not exist") {
			t.Errorf("got %+v", s)
		}
	})
	t.Run("the user's excludes", func(t *testing.T) {
		w := newWorld(t)
		w.write("../.config/git/ignore", "*.mine\n")
		w.write("a.mine", "")
		if s := w.read(w.dir); s.Uncommitted.String() != "nothing" {
			t.Errorf("git/ignore does not hold: %+v", s.Uncommitted)
		}
		w.write("../other", "*.other\n")
		w.git("config", "--global", "core.excludesFile", "~/other")
		w.write("a.other", "")
		if s := w.read(w.dir); s.Uncommitted.Untracked != 1 || s.Uncommitted.Paths[0].Path != "a.mine" {
			t.Errorf("core.excludesFile does not hold: %+v", s.Uncommitted)
		}
	})
}
