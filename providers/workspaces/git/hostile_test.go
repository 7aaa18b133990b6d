package git

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/git"
	"ctxfs/providers/workspaces/programs"
)

// trap is a repository that names a program wherever one can be named: each leaves a mark.
type trap struct {
	*world
	marks string // folder
}

func newTrap(t *testing.T) *trap {
	tr := &trap{world: newWorld(t)}
	tr.marks = tr.path("../marks")
	fstest.Must(t, os.MkdirAll(tr.marks, 0o700))
	return tr
}

// program returns the path of a program that leaves a mark of that name.
func (tr *trap) program(name string) string {
	path := tr.path("../traps/" + name)
	tr.write("../traps/"+name, "#!/bin/sh\necho \"$0 $*\" >>'"+filepath.Join(tr.marks, name)+"'\ncat\n")
	fstest.Must(tr.t, os.Chmod(path, 0o700))
	return path
}

func (tr *trap) marked() []string {
	var names []string
	entries, _ := os.ReadDir(tr.marks)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// config returns a configuration that names a program in every way that git knows.
func (tr *trap) config(prefix string) string {
	var b strings.Builder
	for _, l := range [][2]string{
		{"core", "fsmonitor"}, {"core", "pager"}, {"core", "editor"}, {"core", "sshCommand"}, {"core", "gitProxy"}, {"core", "askPass"}, {"core", "alternateRefsCommand"},
		{`filter "evil"`, "clean"}, {`filter "evil"`, "smudge"}, {`filter "evil2"`, "process"}, {`filter "a=b.c"`, "clean"},
		{"diff", "external"}, {`diff "evil"`, "command"}, {`diff "evil"`, "textconv"}, {`merge "evil"`, "driver"},
		{"gpg", "program"}, {`gpg "ssh"`, "program"}, {`gpg "ssh"`, "defaultKeyCommand"}, {"pager", "status"}, {"pager", "log"}, {"pager", "config"}, {"pager", "check-attr"},
		{"credential", "helper"}, {"sequence", "editor"}, {"interactive", "diffFilter"}, {`trailer "x"`, "command"}, {"uploadpack", "packObjectsHook"},
		{`remote "origin"`, "uploadpack"}, {`submodule "sub"`, "update"}, {`tar "x"`, "command"}, {`browser "x"`, "cmd"}, {`hook "x"`, "command"},
	} {
		section, key := l[0], l[1]
		value := tr.program(prefix + strings.NewReplacer(" ", "-", `"`, "").Replace(section+"."+key))
		if key == "update" || section == "alias" {
			value = "!" + value
		}
		fmt.Fprintf(&b, "[%s]\n\t%s = %s\n", section, key, value)
	}
	hooks := filepath.Dir(tr.program(prefix + "hooks/post-index-change"))
	for _, hook := range []string{"pre-auto-gc", "reference-transaction", "post-checkout", "fsmonitor-watchman", "query-watchman"} {
		tr.program(prefix + "hooks/" + hook)
	}
	fstest.Must(tr.t, os.MkdirAll(filepath.Join(tr.marks, prefix+"hooks"), 0o700))
	fmt.Fprintf(&b, "[core]\n\thooksPath = %s\n\tuntrackedCache = true\n", hooks)
	for _, command := range []string{"status", "log", "config", "check-attr", "rev-parse", "fsmonitor--daemon"} {
		fmt.Fprintf(&b, "[alias]\n\t%s = !%s\n", command, tr.program(prefix+"alias."+command))
	}
	fmt.Fprintf(&b, "[filter \"evil\"]\n\trequired = true\n[log]\n\tshowSignature = true\n[status]\n\tsubmoduleSummary = true\n[diff]\n\tignoreSubmodules = none\n\tsubmodule = diff\n[submodule]\n\trecurse = true\n[submodule \"sub\"]\n\tignore = none\n")
	fmt.Fprintf(&b, "[extensions]\n\tpartialClone = origin\n[remote \"origin\"]\n\tpromisor = true\n\turl = \"ext::%s %%S\"\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n[protocol]\n\tallow = always\n", tr.program(prefix+"transport"))
	fmt.Fprintf(&b, "[include]\n\tpath = %s\n", tr.path("../included"))
	return b.String()
}

const attributes = "* filter=evil diff=evil merge=evil\n*.2 filter=evil2\n*.3 filter=a=b.c\n"

// TestHostileRepository: nothing that a repository, a submodule of it, or a worktree
// names is ever run, and nothing is written.
func TestHostileRepository(t *testing.T) {
	tr := newTrap(t)
	for _, name := range []string{"file", "file.2", "file.3", "gone"} {
		tr.commit(name, "text of "+name+"\n")
	}
	tr.gitIn(tr.path("../other"), "clone", "-q", tr.dir, ".")
	tr.git("submodule", "--quiet", "add", tr.path("../other"), "sub")
	tr.git("commit", "-q", "-m", "a submodule")
	tr.write("file", "stashed\n")
	tr.git("stash", "-q")
	tr.git("worktree", "add", "-q", "-b", "side", tr.path("../side"))

	tr.write("../included", "[core]\n\tfsmonitor = "+tr.program("included")+"\n[filter \"evil\"]\n\tclean = "+tr.program("included-filter")+"\n")
	plain, err := os.ReadFile(tr.path(".git/config"))
	fstest.Must(t, err)
	hostile := string(plain) + tr.config("repo-") + "[extensions]\n\tworktreeConfig = true\n"
	hostile = strings.Replace(hostile, "repositoryformatversion = 0", "repositoryformatversion = 1", 1)
	tr.write(".git/config", hostile)
	tr.write(".git/config.worktree", tr.config("main-worktree-"))
	tr.write(".git/worktrees/side/config.worktree", tr.config("worktree-"))
	sub, err := os.ReadFile(tr.path(".git/modules/sub/config"))
	fstest.Must(t, err)
	tr.write(".git/modules/sub/config", string(sub)+tr.config("sub-"))
	tr.write(".gitmodules", "[submodule \"sub\"]\n\tpath = sub\n\turl = \"ext::"+tr.program("gitmodules")+"\"\n\tupdate = !"+tr.program("gitmodules-update")+"\n\tignore = none\n")
	for _, dir := range []string{".", "sub", "../side"} {
		tr.write(dir+"/.gitattributes", attributes)
		for _, name := range []string{"file", "file.2", "file.3"} {
			later := time.Now().Add(time.Hour) // git has to read the file to know that it is the same
			fstest.Must(t, os.Chtimes(tr.path(dir+"/"+name), later, later))
		}
	}
	tr.write(".git/info/attributes", attributes)
	tr.write("sub/file", "changed\n")
	tr.write(".git/hooks/post-index-change", "#!/bin/sh\ntouch '"+tr.marks+"/hook'\n")
	fstest.Must(t, errors.Join(os.Chmod(tr.path(".git/hooks/post-index-change"), 0o700), os.Remove(tr.path("gone"))))
	// A bare repository in the work tree, a program named like git, and an object that is
	// missing in a partial clone.
	tr.git("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "init", "-q", "--bare", tr.path("bare"))
	tr.write("bare/config", tr.config("bare-"))
	if err := os.RemoveAll(tr.marks); err != nil { // by the command before
		t.Fatal(err)
	}
	fstest.Must(t, os.MkdirAll(tr.marks, 0o700))

	tr.write("bin/git", "#!/bin/sh\ntouch '"+tr.marks+"/git'\n")
	fstest.Must(t, os.Chmod(tr.path("bin/git"), 0o700))
	tr.opts.Path = tr.path("bin") + string(filepath.ListSeparator) + tr.opts.Path
	tr.opts.Work = func() []string { return []string{tr.dir} }
	tr.reader = New(tr.opts)

	before := snapshot(t, tr.home)
	for _, dir := range []string{tr.dir, tr.path("../side"), tr.path("sub"), tr.path("bare")} {
		s, err := tr.reader.Read(t.Context(), dir)
		if err != nil {
			t.Errorf("%s: %v", dir, err)
		}
		if len(s.Problems) > 0 {
			t.Errorf("%s: %q", dir, s.Problems)
		}
		if dir == tr.dir && (len(s.Commits) != 5 || len(s.Stashes) != 1 || s.Uncommitted.Filtered != 1 || s.Uncommitted.Changed != 2) {
			t.Errorf("got\n%s", s.Page()) // gone, and .gitmodules, which has a filter; the others were only touched
		}
	}
	if marked := tr.marked(); len(marked) > 0 {
		t.Errorf("run were: %q", marked)
	}
	after := snapshot(t, tr.home)
	for path, was := range before {
		fstest.Equal(t, after[path], was, path)
	}

	fstest.Equal(t, len(after), len(before), "paths became")

	// With an object missing, git would have it fetched.
	head := tr.read(tr.dir).Head
	fstest.Must(t, os.Remove(tr.path(".git/objects/"+head[:2]+"/"+head[2:])))
	if s := tr.read(tr.dir); len(s.Problems) == 0 {
		t.Errorf("a missing commit is not said: %+v", s)
	}
	if marked := tr.marked(); len(marked) > 0 {
		t.Errorf("run were, with an object missing: %q", marked)
	}

	// The traps work: this is what git itself does.
	tr.write("file", "changed, so that it is filtered\n")
	_, _ = tr.run(tr.dir, "status")
	if marked := tr.marked(); len(marked) < 2 {
		t.Errorf("git itself ran only %q: the test proves nothing", marked)
	} else {
		t.Logf("git status ran %q", marked)
	}
}

// TestFiltersOfTheUser: a repository cannot choose the user's own filters either, and what
// is changed only because they are not run is said.
func TestFiltersOfTheUser(t *testing.T) {
	tr := newTrap(t)
	tr.write("../.gitconfig", "[user]\n\tname = Ada\n\temail = a@b\n[init]\n\tdefaultBranch = main\n[filter \"upper\"]\n\tclean = \"tr a-z A-Z\"\n\tsmudge = \"tr A-Z a-z\"\n")
	tr.commit(".gitattributes", "*.up filter=upper\n")
	tr.commit("a.up", "text\n")
	tr.write("../.gitconfig", "[filter \"upper\"]\n\tclean = "+tr.program("clean")+"\n\tprocess = "+tr.program("process")+"\n\trequired = true\n")
	later := time.Now().Add(time.Hour)
	fstest.Must(t, os.Chtimes(tr.path("a.up"), later, later))
	s := tr.read(tr.dir)
	if s.Uncommitted.Changed != 1 || s.Uncommitted.Filtered != 1 || !strings.Contains(s.Page(), "1 file of the changed may only have been touched") {
		t.Errorf("got %+v\n%s", s.Uncommitted, s.Page())
	}
	if marked := tr.marked(); len(marked) > 0 {
		t.Errorf("run were: %q", marked)
	}
}

// TestHostileFiles: what git would wait for or read without end.
func TestHostileFiles(t *testing.T) {
	w := newWorld(t)
	w.commit("file", "1")
	for _, name := range []string{"config", "config.worktree", "HEAD", "MERGE_MSG", "commondir"} {
		path := w.path(".git/" + name)
		before, _ := os.ReadFile(path)
		_ = os.Remove(path)
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Skip(err)
		}
		_, _ = w.reader.Read(t.Context(), w.dir) // it returns
		fstest.Must(t, os.Remove(path))
		if before != nil {
			w.write(".git/"+name, string(before))
		}
	}
	if s := w.read(w.dir); len(s.Problems) > 0 || len(s.Commits) != 1 {
		t.Errorf("got %+v", s)
	}
}

// TestOwnConfiguration: what is written for git says what the real configuration said.
func TestOwnConfiguration(t *testing.T) {
	w := newWorld(t)
	w.write("odd", "[branch \"a \\\"b\\\\c.d=e\"]\n\tmerge = \"refs/heads/\\\\x \\\" ; # y\"\n[core]\n\tignorecase\n")
	odd := parse(t, w, w.path("odd"))
	w.write("again", odd.Harmless().String())
	again := parse(t, w, w.path("again"))
	if len(odd) != 2 || fmt.Sprint(odd) != fmt.Sprint(again) {
		t.Errorf("%q became %q", odd, again)
	}
}

func parse(t *testing.T, w *world, file string) git.Settings {
	t.Helper()
	out, err := w.opts.Programs.Output(t.Context(), programs.Command{Path: programs.Find("git", os.Getenv("PATH")), Args: []string{"config", "--list", "-z", "--file", file}, Dir: w.home, Env: []string{"HOME=" + w.home}}, maxSettings)
	fstest.Must(t, err)
	return git.Parse(out)
}

// snapshot returns what a tree is: of each path its mode, size, time, and content.
func snapshot(t *testing.T, root string) map[string]string {
	t.Helper()
	all := make(map[string]string)
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		sum := [32]byte{}
		if info.Mode().IsRegular() {
			body, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			sum = sha256.Sum256(body)
		}
		all[path] = fmt.Sprintf("%v %d %v %x", info.Mode(), info.Size(), info.ModTime(), sum[:8])
		return nil
	})
	fstest.Must(t, err)
	return all
}
