package rules

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
)

// TestBadInput: what is wrong with one file is said in its line and its file, and nothing
// else suffers.
func TestBadInput(t *testing.T) {
	files := map[string]string{
		"src/shop/AGENTS.md":                  "# Good\n",
		"src/shop/.claude/rules/broken.md":    "---\n- a list\n---\nBroken front matter.\n",
		"src/shop/.claude/rules/open.md":      "---\npaths: x\nNever closed.\n",
		"src/shop/.cursor/rules/big.mdc":      "---\nalwaysApply: true\n---\n" + strings.Repeat("Ten bytes\n", 1<<20),
		"src/shop/CLAUDE.md":                  "@a.md\n",
		"src/shop/a.md":                       "A @b.md\n",
		"src/shop/b.md":                       "B @a.md\n",
		"src/shop/.cursorrules":               "-> ../../secret",
		"secret":                              "SECRET\n",
		"src/shop/GEMINI.md":                  "-> gone.md",
		"src/shop/.windsurf":                  "a file where a folder should be\n",
		"src/shop/.kiro/steering":             "-> ../../../outside",
		"outside/x.md":                        "OUTSIDE\n",
		"src/shop/.roo/rules/loop":            "-> .",
		"src/shop/.roo/rules/a\nb\x1b[31m.md": "Odd name.\n",
		"src/shop/sub/.git":                   "gitdir: ../.git/modules/sub\n",
		"src/shop/sub/AGENTS.md":              "A submodule.\n",
		"src/shop/.github/instructions/x/":    "",
		"src/shop/.junie/guidelines.md/x":     "a folder where a file should be\n",
		"src/empty/AGENTS.md":                 "\n\n",
		"src/shop/.clinerules/\xff\xfe.md":    "Not UTF-8 in its name.\n",
		"src/shop/deep/" + strings.Repeat("d/", 40) + "AGENTS.md": "Deep.\n",
	}
	w := newWorld(t, files)
	fstest.Must(t, syscall.Mkfifo(w.Path("src/shop/.rules"), 0o600))
	fstest.Must(t, os.Chmod(w.Path("src/shop/.claude/rules/open.md"), 0o600))
	w.Write("src/shop/locked/AGENTS.md", "Locked.\n")
	fstest.Must(t, os.Chmod(w.Path("src/shop/locked"), 0))
	t.Cleanup(func() { _ = os.Chmod(w.Path("src/shop/locked"), 0o700) })
	w.start(true)
	fstest.Check(t, w.Tree)

	index := w.Cat("INDEX.md")
	fstest.Contains(t, index,
		"shop/AGENTS.md — always; ", "shop/claude-rules-broken.md — always; claude-code", "[the front matter cannot be read as YAML",
		"[the front matter is not closed by a line ---]", "[it is longer than 131.1 KB, and cut here]", "[it is a link to nothing, or into a mount of ctxfs]", "note: ~/src/shop/.kiro/steering is a link that leads out of its project", "[line 1: the import a.md imports itself]",
		"shop/cursorrules.md — ", "is a link that leads out of its project]", "[it is not read: it is not a regular file]",
		"~/src/shop/sub is a repository of its own", "empty/AGENTS.md",
	)
	for _, secret := range []string{"SECRET", "OUTSIDE", "\x1b", "submodule."} {
		for _, page := range w.current.Load().pages {
			if strings.Contains(string(page.Body), secret) {
				t.Errorf("%s has %q", page.Path, secret)
			}
		}
	}
	fstest.Equal(t, strings.Count(index, "\n- "), strings.Count(index, "\n- shop/")+strings.Count(index, "\n- empty/")+strings.Count(index, "\n- note: "), "line of the index is broken", index)
	if big := w.Cat("shop/cursor-rules-big.md"); len(big) > 140<<10 || !strings.Contains(big, "[cut here: the whole is in "+w.Path("src/shop/.cursor/rules/big.mdc")+"]") {
		t.Errorf("10 MiB became %d bytes", len(big))
	}
	if os.Getuid() != 0 {
		fstest.Contains(t, index, "~/src/shop/locked cannot be read: permission denied")
	}
	page := w.Cat("for" + w.Dir + "/src/shop/x.go")
	fstest.Contains(t, page, "# Good", "Problems:", "~/src/shop/.cursorrules: it is not read: it is a link that leads out of its project")
	if strings.Contains(page, "SECRET") || len(page) > maxPage+8<<10 {
		t.Errorf("a page of %d bytes:\n%.3000s", len(page), page)
	}

	found, err := OpCheck.Ask(context.Background(), fs.Operations(w.Operations()), PathQuery{w.Path("src/shop/deep")})
	fstest.Must(t, err)
	if found.Project != w.Path("src/shop") || len(found.Findings) < 6 || found.Files < 10 {
		t.Errorf("checked %+v", found)
	}
	for _, f := range found.Findings {
		if strings.ContainsAny(f.File+f.What+f.Fix, "\n\x1b") {
			t.Errorf("finding %+v", f)
		}
	}
}

