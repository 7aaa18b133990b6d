package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
)

// TestFind finds with a background process and without one: both find the same.
func TestFind(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.stub("zoo", "", nil)
	b.write(".claude/skills/walk/SKILL.md", "---\nname: walk\ndescription: Goes for a stroll. Slowly.\n---\n")
	b.refused(exitFailed, []string{`nothing matches "gret"`, "\n  try other words"}, "find", "gret")
	b.mount()
	b.ready("zoo")

	for _, running := range []bool{true, false} {
		if !running {
			b.ok("unmount")
		}
		if got := b.ok("find", "-n", "1", "greet", "somebody"); got != "zoo/greet(who?) — Says hello to a xylophone.\n  ctxfs call zoo greet\n" {
			t.Errorf("find greet: %q", got)
		}
		if got := b.ok("find", "I want to go for a strol"); got != "nothing good; nearest:\nskills/walk/SKILL.md — Goes for a stroll.\n" {
			t.Errorf("find a misspelt word: %q", got)
		}
		var matches []fs.Match
		if err := json.Unmarshal([]byte(b.ok("find", "--json", "--in", b.mnt("skills"), "stroll")), &matches); err != nil || len(matches) != 1 ||
			matches[0].Path != "skills/walk/SKILL.md" || matches[0].Title != "walk" || matches[0].Why != "Goes for a stroll." || matches[0].Score <= 0 {
			t.Errorf("find --json: %+v, %v", matches, err)
		}
		// Several wants have a list each, and what fits two is told once.
		if got, want := b.ok("find", "greet somebody", "a stroll", "hello xylophone"), "# greet somebody\nzoo/greet(who?) — Says hello to a xylophone.\n  ctxfs call zoo greet\n\n"+
			"# a stroll\nskills/walk/SKILL.md — Goes for a stroll.\n\n# hello xylophone\nalso: zoo/greet\n"; got != want {
			t.Errorf("three wants: %s", got)
		}
		var each []struct{ Want, Path, Use, Signature, Whole string }
		if err := json.Unmarshal([]byte(b.ok("find", "--json", "greet somebody", "go for a stroll")), &each); err != nil || len(each) != 2 ||
			each[0].Want != "greet somebody" || each[0].Use != "ctxfs call zoo greet" || each[0].Signature != "zoo/greet(who?)" || each[1].Want != "go for a stroll" || each[1].Whole != "skills/walk" {
			t.Errorf("find --json: %+v, %v", each, err)
		}
		if got := b.ok("find", "go", "for a", "stroll"); strings.Contains(got, "#") {
			t.Errorf("one want: %s", got)
		}
		b.refused(exitFailed, []string{`nothing matches "stroll"`}, "find", "--in", "mcps", "stroll")
		b.refused(exitFailed, []string{"mpcs: no such file or folder"}, "find", "--in", "mpcs", "stroll")
		b.refused(exitUsage, []string{"-n takes a number from 1"}, "find", "-n", "0", "stroll")
		b.refused(exitUsage, []string{"what should be found?"}, "find")
		if got := b.ok("__complete", "find", "--in", "skills/wa"); !strings.HasPrefix(got, "skills/walk/\n") {
			t.Errorf("completion of --in: %q", got)
		}
	}

	// What changes is found as it is.
	b.mount()
	b.write(".claude/skills/walk/SKILL.md", "---\nname: walk\ndescription: Flies to the moon.\n---\n")
	fstest.Eventually(t, "the changed skill is found", func() bool {
		return strings.HasPrefix(b.run("find", "--in", "skills", "moon").out, "skills/walk/SKILL.md")
	})
	must(t, os.RemoveAll(filepath.Join(b.home, ".claude/skills/walk")))
	fstest.Eventually(t, "the removed skill is not found", func() bool { return b.run("find", "--in", "skills", "moon").code == exitFailed })
}

// TestFindFolder finds by the names of folders, in a mount and without one.
func TestFindFolder(t *testing.T) {
	t.Parallel()
	need(t, "rg")
	b := newBox(t)
	b.stub("zoo", "", nil)
	b.write(".claude/skills/walk/SKILL.md", "---\nname: walk\ndescription: Goes for a stroll.\n---\nfirst\n")
	b.mount()
	b.ready("zoo")
	if got := b.sh("cd .agentctx && ls find find/mcps && ls -A find/skills/'go for a strol' | head -n 1"); got != "find:\nREADME.md\n\nfind/mcps:\nREADME.md\n01-walk.md\n" {
		t.Errorf("ls: %q", got)
	}
	if got := b.sh("cmp .agentctx/find/greet/01-zoo-greet.json .agentctx/mcps/zoo/tools/greet.json && ctxfs cat find/greet/01-zoo-greet.json | head -n 2 | tail -n 1"); got != "\"name\":\"greet\",\n" {
		t.Errorf("the file that was found: %q", got)
	}
	if got := b.sh("cd .agentctx && ls find/.git find/package.json find/zzzzqqqq find/mcps/stroll 2>&1 | grep -c 'No such file'"); got != "4\n" {
		t.Errorf("what does not exist: %q", got)
	}
	// Nothing walks into what nobody lists.
	if got := b.sh("cd .agentctx && rg -l stroll; find find | sort"); got != "skills/walk/SKILL.md\nfind\nfind/README.md\n" {
		t.Errorf("rg and find: %q", got)
	}
	// A name of bytes that are not text is a name like any other.
	if r := b.shell("cd .agentctx && ls find/$'\\xff\\xfe' find/$'a\\nb' find/' ' \"find/$(printf 'x%.0s' $(seq 255))\""); r.code > 2 || strings.Contains(r.err, "nput/output") {
		t.Errorf("odd names: exit %d\n%s", r.code, r.err)
	}

	// What was found changes in place, and goes.
	if got := b.sh("tail -n 1 .agentctx/find/stroll/01-walk.md"); got != "first\n" {
		t.Errorf("before the change: %q", got)
	}
	must(t, os.WriteFile(filepath.Join(b.home, ".claude/skills/walk/SKILL.md"), []byte("---\nname: walk\ndescription: Goes for a stroll.\n---\nthe second, which is longer\n"), 0o600))
	fstest.Eventually(t, "the change is seen where it was found", func() bool {
		return b.shell("tail -n 1 .agentctx/find/stroll/01-walk.md").out == "the second, which is longer\n"
	})
	must(t, os.RemoveAll(filepath.Join(b.home, ".claude/skills/walk")))
	fstest.Eventually(t, "what has gone is not found", func() bool {
		_, err := os.Lstat(b.mnt("find/stroll"))
		return os.IsNotExist(err)
	})
	b.write(".claude/skills/run/SKILL.md", "---\nname: run\ndescription: A stroll, but fast.\n---\n")
	fstest.Eventually(t, "what has come is found", func() bool {
		_, err := os.Lstat(b.mnt("find/stroll/01-run.md"))
		return err == nil
	})
}
