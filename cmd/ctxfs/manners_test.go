package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ctxfs/fs/fstest"
)

// TestBackgroundProcessHoldsNothing that was its starter's: neither descriptors, nor a
// terminal, nor a folder. Only a process of its own shows that.
func TestBackgroundProcessHoldsNothing(t *testing.T) {
	t.Parallel()
	need(t, "flock")
	b := realBox(t)
	b.sh("mkdir there && cd there && exec 9>../lock && flock 9 && ctxfs mount")
	b.sh("flock -n lock true && rmdir there")
	fstest.Equal(t, b.sh("readlink /proc/$(ctxfs status --json | jq .pid)/cwd"), "/\n", "it works in")
	// Pipes that are read to their ends do not wait for it. A slow machine may have it say
	// what it waits for, as an error.
	b.ok("unmount")
	if got := b.sh("{ ctxfs mount 2>&1 >&3 | cat >errors; } 3>&1 | cat | wc -l"); strings.TrimSpace(got) != "2" {
		t.Errorf("mount prints %s lines, and as errors %s", got, b.sh("cat errors"))
	}
}

// TestOddFolders mounts on folders with names that mount tables and shells have trouble with;
// the real program leaves some behind when it is killed, which fusermount3 takes away.
func TestOddFolders(t *testing.T) {
	t.Parallel()
	for _, b := range []*box{newBox(t), newUserBox(t)} {
		for _, name := range []string{"two words", "tab\tand\nline", `back\slash\040`, "a,b=c", "#hash'quote\"", "-dash", "ünï\U0001f980"} {
			dir := filepath.Join(b.home, name)
			b.ok("mount", "--", dir)
			if m := b.status().Mounts; len(m) != 1 || m[0].Dir != dir || m[0].State != "ok" {
				t.Errorf("%q: status: %+v", name, m)
			}
			if r := b.do("ls", dir); !strings.Contains(r.out, "AGENTS.md\n") {
				t.Errorf("%q: ls: %v", name, r)
			}
			if out := b.ok("mount", "--", dir); !strings.HasPrefix(out, "already") {
				t.Errorf("%q: the second mount says %s", name, out)
			}
			if b.inside == nil {
				signalTo(t, b.pid(), syscall.SIGKILL)
				b.ok("mount", "--", dir)
			}
			b.ok("unmount", "--", dir)
			if left := mountsBelow(b.home); len(left) > 0 {
				t.Fatalf("%q: mounts are left: %v", name, left)
			}
		}
	}
}

// TestLinksToTheMount are what users make who want an agent to find the skills
// of all others. The process must not wait for itself.
func TestLinksToTheMount(t *testing.T) {
	t.Parallel()
	b := newBox(t)
	b.mount()
	b.write(".claude/skills/walk/SKILL.md", "---\nname: walk\ndescription: Walks.\n---\n")
	must(t, os.Symlink(b.mnt("skills", "agentctx"), filepath.Join(b.home, ".claude/skills/loop")))
	must(t, os.Symlink(b.mnt(), filepath.Join(b.home, ".claude/skills/all")))
	must(t, os.MkdirAll(filepath.Join(b.home, ".codex"), 0o700))
	must(t, os.Symlink(b.mnt("skills"), filepath.Join(b.home, ".codex/skills")))
	b.shows("skills/walk/SKILL.md", "Walks.")
	b.write(".claude/skills/walk/SKILL.md", "---\nname: walk\ndescription: Walks on.\n---\n")
	b.shows("skills/INDEX.md", "Walks on.")
	b.sh("cat .codex/skills/walk/SKILL.md; ls -R .agentctx/skills")
	b.ok("ls", "-R", "skills")
	b.ok("unmount")
	b.ok("ls", "-R", "skills")
}

// TestHelpWithoutAHome is there where nothing else is.
func TestHelpWithoutAHome(t *testing.T) {
	t.Parallel()
	b := newBox(t).with("HOME", "relative")
	for _, args := range [][]string{{"--help"}, {"mount", "--help"}, {"--version"}} {
		if got := b.ok(args...); !strings.Contains(got, "ctxfs") {
			t.Errorf("%q: %s", args, got)
		}
	}
	if r := b.run("status"); r.code != exitFailed || r.err != "ctxfs: the home folder is not known\n  set HOME to an absolute path\n" {
		t.Errorf("status: %v", r)
	}
}

// TestReadOnlyHome is what an agent in a sandbox may have: it can look. The real program is
// another user's; root may write everywhere.
func TestReadOnlyHome(t *testing.T) {
	t.Parallel()
	b := newUserBox(t)
	b.write(".claude/skills/walk/SKILL.md", "---\nname: walk\ndescription: Walks.\n---\n")
	b.sh("chmod 0500 ~ " + b.state + " " + b.cache)
	b.ok("cat", "skills/walk/SKILL.md")
	b.ok("ls", "-R")
	if r := b.run("status"); r.code != exitNotRunning {
		t.Errorf("status: exit %d\n%v", r.code, r)
	}
	fstest.Contains(t, b.run("doctor").exits(t, exitProblems).out, "cannot write to "+b.state)
	b.refused(exitFailed, []string{"cannot make the mount point", "permission denied", "\n  mount where you can write: ctxfs mount DIR"}, "mount")
	b.sh("chmod 0700 ~ " + b.state)
	// A cache that cannot be written to keeps nobody from mounting.
	b.mount()
	b.sh("chmod 0700 " + b.cache)
}
