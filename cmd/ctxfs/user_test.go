package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ctxfs/fs/fstest"
)

// TestOrdinaryUser has a user who is not root do everything, through
// fusermount3.
func TestOrdinaryUser(t *testing.T) {
	t.Parallel()
	need(t, "rg", "fusermount3")
	b := newUserBox(t)
	b.stub("zoo", "", nil)
	b.write(".claude/skills/walk/SKILL.md", "---\nname: walk\ndescription: Walks.\n---\n")
	b.writeMode(".claude/skills/walk/go.sh", "#!/bin/sh\necho walked\n", 0o755)
	b.mount()
	reach := func(state string) {
		b.Helper()
		b.settled()
		if got := b.sh("cat .agentctx/mcps/zoo/STATUS.md"); !strings.HasPrefix(got, "state: "+state+"\n") {
			b.Errorf("the server: %s", got)
		}
		if got := b.sh("rg -l xylophone .agentctx; .agentctx/skills/walk/go.sh; stat -c %u .agentctx/AGENTS.md"); got != ".agentctx/mcps/zoo/tools/greet.json\nwalked\n"+b.sh("id -u") {
			t.Errorf("the mount: %q", got)
		}
	}
	b.ok("wait", "server", "zoo", "ready")
	reach("ready")
	b.refuses()
	if r := b.run("doctor"); r.code != 0 || !strings.Contains(r.out, "through fusermount3") {
		t.Errorf("doctor: exit %d\n%v", r.code, r)
	}
	if left := mountsBelow(b.dir); len(left) != 1 {
		t.Errorf("mounts: %v", left)
	}

	// A dead one is replaced, even while it is in use.
	pid := b.pid()
	release := b.hold(b.mnt("mcps"))
	signalTo(t, pid, syscall.SIGKILL)
	awaitExit(t, pid)
	b.mount()
	release()
	reach("cached")

	// Two at once, one of them in use.
	other := filepath.Join(b.dir, "h/other")
	b.ok("mount", other)
	defer b.hold(other)()
	if r := b.run("unmount", other); r.code != 0 || !strings.Contains(r.err, "in use by sleep") {
		t.Errorf("unmount of a busy mount: exit %d\n%v", r.code, r)
	}
	b.ok("unmount")
	if left := mountsBelow(b.dir); len(left) > 0 {
		t.Errorf("mounts are left: %v", left)
	}
}

// TestSpoiledFolders has folders of ctxfs's own that cannot be written to: the
// mount works, and says what is wrong.
func TestSpoiledFolders(t *testing.T) {
	t.Parallel()
	b := newUserBox(t)
	b.stub("zoo", "", nil)
	b.sh("mkdir -p " + b.cache + "/ctxfs && chmod 0500 " + b.cache + "/ctxfs")
	b.mount()
	b.ok("wait", "server", "zoo", "ready")
	b.settled()
	if got := b.sh("cat .agentctx/mcps/zoo/STATUS.md"); !strings.HasPrefix(got, "state: ready\n") {
		t.Errorf("the server: %s", got)
	}
	if got := b.sh("ls .agentctx/mcps/zoo/tools"); got != "greet.json\n" {
		t.Errorf("tools: %q", got)
	}
	if r := b.run("doctor"); r.code != exitProblems || !strings.Contains(r.out, "cannot write to "+b.cache+"/ctxfs") {
		t.Errorf("doctor: exit %d\n%v", r.code, r)
	}
	b.sh("chmod 0700 " + b.cache + "/ctxfs")
}

// TestUnmountFails: what cannot be unmounted is not said to be, goes on, and is not
// uninstalled.
func TestUnmountFails(t *testing.T) {
	t.Parallel()
	b := newUserBox(t)
	real, err := exec.LookPath("fusermount3")
	must(t, err)
	b.writeMode("bin/fusermount3", "#!/bin/sh\nif [ \"$1\" = -u ] && [ ! -e ~/mended ]; then echo 'no mtab' >&2; exit 1; fi\nexec "+real+" \"$@\"\n", 0o755)
	b.setenv("PATH", filepath.Join(b.home, "bin")+":"+os.Getenv("PATH"))
	b.mount()
	words := []string{"~/.agentctx is still mounted", "no mtab", "umount -l " + b.mnt()}
	b.refused(1, words, "unmount")
	b.refused(1, words, "unmount", "--all")
	b.refused(1, words, "uninstall", "--yes")
	b.sh("cat .agentctx/AGENTS.md")
	fstest.Contains(t, b.ok("status"), "~/.agentctx")
	b.write("mended", "")
	fstest.Contains(t, b.ok("unmount"), "unmounted ~/.agentctx")
}
