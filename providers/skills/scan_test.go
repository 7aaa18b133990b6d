package skills

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"ctxfs/fs"
	conform "ctxfs/fs/fstest"
	"ctxfs/providers/skills/check"
	"ctxfs/providers/skills/locate"
)

func TestNamesThatAreTaken(t *testing.T) {
	f := start(t, home(t, map[string]string{
		".claude/skills/a/SKILL.md":        md("a", "from Claude Code"),
		".cursor/skills/a/SKILL.md":        md("a", "from Cursor"),
		".codex/skills/a/SKILL.md":         md("a", "from Codex"),
		".codex/skills/.system/a/SKILL.md": md("a", "from the system"),
		".agents/skills/a/SKILL.md":        md("a", "from agents"),
		".agents/skills/A~Cursor/SKILL.md": md("A~Cursor", "has the name of another"),
		".agents/skills/agentctx/SKILL.md": md("agentctx", "mine"),
		".agents/skills/index.md/SKILL.md": md("index.md", "not the index"),
	}), offline)
	f.wantNames("", "INDEX.md", "a", "a~cursor~2", "a~codex", "a~codex~2", "a~agents", "A~Cursor", "agentctx", "agentctx~builtin", "index.md~agents")
	f.wantIndex("a — from Claude Code", "a~cursor~2 — from Cursor", "a~codex — from Codex", "a~codex~2 — from the system", "a~agents — from agents", "agentctx — mine")
}

func TestCodexHome(t *testing.T) {
	elsewhere := home(t, map[string]string{"skills/x/SKILL.md": md("x", "elsewhere")})
	f := start(t, home(t, map[string]string{".codex/skills/y/SKILL.md": md("y", "not here")}), func(o *Options) {
		o.LookupEnv = func(key string) (string, bool) { return elsewhere, key == "CODEX_HOME" }
	})
	f.wantNames("", "INDEX.md", "agentctx", "x")
}

func TestLinks(t *testing.T) {
	h := home(t, map[string]string{
		// As skill installers do: the skill in one place, links to it in others.
		".agents/skills/shared/SKILL.md": md("shared", "one skill"),
		".claude/skills/shared":          "-> ../../.agents/skills/shared",
		".cursor/skills":                 "-> ../.agents/skills",
		// As home managers do.
		"store/abc-skill.md":               md("managed", "from a store"),
		"store/abc-notes.md":               "notes",
		".claude/skills/managed/SKILL.md":  "-> ../../../store/abc-skill.md",
		".claude/skills/managed/notes.md":  "-> ../../../store/abc-notes.md",
		"dev/tools/one/SKILL.md":           md("one", "below a link"),
		".claude/skills/dev":               "-> ../../dev/tools",
		".claude/skills/loop":              "-> .",
		".claude/skills/up":                "-> ../..",
		".claude/skills/dead":              "-> nowhere",
		".claude/skills/round":             "-> round",
		".claude/skills/file":              "-> ../../store/abc-notes.md",
		".claude/skills/broken/SKILL.md":   "-> nowhere.md",
		".claude/skills/inner/sub/deep/up": "-> ../..",
	})
	f := start(t, h)
	f.wantNames("", "INDEX.md", "agentctx", "shared", "managed", "one", "broken", "inner")
	entries, err := f.tree.List(t.Context(), f.Root())
	must(t, err)
	for _, e := range entries {
		if e.Type&os.ModeSymlink != 0 {
			t.Errorf("%s is a link", e.Name)
		}
	}
	if got := f.read("managed/SKILL.md"); got != md("managed", "from a store") {
		t.Errorf("SKILL.md is %q", got)
	}
	entries, err = f.tree.List(t.Context(), f.node("managed").(fs.Dir))
	must(t, err)
	if entries[0].Type != 0 || entries[1].Type != os.ModeSymlink {
		t.Errorf("SKILL.md must be a file and notes.md a link: %+v", entries)
	}
	f.wantIndex("one — below a link", "managed — from a store", "shared — one skill",
		"- ~/.claude/skills/dead: is a link to nothing, or into a mount of ctxfs; fix: link it again or remove it",
		"- ~/.claude/skills/broken/SKILL.md: is a link to nothing, or into a mount of ctxfs [SKILL.md: required (agentskills spec, directory structure)]; fix: link it to the file again, or remove it")
	for _, root := range []string{".claude/skills", ".agents/skills", "dev/tools"} {
		if !slices.Contains(f.Roots(), filepath.Join(h, root)) {
			t.Errorf("%s is missing in %q", root, f.Roots())
		}
	}
	must(t, fstest.TestFS(conform.FS(t.Context(), f.tree), "managed/SKILL.md"))

	// The targets of links are watched too.
	put(t, filepath.Join(h, "store/abc-skill.md"), md("managed", "from a newer store"), false)
	f.await("the new description", func() bool { return strings.Contains(f.read("INDEX.md"), "managed — from a newer store") })
	put(t, filepath.Join(h, "dev/tools/two/SKILL.md"), md("two", "new below a link"), false)
	f.await("the new skill", func() bool { return slices.Contains(f.names(""), "two") })
}

