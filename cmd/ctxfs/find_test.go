package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/providers/find"
)

// TestFind finds with a background process and without one: both find the same.
func TestFind(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.stub("zoo", "", nil)
	b.write(".claude/skills/walk/SKILL.md", "---\nname: walk\ndescription: Goes for a stroll. Slowly.\n---\n")
	b.refused(exitFailed, []string{`nothing is found for "gret"`, "\n  try other words"}, "find", "gret")
	b.mount()
	b.ready("zoo")

	for _, running := range []bool{true, false} {
		if !running {
			b.ok("unmount")
		}
		if got := b.ok("find", "-n", "1", "greet", "somebody"); !strings.HasPrefix(got, "mcps/zoo/tools/greet.json — ") || strings.Count(got, "\n") != 1 {
			t.Errorf("find greet: %q", got)
		}
		if got := b.ok("find", "I want to go for a strol"); !strings.HasPrefix(got, "skills/walk/SKILL.md — Goes for a stroll. (") {
			t.Errorf("find a misspelt word: %q", got)
		}
		var matches []find.Match
		if err := json.Unmarshal([]byte(b.ok("find", "--json", "--in", b.mnt("skills"), "stroll")), &matches); err != nil || len(matches) != 1 ||
			matches[0].Path != "skills/walk/SKILL.md" || matches[0].Title != "walk" || matches[0].Why != "Goes for a stroll." || matches[0].Score <= 0 {
			t.Errorf("find --json: %+v, %v", matches, err)
		}
		b.refused(exitFailed, []string{`nothing is found for "stroll"`}, "find", "--in", "mcps", "stroll")
		b.refused(exitFailed, []string{"mpcs: no such file or folder"}, "find", "--in", "mpcs", "stroll")
		b.refused(exitUsage, []string{"-n takes a number from 1"}, "find", "-n", "0", "stroll")
		b.refused(exitUsage, []string{"requires at least 1 arg"}, "find")
		if got := b.ok("__complete", "find", "--in", "skills/wa"); !strings.HasPrefix(got, "skills/walk/\n") {
			t.Errorf("completion of --in: %q", got)
		}
	}

	// What changes is found as it is.
	b.mount()
	b.write(".claude/skills/walk/SKILL.md", "---\nname: walk\ndescription: Flies to the moon.\n---\n")
	eventually(t, "the changed skill is found", func() bool {
		return strings.HasPrefix(b.run("find", "--in", "skills", "moon").out, "skills/walk/SKILL.md")
	})
	must(t, os.RemoveAll(filepath.Join(b.home, ".claude/skills/walk")))
	eventually(t, "the removed skill is not found", func() bool { return b.run("find", "--in", "skills", "moon").code == exitFailed })
}
