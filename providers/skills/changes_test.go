package skills

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

func (f *fixture) has(name string) func() bool {
	return func() bool { return slices.Contains(f.names(""), name) }
}

func (f *fixture) hasNot(name string) func() bool {
	return func() bool { return !f.has(name)() }
}

func (f *fixture) says(words string) func() bool {
	return func() bool { return strings.Contains(f.read("INDEX.md"), words) }
}

func TestARootThatAppearsLater(t *testing.T) {
	h := home(t, nil)
	f := start(t, h)
	put(t, filepath.Join(h, ".agents/skills/new/SKILL.md"), md("new", "appeared"), false)
	f.await("the skill is there", f.says("new — appeared"))
	put(t, filepath.Join(h, ".claude/skills/new/SKILL.md"), md("new", "takes the name"), false)
	f.await("the name has gone over", f.says("new — takes the name"))
	f.wantNames("", "INDEX.md", "agentctx", "new", "new~agents")
	must(t, os.RemoveAll(filepath.Join(h, ".claude")))
	f.await("the name has come back", f.says("new — appeared"))
	f.wantNames("", "INDEX.md", "agentctx", "new")
}

func TestSkillsComeAndGo(t *testing.T) {
	h := home(t, map[string]string{".claude/skills/a/SKILL.md": md("a", "first")})
	root := filepath.Join(h, ".claude/skills")
	f := start(t, h)
	root0 := f.attr("")

	put(t, filepath.Join(root, "b/SKILL.md"), md("b", "second"), false)
	f.await("b is there", f.says("b — second"))
	if a := f.attr(""); a.Version == root0.Version {
		t.Error("the root's version has not moved")
	}
	put(t, filepath.Join(root, "c/notes.md"), "x", false)
	f.await("c is there, with its fault", f.says("~/.claude/skills/c: has no SKILL.md"))
	put(t, filepath.Join(root, "c/SKILL.md"), md("c", "third"), false)
	f.await("the fault is gone", func() bool { return f.says("c — third")() && !f.says("Problems")() })

	must(t, os.Rename(filepath.Join(root, "b"), filepath.Join(root, "d")))
	f.await("b is d, which is not its name", func() bool { return f.hasNot("b")() && f.says("is not the name of its folder")() })
	fstest.Equal(t, f.read("d/SKILL.md"), md("b", "second"), "d has not b's text")
	must(t, os.RemoveAll(filepath.Join(root, "d")))
	f.await("d is gone", func() bool { return f.hasNot("d")() && !f.says("Problems")() })
	f.wantNames("", "INDEX.md", "a", "agentctx", "c")

	must(t, os.Symlink(filepath.Join(home(t, map[string]string{"s/SKILL.md": md("e", "linked")}), "s"), filepath.Join(root, "e")))
	f.await("the link is a folder", f.says("e — linked"))
	must(t, os.Remove(filepath.Join(root, "e")))
	f.await("the link is gone", f.hasNot("e"))
}

func TestChangesInASkill(t *testing.T) {
	h := home(t, map[string]string{".claude/skills/a/SKILL.md": md("a", "first"), ".claude/skills/a/scripts/run.sh": "old"})
	skill := filepath.Join(h, ".claude/skills/a")
	f := start(t, h)
	index, script, node := f.attr("INDEX.md"), f.attr("a/scripts/run.sh"), f.node("a")

	put(t, filepath.Join(skill, "scripts/run.sh"), "newer", false)
	f.expect("a/scripts/run.sh")
	if a := f.attr("a/scripts/run.sh"); a.Version == script.Version || a.Size != 5 || f.read("a/scripts/run.sh") != "newer" {
		t.Errorf("the script after the change: %+v", a)
	}
	must(t, os.Chmod(filepath.Join(skill, "scripts/run.sh"), 0o755))
	f.expect("a/scripts/run.sh")
	f.await("it is executable", func() bool { return f.attr("a/scripts/run.sh").Mode == 0o555 })
	put(t, filepath.Join(skill, "new/deep/file"), "x", false)
	f.expect("a/new")
	f.await("all is watched", func() bool { return !f.attr("a/new/deep").Live })
	put(t, filepath.Join(skill, "new/deep/file"), "y", false)
	f.expect("a/new/deep/file")
	must(t, os.RemoveAll(filepath.Join(skill, "new")))
	f.expect("a/new")
	fstest.Equal(t, f.attr("INDEX.md"), index, "the index has changed though no SKILL.md has")

	// As editors save a file.
	for i, text := range []string{"second", "third!", "fourth"} {
		tmp := filepath.Join(skill, ".SKILL.md.swp")
		put(t, tmp, md("a", text), false)
		must(t, os.Rename(tmp, filepath.Join(skill, "SKILL.md")))
		f.expect("INDEX.md")
		f.await("the index tells "+text, f.says("a — "+text))
		if i == 0 && f.attr("INDEX.md").Version == index.Version {
			t.Error("the version of the index has not moved")
		}
	}
	// In place, with the same length, and at once.
	for _, text := range []string{"fifth!", "sixth!", "eighth"} {
		put(t, filepath.Join(skill, "SKILL.md"), md("a", text), false)
		f.await("the index tells "+text, f.says("a — "+text))
	}
	must(t, os.Remove(filepath.Join(skill, "SKILL.md")))
	f.await("the skill stays, with its fault", f.says("~/.claude/skills/a: has no SKILL.md"))
	fstest.Equal(t, f.node("a"), node, "the folder is another node now")
}

func TestTimesMoveWithTheText(t *testing.T) {
	h := home(t, map[string]string{".claude/skills/a/SKILL.md": md("a", "x")})
	f := start(t, h)
	last := f.attr("INDEX.md")
	for _, path := range []string{"b", "c"} {
		put(t, filepath.Join(h, ".claude/skills", path, "SKILL.md"), md(path, "x"), false)
		f.await(path+" is there", f.says(path+" — x"))
		now := f.attr("INDEX.md")
		if now.ModTime.Equal(last.ModTime) || now.Version == last.Version {
			t.Errorf("before %+v, after %+v", last, now)
		}
		last = now
	}
}

func TestCloseEndsTheNews(t *testing.T) {
	h := home(t, map[string]string{".claude/skills/a/SKILL.md": md("a", "x")})
	f := start(t, h)
	must(t, f.Close())
	put(t, filepath.Join(h, ".claude/skills/a/SKILL.md"), md("a", "y"), false)
	fstest.Equal(t, len(f.changes), 0, "told after Close")
	f.wantNames("", "INDEX.md", "a", "agentctx")
}
