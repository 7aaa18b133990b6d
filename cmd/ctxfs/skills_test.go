package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs/fstest"
)

func TestSkills(t *testing.T) {
	t.Parallel()
	need(t, "rg")
	b := newBox(t)
	card := func(name, text string) string {
		return "---\nname: " + name + "\ndescription: Use it to " + name + ".\n---\n" + text + "\n"
	}
	b.write(".claude/skills/one/SKILL.md", card("one", "unicorn"))
	b.write(".cursor/skills/two/SKILL.md", card("two", "unicycle"))
	b.write(".codex/skills/three/SKILL.md", card("three", "unison"))
	b.write(".claude/skills/bare/README.md", "no SKILL.md here")
	b.write(".claude/skills/torn/SKILL.md", "---\nname: [\n---\ntext\n")
	b.writeMode(".claude/skills/one/scripts/run", "#!/bin/sh\necho \"ran $1 in $(dirname \"$0\")\"\n", 0o755)
	b.mount()
	if got := b.sh("ls .agentctx/skills"); !containsAll(got, []string{"one\n", "two\n", "three\n", "torn\n", "agentctx\n"}) {
		t.Errorf("skills: %q", got)
	}
	if got := b.sh("rg -l unic .agentctx/skills | sort"); got != ".agentctx/skills/one/SKILL.md\n.agentctx/skills/two/SKILL.md\n" {
		t.Errorf("rg: %q", got)
	}
	if got := b.sh(".agentctx/skills/one/scripts/run fast"); got != "ran fast in .agentctx/skills/one/scripts\n" {
		t.Errorf("the script: %q", got)
	}
	b.shows("skills/INDEX.md", "Use it to one.", "Use it to three.", "torn", "bare")
	if r := b.run("doctor"); r.code != exitProblems || !strings.Contains(r.out, "torn") {
		t.Errorf("doctor: exit %d\n%v", r.code, r)
	}

	// Changes on disk.
	b.write(".claude/skills/one/SKILL.md", card("one", "a unicorn with wings"))
	b.shows("skills/one/SKILL.md", "a unicorn with wings")
	must(t, os.WriteFile(filepath.Join(b.home, ".claude/skills/one/SKILL.md"), []byte(card("one", "in place")), 0o600))
	b.shows("skills/one/SKILL.md", "in place")
	b.write(".agents/skills/four/SKILL.md", card("four", "the folder is new too"))
	b.shows("skills/four/SKILL.md", "the folder is new too")
	b.shows("skills/INDEX.md", "Use it to four.")
	b.shows("AGENTS.md", "four")
	must(t, os.RemoveAll(filepath.Join(b.home, ".cursor/skills/two")))
	fstest.Eventually(t, "the removed skill has gone", func() bool {
		_, err := os.Lstat(b.mnt("skills/two"))
		return os.IsNotExist(err) && !strings.Contains(b.sh("ls .agentctx/skills"), "two")
	})
	b.write(".claude/skills/torn/SKILL.md", card("torn", "mended"))
	fstest.Eventually(t, "the fault has gone", func() bool { return !strings.Contains(b.read("STATUS.md"), "torn/SKILL.md") })
}
