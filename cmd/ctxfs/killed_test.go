package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"ctxfs/fs/fstest"
	"ctxfs/mounts"
)

// TestKilled has the background process killed while a server has left a
// child behind that outlives everything.
func TestKilled(t *testing.T) {
	t.Parallel()
	b := realBox(t) // for kills
	b.stub("zoo", "stubborn", nil)
	b.servers["parent"] = map[string]any{"command": "sh", "args": []string{"-c", "sleep 1000 & exec " + stubPath()}, "env": map[string]string{stubMode: ""}}
	b.configure()
	other := filepath.Join(b.dir, "other")
	b.mount()
	b.ok("mount", other)
	b.ready("zoo", "parent")
	known := b.read("mcps/zoo/tools/greet.json")
	pid := b.pid()
	signalTo(t, pid, syscall.SIGKILL)
	awaitExit(t, pid)
	orphans := processesOf(b.dir)
	defer func() {
		for _, p := range processesOf(b.dir) {
			if slices.Contains(orphans, p) {
				_ = syscall.Kill(p.pid, syscall.SIGKILL)
			}
		}
	}()

	// Who looks gets an answer at once.
	for _, dir := range []string{b.mnt(), other} {
		r := b.do("timeout", "100", "cat", filepath.Join(dir, "mcps/none"))
		// Which of the two depends on whether the kernel had the request yet.
		if r.code != 1 || !strings.Contains(r.err, "not connected") && !strings.Contains(r.err, "connection abort") {
			t.Errorf("cat of a dead mount: exit %d\n%v", r.code, r)
		}
		if r := b.do("timeout", "100", "ls", "-l", dir); r.code == 124 {
			t.Error("ls of a dead mount hangs")
		}
	}

	r := b.run("status")
	if r.code != exitNotRunning || strings.Count(r.out, "dead; fix: ctxfs mount") != 2 {
		t.Errorf("status: exit %d\n%v", r.code, r)
	}
	report := b.status()
	if report.Running || report.Pid != 0 || len(report.Mounts) != 2 || report.Mounts[0].State != mounts.Dead {
		t.Errorf("status --json: %+v", report)
	}
	if r := b.run("doctor"); r.code != exitProblems || !containsAll(r.out, []string{"fix: ctxfs mount ~/.agentctx", "fix: ctxfs mount " + other}) {
		t.Errorf("doctor: exit %d\n%v", r.code, r)
	}
	// What needs no mount needs no process either.
	if got := b.ok("cat", "mcps/zoo/tools/greet.json"); got != known {
		t.Errorf("cat without a process: %s", got)
	}

	// A dead mount is replaced by a mount in its place, and removed by unmount.
	b.mount()
	if got := b.read("mcps/zoo/tools/greet.json"); got != known {
		t.Errorf("the tool after the mending: %s", got)
	}
	if got := b.ok("unmount", other); !strings.Contains(got, "unmounted "+other) {
		t.Errorf("unmount of the dead mount: %s", got)
	}
	if report := b.status(); len(report.Mounts) != 1 || report.Mounts[0].State != mounts.Healthy {
		t.Errorf("status after mending: %+v", report)
	}
	b.ok("restart") // cached servers start when they are used
	b.ready("zoo", "parent")
}

// TestKilledOverAndOver kills the process as soon as it has mounted.
func TestKilledOverAndOver(t *testing.T) {
	fstest.OptIn(t, "chaos")
	t.Parallel()
	b := realBox(t)
	b.stub("zoo", "", nil)
	for range 5 {
		b.mount()
		signalTo(t, b.pid(), syscall.SIGKILL)
	}
	b.mount()
	b.read("AGENTS.md")
	if points := mountsBelow(b.dir); len(points) != 1 {
		t.Errorf("mounts: %v", points)
	}
}

// hold has a process work in a folder until the returned function is called.
func (b *box) hold(dir string) (end func()) {
	b.Helper()
	cmd := b.command(b.Context(), "sleep", "1000")
	cmd.Dir = dir
	must(b, cmd.Start())
	return func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
}

// TestDeadMounts has mounts replaced: a dead one that is still in use, and one whose process
// is stopped while its state folder has been lost, so that a new process finds it. One that is
// taken away with the system's own tools ends its process.
func TestDeadMounts(t *testing.T) {
	t.Parallel()
	b := realBox(t) // for kills
	b.mount()
	release := b.hold(b.mnt("mcps"))
	signalTo(t, b.pid(), syscall.SIGKILL)
	b.mount()
	b.read("AGENTS.md")
	release()

	pid := b.pid()
	stop(t, pid)
	defer func() {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}()
	must(t, os.RemoveAll(filepath.Join(b.state, "ctxfs")))
	report := b.status()
	if len(report.Mounts) != 1 || report.Mounts[0].State != mounts.Hung {
		t.Errorf("status: %+v", report)
	}
	b.mount()
	b.read("AGENTS.md")
	if points := mountsBelow(b.dir); len(points) != 1 {
		t.Errorf("mounts: %v", points)
	}

	now := b.pid()
	if out, err := exec.Command("umount", b.mnt()).CombinedOutput(); err != nil {
		t.Skipf("umount: %v: %s", err, out)
	}
	b.ended(now)
}
