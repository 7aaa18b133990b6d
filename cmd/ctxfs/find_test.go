package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/fs/facts"
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
		fstest.Equal(t, b.ok("find", "-n", "1", "greet", "somebody"), "zoo/greet(who?) — Says hello to a xylophone.\n  ctxfs call zoo greet\n", "find greet")
		if got := b.ok("find", "I want to go for a strol"); got != "nothing good; nearest:\nskills/walk/SKILL.md — Goes for a stroll.\n" {
			t.Errorf("find a misspelt word: %q", got)
		}
		var matches []facts.Match
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
		fstest.ContainsNot(t, b.ok("find", "go", "for a", "stroll"), "#")
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
	b.settles("the changed skill is found", func() bool {
		return strings.HasPrefix(b.run("find", "--in", "skills", "moon").out, "skills/walk/SKILL.md")
	})
	must(t, os.RemoveAll(filepath.Join(b.home, ".claude/skills/walk")))
	b.settles("the removed skill is not found", func() bool { return b.run("find", "--in", "skills", "moon").code == exitFailed })
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
	fstest.Equal(t, b.sh("cd .agentctx && ls find find/mcps && ls -A find/skills/'go for a strol' | head -n 1"), "find:\nLEARNED.md\nREADME.md\n\nfind/mcps:\nREADME.md\n00-LIST.md\n", "ls")
	fstest.Equal(t, b.sh("cmp .agentctx/find/greet/01-zoo-greet.json .agentctx/mcps/zoo/tools/greet.json && ctxfs cat find/greet/01-zoo-greet.json | head -n 2 | tail -n 1"), "\"name\":\"greet\",\n", "the file that was found")
	fstest.Equal(t, b.sh("cd .agentctx && ls find/.git find/package.json find/zzzzqqqq find/mcps/stroll 2>&1 | grep -c 'No such file'"), "4\n", "what does not exist")
	// Nothing walks into what nobody lists.
	fstest.Equal(t, b.sh("cd .agentctx && rg -l stroll; find find | sort"), "skills/walk/SKILL.md\nfind\nfind/LEARNED.md\nfind/README.md\n", "rg and find")
	// A name of bytes that are not text is a name like any other.
	if r := b.shell("cd .agentctx && ls find/$'\\xff\\xfe' find/$'a\\nb' find/' ' \"find/$(printf 'x%.0s' $(seq 255))\""); r.code > 2 || strings.Contains(r.err, "nput/output") {
		t.Errorf("odd names: exit %d\n%s", r.code, r.err)
	}

	// What was found changes in place, and goes.
	fstest.Equal(t, b.sh("tail -n 1 .agentctx/find/stroll/01-walk/SKILL.md"), "first\n", "before the change")
	must(t, os.WriteFile(filepath.Join(b.home, ".claude/skills/walk/SKILL.md"), []byte("---\nname: walk\ndescription: Goes for a stroll.\n---\nthe second, which is longer\n"), 0o600))
	b.settles("the change is seen where it was found", func() bool {
		return b.shell("tail -n 1 .agentctx/find/stroll/01-walk/SKILL.md").out == "the second, which is longer\n"
	})
	must(t, os.RemoveAll(filepath.Join(b.home, ".claude/skills/walk")))
	b.absent("find/stroll")
	b.write(".claude/skills/run/SKILL.md", "---\nname: run\ndescription: A stroll, but fast.\n---\n")
	b.settles("what has come is found", func() bool {
		_, err := os.Lstat(b.mnt("find/stroll/01-run/SKILL.md"))
		return err == nil
	})
}