func TestNestedSkills(t *testing.T) {
	f := start(t, home(t, map[string]string{
		".claude/skills/group/a/SKILL.md":            md("a", "nested"),
		".claude/skills/group/more/b/SKILL.md":       md("b", "nested deeper"),
		".claude/skills/group/docs/readme.md":        "no skill",
		".claude/skills/1/2/3/4/SKILL.md":            md("4", "at the limit"),
		".claude/skills/one/two/three/four/five/six": "too deep",
		".claude/skills/empty/":                      "",
		".claude/skills/synced/":                     "",
		".codex/skills/.system/s/SKILL.md":           md("s", "system"),
		".codex/skills/.system/.x/t/SKILL.md":        md("t", "hidden"),
		".claude/skills/a/b/node_modules/x/SKILL.md": md("x", "not mine"),
	}), offline)
	f.wantNames("", "INDEX.md", "agentctx", "a", "a~claude-code", "b", "4", "one", "empty", "s")
	f.wantIndex("a — (no description, see Problems)", "a~claude-code — nested", "s — system",
		"- ~/.claude/skills/empty: has no SKILL.md, and no folder below it has one [SKILL.md: required (agentskills spec, directory structure)]; fix: write one with name and description, or move the folder away")
	// The first one by path gets the name; a folder without SKILL.md is shown too.
	f.wantNames("one/two/three/four/five", "six")
}

func TestHiddenFoldersAreNotTouched(t *testing.T) {
	h := home(t, map[string]string{".claude/skills/a/SKILL.md": md("a", "x"), ".claude/skills/mnt/SKILL.md": md("mnt", "x"), ".claude/skills/a/mnt/x": "x"})
	f := start(t, h, func(o *Options) { o.Hide = func(path string) bool { return filepath.Base(path) == "mnt" } })
	f.wantNames("", "INDEX.md", "a", "agentctx")
	f.wantNames("a", "SKILL.md")
}

// A link into one of our own mounts is not followed: a dead mount would hang the scan.
func TestLinksIntoAMountOfOurs(t *testing.T) {
	h := home(t, map[string]string{
		"mnt/skills/x/SKILL.md":        md("x", "in the mount"),
		".claude/skills/x":             "-> ../../mnt/skills/x",
		".claude/skills/y/SKILL.md":    "-> ../../../mnt/skills/x/SKILL.md",
		".claude/skills/z/SKILL.md":    md("z", "fine"),
		".claude/skills/z/more/x.md":   "-> ../../../../mnt/skills/x/SKILL.md",
		".claude/skills/root":          "-> ../../mnt",
		".cursor/skills":               "-> ../mnt/skills",
		".agents/skills/one/SKILL.md/": "",
	})
	mount := filepath.Join(h, "mnt")
	f := start(t, h, func(o *Options) {
		o.Hide = func(path string) bool {
			if strings.HasPrefix(path, mount+"/") {
				t.Errorf("%s lies in the mount and was asked for", path)
			}
			return path == mount
		}
	})
	f.wantNames("", "INDEX.md", "agentctx", "one", "y", "z")
	f.wantIndex("- ~/.claude/skills/x: "+check.DeadLink+"; fix: link it again or remove it", "z — fine")
}

func TestASkillInASkill(t *testing.T) {
	h := home(t, map[string]string{
		".claude/skills/outer/SKILL.md":       md("outer", "x"),
		".claude/skills/outer/inner/SKILL.md": md("inner", "x"),
		".cursor/skills/inner":                "-> ../../.claude/skills/outer/inner",
	})
	f := start(t, h)
	f.wantNames("", "INDEX.md", "agentctx", "inner", "outer")
	put(t, filepath.Join(h, ".claude/skills/outer/inner/notes"), "x", false)
	f.expect("inner/notes")
	f.expect("outer/inner/notes")
}

func TestTooManyFolders(t *testing.T) {
	files := map[string]string{".claude/skills/zz/SKILL.md": md("zz", "x"), ".claude/skills/a/SKILL.md": md("a", "first")}
	for i := range locate.MaxFolders {
		files[fmt.Sprintf(".claude/skills/group/%d/", i)] = ""
	}
	f := start(t, home(t, files))
	f.wantNames("", "INDEX.md", "a", "agentctx", "group", "zz")
	f.wantIndex(
		"- ~/.claude/skills: contains more folders than are searched; some skills may be missing here; fix: move what is not a skill out of it",
		"- ~/.claude/skills: not all changes are noticed: it contains more than 10000 folders; fix: move what is not a skill out of it")
	live := 0
	for _, name := range f.names("group") {
		if f.attr("group/" + name).Live {
			live++
		}
	}
	if live == 0 || live == locate.MaxFolders {
		t.Errorf("%d of %d folders are live", live, locate.MaxFolders)
	}
	if f.Status().State != "degraded" {
		t.Errorf("status %+v", f.Status())
	}
}
