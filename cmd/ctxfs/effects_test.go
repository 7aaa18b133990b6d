package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestReadingHasNoEffects runs all kinds of tools over the whole mount, and
// counts what servers are asked meanwhile: nothing.
func TestReadingHasNoEffects(t *testing.T) {
	t.Parallel()
	need(t, "rg")
	b := newBox(t)
	journal := filepath.Join(b.dir, "journal")
	mute := filepath.Join(b.dir, "mute")
	b.stub("zoo", "", map[string]string{stubJournal: journal})
	b.stub("mute", "silent", map[string]string{stubJournal: mute})
	b.write(".claude/skills/walk/SKILL.md", "---\nname: walk\ndescription: Walks.\n---\n")
	b.write(".config/ctxfs/config.toml", "[mcp.servers.mute]\nstart_timeout = 600\n") // a second start is not an effect of reading
	b.mount()
	b.ready("zoo")
	asked := func() string {
		zoo, err := os.ReadFile(journal)
		must(t, err)
		mute, _ := os.ReadFile(mute)
		return string(zoo) + string(mute)
	}
	b.ok("wait", "file", mute, "--for", "start")
	before := asked()
	if !strings.Contains(before, "tools/list\n") {
		t.Fatalf("the journal is %q", before)
	}
	for _, script := range []string{
		"rg x", "rg -uuu x", "rg -L --hidden --no-ignore .", "grep -r x . | cat", "ls -lR", "ls -laR mcps", "find . -type f -size +0", "find . -newer AGENTS.md",
		"du -a", "tar c . | cat", "cp -r . ../copy", "wc -c $(find . -type f)", "file $(find . -type f) || :", "cat $(find . -type f)", "stat .git .gitignore .hg mcps/.git || :",
		"git -C mcps status || :", "ctxfs ls -R", "ctxfs cat STATUS.md", "ctxfs sync --once ../plain",
	} {
		r := b.shell("cd .agentctx && " + script)
		if r.code > 1 {
			t.Errorf("%s: exit %d\n%s", script, r.code, r.err)
		}
		if after := asked(); after != before {
			t.Errorf("%s: servers were asked: %q", script, strings.TrimPrefix(after, before))
			before = after
		}
	}
}

// TestNameProbes are answered at once and without a trace.
func TestNameProbes(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.mount()
	for _, name := range []string{".git", ".gitignore", ".hg", ".rgignore", "mcps/.git", "skills/.gitignore"} {
		if _, err := os.Lstat(b.mnt(name)); !os.IsNotExist(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestReadOnly refuses what would change the mount, by name of the error.
func TestReadOnly(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.write(".claude/skills/walk/SKILL.md", "---\nname: walk\ndescription: Walks.\n---\n")
	b.mount()
	b.refuses()
}

// refuses tries to change the mount.
func (b *box) refuses() {
	b.Helper()
	for _, script := range []string{
		"rm -f AGENTS.md", "rm -rf skills/walk", "mv AGENTS.md x", "touch AGENTS.md", "touch new", "echo x > new", "echo x > AGENTS.md",
		"echo x >> skills/walk/SKILL.md", "mkdir new", "ln -s x new", "ln AGENTS.md new", "chmod 777 AGENTS.md", "chown 1 AGENTS.md",
		"truncate -s 0 STATUS.md", "cp STATUS.md new", "mkfifo new", "rmdir skills",
	} {
		r := b.shell("cd .agentctx && " + script)
		if r.code == 0 || !strings.Contains(strings.ToLower(r.err), "read-only file system") {
			b.Errorf("%s: exit %d: %s", script, r.code, r.err)
		}
	}
}