// TestLimits: a project with too many rules or folders says where it stopped.
func TestLimits(t *testing.T) {
	w := newWorld(t, map[string]string{"src/shop/AGENTS.md": "# Good\n"})
	for i := range 2600 {
		w.Write(fmt.Sprintf("src/shop/p%04d/AGENTS.md", i), fmt.Sprintf("Rule %d.\n", i))
	}
	w.start(true)
	index := w.Cat("INDEX.md")
	fstest.Contains(t, index, "shop/AGENTS.md — always", "- and ", " more\n", "note: it has more rules than are read; those below ")
	fstest.Contains(t, w.Cat("for"+w.Dir+"/src/shop/p2599/x.go"), "Rule 2599.")
	if n := strings.Count(index, "\n"); n > maxLines+20 {
		t.Errorf("the index has %d lines", n)
	}
}

// TestVanished: a workspace whose folder cannot be looked into is left out, and said.
func TestVanished(t *testing.T) {
	w := newWorld(t, map[string]string{"src/a/AGENTS.md": "A.\n", "src/b/AGENTS.md": "B.\n"})
	w.start(false)
	w.shown()
	fstest.Must(t, os.RemoveAll(w.Path("src/a")))
	w.Look()
	if w.Cat("a/AGENTS.md") != "" || w.Cat("b/AGENTS.md") == "" {
		t.Errorf("names %q", w.Ls(""))
	}
	fstest.Must(t, os.WriteFile(filepath.Join(w.Dir, "src/a"), nil, 0o600))
	w.Look()
	fstest.Contains(t, w.Cat("for"+w.Dir+"/src/a"), "# Rules for ~/src/a\n")
}

// TestOwnViews are never touched: neither by their paths nor over links into them.
func TestOwnViews(t *testing.T) {
	w := newWorld(t, map[string]string{"src/shop/AGENTS.md": "-> ../../view/AGENTS.md", "src/shop/into": "-> ../../view", "view/AGENTS.md": "OURS\n", "view/x/AGENTS.md": "OURS\n"})
	w.start(false)
	w.opts.Hide = func(path string) bool { return path == w.Path("view") }
	w.finder = w.newFinder()
	for _, path := range []string{"for" + w.Dir + "/view/x/y.go", "for" + w.Dir + "/view", "for" + w.Dir + "/src/shop/into/x/y.go", "for" + w.Dir + "/src/shop/x.go", "shop/AGENTS.md"} {
		if got := w.Cat(path); strings.Contains(got, "OURS") {
			t.Errorf("%s:\n%s", path, got)
		}
	}
}

// TestWorktrees: the rules of a repository and of its worktrees are one folder, equal ones
// once; a path in a worktree has that one's.
func TestWorktrees(t *testing.T) {
	w := newWorld(t, map[string]string{"work/": ""})
	git := func(dir string, args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.com"}, args...)...)
		cmd.Dir, cmd.Env = w.Path(dir), append(os.Environ(), "HOME="+w.Dir, "GIT_CONFIG_NOSYSTEM=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Skipf("git %q: %v\n%s", args, err, out)
		}
	}
	git("work", "init", "-q", "shop")
	w.Write("work/shop/AGENTS.md", "# The same\n")
	w.Write("work/shop/CLAUDE.md", "# Main\n")
	git("work/shop", "add", ".")
	git("work/shop", "commit", "-q", "-m", "x")
	git("work/shop", "worktree", "add", "-q", "../fix")
	w.Write("work/fix/CLAUDE.md", "# Fix\n")
	w.Visit("work/fix")
	w.start(true)
	fstest.WantNames(w.T, w.Tree, "shop", "AGENTS.md CLAUDE.md fix-CLAUDE.md")
	fstest.Contains(t, w.Cat("shop/AGENTS.md"), `source: ["`+w.Path("work/shop/AGENTS.md")+`", "`+w.Path("work/fix/AGENTS.md")+`"]`)
	page := w.Cat("for" + w.Dir + "/work/fix/x.go")
	fstest.Contains(t, page, "# Fix", "# The same", "not trusted")
	fstest.ContainsNot(t, page, "# Main")
	fstest.Must(t, w.Trust.Trust(w.Path("work/shop")))
	fstest.Contains(t, w.Cat("for"+w.Dir+"/work/fix/x.go"), "Project: ~/work/fix\n")
}
