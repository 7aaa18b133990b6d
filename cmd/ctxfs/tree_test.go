package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"ctxfs/cmd/ctxfs/tree"
	"ctxfs/fs/fstest"
)

// TestReadWithoutMount reads the tree by commands, without a process and with one: both
// show the same.
func TestReadWithoutMount(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.stub("zoo", "", nil)
	b.write(".claude/skills/walk/SKILL.md", "---\nname: walk\ndescription: Walks.\n---\n")
	b.writeMode(".claude/skills/walk/go.sh", "#!/bin/sh\necho walked\n", 0o755)

	// Before anything ever ran.
	if got := b.ok("cat", "mcps/zoo/STATUS.md"); !strings.HasPrefix(got, "state: stopped\n") || !strings.Contains(got, "ctxfs mount") {
		t.Errorf("a server that never ran: %s", got)
	}
	b.mount()
	b.ready("zoo")

	for _, running := range []bool{true, false} {
		if !running {
			b.ok("unmount")
		}
		fstest.Equal(t, b.ok("ls"), ".ignore\nAGENTS.md\nSTATUS.md\nagents/\nexec/\nfind/\nmcps/\nmemory/\nplans/\nresults/\nrules/\nskills/\nterminals/\ntranscripts/\nworkspaces/\n", "ls")
		fstest.Equal(t, b.ok("ls", "mcps/zoo/tools", b.mnt("skills/walk"), "skills/walk/SKILL.md"), "mcps/zoo/tools:\ngreet.json\n\nskills/walk:\nSKILL.md\ngo.sh\nskills/walk/SKILL.md\n", "ls of several")
		if got := b.ok("ls", "-l", "skills/walk"); !strings.Contains(got, "-r-xr-xr-x        22  20") || strings.Count(got, "Z  ") != 2 {
			t.Errorf("ls -l: %q", got)
		}
		fstest.Contains(t, b.ok("ls", "-R"), ".:\n", "\nmcps/zoo/tools:\ngreet.json\n", "\nskills/agentctx:\nSKILL.md\n")
		var entries []tree.Entry
		if err := json.Unmarshal([]byte(b.ok("ls", "-R", "--json", "skills/walk")), &entries); err != nil || len(entries) != 2 ||
			entries[1].Path != "skills/walk/go.sh" || entries[1].Size != 22 || entries[1].Type != "file" || entries[1].Modified.IsZero() {
			t.Errorf("ls --json: %+v, %v", entries, err)
		}
		fstest.Contains(t, b.ok("ls", "--json", "skills/walk/go.sh"), `"path": "skills/walk/go.sh"`)
		fstest.Equal(t, b.ok("cat", "skills/walk/go.sh", b.mnt("skills/walk/go.sh")), strings.Repeat("#!/bin/sh\necho walked\n", 2), "cat")
		fstest.Equal(t, b.sh("cd "+b.home+" && ctxfs cat ./.agentctx/.ignore | head -n 1"), "!*\n", "cat of a relative path")

		b.refused(exitFailed, []string{"ctxfs: nothing/here: no such file or folder"}, "ls", "nothing/here")
		b.refused(exitFailed, []string{"ctxfs: mcps: is a directory"}, "cat", "mcps")
		b.refused(exitFailed, []string{"not a directory"}, "cat", "mcps/zoo/STATUS.md/x")
		b.refused(exitFailed, []string{"is not in a mount of ctxfs", "ctxfs ls"}, "cat", "../../etc/passwd")
		b.refused(exitUsage, []string{"which file of the tree?"}, "cat")
		// The others are still shown.
		if r := b.run("cat", "nothing", "skills/walk/go.sh"); r.code != exitFailed || !strings.Contains(r.out, "walked") || !strings.Contains(r.err, "nothing") {
			t.Errorf("cat of what is there and what is not: exit %d\n%v", r.code, r)
		}

		for word, want := range map[string]string{
			"mcps/":        "mcps/CALLS.tsv\nmcps/INDEX.md\nmcps/zoo/\n:",
			"mcps/zoo/to":  "mcps/zoo/tools/\n:",
			"skills/walk/": "skills/walk/SKILL.md\nskills/walk/go.sh\n:",
			"none/":        ":",
		} {
			if got := b.ok("__complete", "ls", word); !strings.HasPrefix(got, want) {
				t.Errorf("completion of %q: %q", word, got)
			}
		}
		if got := b.ok("__complete", "restart", ""); !strings.HasPrefix(got, "zoo\n:") {
			t.Errorf("completion of a server: %q", got)
		}
		want := ":"
		if running {
			want = b.mnt() + "\n:"
		}
		if got := b.ok("__complete", "unmount", ""); !strings.HasPrefix(got, want) {
			t.Errorf("completion of a mount: %q", got)
		}
	}
	// The mount's path means the tree, wherever the mount is.
	fstest.Equal(t, b.ok("ls", filepath.Join(b.mnt(), "mcps/zoo/tools")), "greet.json\n", "ls of a path of the mount")
}

// TestClosedPipe pipes into a command that reads one line.
func TestClosedPipe(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	fstest.ContainsNot(t, b.shell("set -o pipefail; ctxfs ls -R | head -n 1").err, "panic")
}

// TestHintsLeadSomewhere: in an empty home no hint names a command that shows
// nothing, and a misspelt path is corrected.
func TestHintsLeadSomewhere(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.refused(exitFailed, []string{"no agent has left a session in the home folder yet"}, "history")
	fstest.Contains(t, b.run("history", "--all").exits(t, exitOK).err, "no agent has left a session in the home folder "+b.home)
	b.refused(exitFailed, []string{"mpcs: no such file or folder", "\n  did you mean: mcps\n"}, "ls", "mpcs")
	b.refused(exitFailed, []string{"\n  did you mean: mcps/INDEX.md\n"}, "cat", "mpcs/INDEX.md")
	b.refused(exitFailed, []string{"\n  did you mean: skills/agentctx\n"}, "ls", "skills/agentcxt")
	b.ok("mount")
	b.refused(exitFailed, []string{"no MCP server is configured", "ctxfs cat mcps/INDEX.md"}, "restart")
	b.refused(exitFailed, []string{"\n  did you mean: skills/agentctx\n"}, "ls", "skills/agentcxt")
}