// TestFoundFolders: what is found is there whole, a skill with its scripts and a session
// with its transcript, and is seen to change through find/ as where it lies.
func TestFoundFolders(t *testing.T) {
	t.Parallel()
	need(t, "rg")
	b := newBox(t)
	journal := filepath.Join(b.dir, "journal")
	b.stub("zoo", "", map[string]string{stubJournal: journal})
	b.write(".claude/skills/walk/SKILL.md", "---\nname: walk\ndescription: Goes for a stroll.\n---\nfirst\n")
	b.write(".claude/skills/walk/scripts/go.sh", "#!/bin/sh\necho strolling\n")
	must(t, os.Chmod(filepath.Join(b.home, ".claude/skills/walk/scripts/go.sh"), 0o700))
	l := b.claude(wombatID, "Mend the wombat").idle()
	b.mount()
	b.rendered()
	b.ready("zoo")
	b.shows(l.transcript(), "Mend the wombat")

	stroll, wombat := b.mnt("find/stroll"), b.mnt("find/mend the wombat")
	fstest.Equal(t, b.sh("ls .agentctx/find/stroll .agentctx/find/stroll/01-walk"), ".agentctx/find/stroll:\n00-LIST.md\n01-walk\n\n.agentctx/find/stroll/01-walk:\nSKILL.md\nscripts\n", "ls")
	fstest.Equal(t, b.sh(".agentctx/find/stroll/01-walk/scripts/go.sh; cat .agentctx/find/stroll/00-LIST.md; ctxfs find stroll"), "strolling\n"+strings.Repeat("skills/walk/SKILL.md — Goes for a stroll.\n", 2), "the script, the list and the command")
	fstest.Equal(t, b.sh("cd .agentctx; rg -l 'stroll' find/stroll | sort"), "find/stroll/01-walk/SKILL.md\nfind/stroll/01-walk/scripts/go.sh\n", "rg")
	session := "01-" + filepath.Base(l.folder)
	fstest.Equal(t, b.sh("cd .agentctx; rg -l -i wombat 'find/mend the wombat'"), "find/mend the wombat/"+session+"/transcript.md\n", "rg in a session")
	fstest.Contains(t, b.sh("cat .agentctx/find/'mend the wombat'/0[1-3]*.md"), "Mend the wombat")
	fstest.Contains(t, b.read("find/mend the wombat/00-LIST.md"), "/blocks/00001.md — "+sessionDay, " user in ~/work: ")

	// It grows, while it is followed and beside.
	transcript := filepath.Join(wombat, session, "transcript.md")
	follower := b.follow(b.command(t.Context(), "tail", "-n", "+1", "-s", "0.05", "-f", transcript))
	follower.sees("Mend the wombat")
	for i := range 20 {
		l.assistant(fmt.Sprintf("answer %d to the wombat %s.", i, strings.Repeat("x", i*977%5000)))
		if i%5 == 0 {
			follower.sees(fmt.Sprintf("answer %d ", i))
		}
	}
	follower.sees("answer 19 ")
	b.settles("the whole of it is seen where it was found", func() bool {
		return b.shell("cmp .agentctx/"+l.transcript()+" '"+transcript+"' && tail -n 3 '"+transcript+"' | rg -q 'answer 19 ' && rg -c answer '"+wombat+"' | rg -q ':20$'").code == 0
	})

	// Files come, change and go.
	b.write(".claude/skills/walk/scripts/go.sh", "#!/bin/sh\necho strolling, and then running all the way home\n")
	b.write(".claude/skills/walk/NOTES.md", "notes\n")
	b.settles("the changed and the new file are seen", func() bool {
		return b.shell("cd '"+stroll+"/01-walk' && tail -n 1 scripts/go.sh && cat NOTES.md").out == "echo strolling, and then running all the way home\nnotes\n"
	})
	must(t, os.Remove(filepath.Join(b.home, ".claude/skills/walk/NOTES.md")))
	b.settles("the file has gone", func() bool {
		return b.shell("cd '"+stroll+"/01-walk' && ! cat NOTES.md 2>&1 && ls").out == "cat: NOTES.md: No such file or directory\nSKILL.md\nscripts\n"
	})
	must(t, os.RemoveAll(filepath.Join(b.home, ".claude/skills/walk")))
	b.settles("the skill has gone", func() bool {
		_, err := os.Lstat(filepath.Join(stroll, "01-walk"))
		return os.IsNotExist(err)
	})

	// No loop, no way to write, and nothing was called.
	if r := b.shell("cd '" + wombat + "' && find . | wc -l && ! touch x && ! ls find"); r.code != 0 {
		t.Errorf("exit %d: %s%s", r.code, r.out, r.err)
	}
	if heard, err := os.ReadFile(journal); err != nil || strings.Contains(string(heard), "tools/call") {
		t.Errorf("the server heard: %s, %v", heard, err)
	}
}
