package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestTerminated ends the background process by a signal: idle, with a user of its mount, who
// keeps the server for a while but not the name, and with one who stays.
func TestTerminated(t *testing.T) {
	t.Parallel()
	b := realBox(t) // for signals
	b.stub("zoo", "", nil)
	b.mount()
	b.ready("zoo")
	b.ok("mount", filepath.Join(b.dir, "other"))
	pid := b.pid()
	signalTo(t, pid, syscall.SIGHUP) // the end of a session is none of its business
	signalTo(t, pid, syscall.SIGTERM)
	b.ended(pid)
	if left, err := os.ReadDir(b.mnt()); err != nil || len(left) != 1 || left[0].Name() != "NOT_MOUNTED.md" {
		t.Errorf("the mount point: %v, %v", left, err)
	}

	b.mount()
	release := b.hold(b.mnt("mcps"))
	pid = b.pid()
	signalTo(t, pid, syscall.SIGTERM)
	awaitMounts(t, "the name is taken away", func() bool { return len(mountsBelow(b.dir)) == 0 })
	awaitFiles(t, filepath.Join(b.state, "ctxfs"), "the log tells who uses the mount", func() bool { return containsAll(b.log(), []string{"in use", "sleep"}) })
	release()
	b.ended(pid)

	b.mount()
	defer b.hold(b.mnt("mcps"))()
	pid = b.pid()
	signalTo(t, pid, syscall.SIGTERM)
	awaitMounts(t, "the name is taken away", func() bool { return len(mountsBelow(b.dir)) == 0 })
	signalTo(t, pid, syscall.SIGTERM)
	awaitExit(t, pid)
}

// TestUnmountBusy: unmount names who keeps the mount in use: not itself, though it may run in
// the mount, and a sandbox that was made meanwhile and so has a mount of its own of it.
func TestUnmountBusy(t *testing.T) {
	t.Parallel()
	b := realBox(t) // for its process may keep the mount in use
	b.mount()
	pid := b.pid()
	release := b.hold(b.mnt("mcps"))
	r := b.run("unmount")
	if r.code != 0 || !strings.Contains(r.out, "unmounted ~/.agentctx") || !strings.Contains(r.err, "in use by sleep (") {
		t.Errorf("unmount of a busy mount: exit %d\n%v", r.code, r)
	}
	if left := mountsBelow(b.dir); len(left) > 0 {
		t.Errorf("mounts are left: %v", left)
	}
	// The folder is free for the next one.
	b.mount()
	b.read("AGENTS.md")
	release()
	if b.pid() != pid { // else it came in time
		awaitExit(t, pid)
	}

	cmd := b.command(b.Context(), binary(), "unmount", "--json")
	cmd.Dir = b.mnt("mcps")
	// A sandbox of another test may have it, too.
	if out, err := cmd.Output(); err != nil || strings.Contains(string(out), fmt.Sprintf("(%d)", cmd.Process.Pid)) || strings.Contains(string(out), "cannot be seen") {
		t.Errorf("from within: %s, %v", out, err)
	}
	b.mount()
	cmd = b.command(b.Context(), binary(), "unmount", "..")
	cmd.Dir = b.mnt("mcps")
	file, err := os.Open(b.mnt("AGENTS.md"))
	must(t, err)
	cmd.Stdin = file
	release = b.hold(b.mnt("mcps"))
	out, err := cmd.CombinedOutput()
	must(t, file.Close())
	if err != nil || !strings.Contains(string(out), "in use by ") || !strings.Contains(string(out), "sleep (") || strings.Contains(string(out), fmt.Sprintf("(%d)", cmd.Process.Pid)) {
		t.Errorf("process %d, beside a user: %s, %v", cmd.Process.Pid, out, err)
	}
	release()

	if err := exec.Command("unshare", "--mount", "true").Run(); err != nil {
		t.Skipf("no mount namespaces here: %v", err)
	}
	b.mount()
	pid = b.pid()
	sandbox := b.follow(b.command(t.Context(), "unshare", "--mount", "--propagation", "private", "sh", "-c", "echo made; read x"))
	sandbox.sees("made")
	if r := b.run("unmount"); r.code != 0 || !strings.Contains(r.out, "unmounted ~/.agentctx") || !strings.Contains(r.err, ", in a sandbox)") {
		t.Errorf("unmount beside a sandbox: exit %d\n%v", r.code, r)
	}
	must(t, sandbox.in.Close())
	awaitExit(t, pid)
}

// front runs `ctxfs mount -f` until it has mounted.
func (b *box) front(args ...string) (cmd *exec.Cmd, out *bytes.Buffer) {
	b.Helper()
	return b.frontOf(binary(), args...)
}

func (b *box) frontOf(program string, args ...string) (cmd *exec.Cmd, out *bytes.Buffer) {
	b.Helper()
	cmd = b.command(b.Context(), program, append([]string{"mount", "-f"}, args...)...)
	out = new(bytes.Buffer)
	cmd.Stderr = out
	pipe, err := cmd.StdoutPipe()
	must(b, err)
	must(b, cmd.Start())
	lines := bufio.NewReader(pipe)
	for line := ""; !strings.Contains(line, "mounted on "); {
		if line, err = lines.ReadString('\n'); err != nil {
			b.Fatalf("mount -f: %q, %v, %s", line, err, out)
		}
	}
	go func() { _, _ = io.Copy(io.Discard, lines) }()
	return cmd, out
}

// TestForeground: a process in front serves all, until it gets a signal or its mount is taken
// away.
func TestForeground(t *testing.T) {
	t.Parallel()
	b := realBox(t) // for signals
	b.stub("zoo", "", nil)
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		cmd, out := b.front()
		if pid := b.pid(); pid != cmd.Process.Pid {
			t.Errorf("process %d serves, not %d", pid, cmd.Process.Pid)
		}
		b.ready("zoo")
		// Others are guests of it.
		b.ok("mount", filepath.Join(b.dir, "other"))
		signalTo(t, cmd.Process.Pid, sig)
		if err := cmd.Wait(); err != nil {
			t.Errorf("mount -f ended with %v: %s", err, out)
		}
		b.ended(cmd.Process.Pid)
	}
	cmd, out := b.front()
	b.ok("unmount")
	if err := cmd.Wait(); err != nil {
		t.Errorf("mount -f ended with %v: %s", err, out)
	}
}

// TestForegroundEarly gets the signal while it waits for the lock.
func TestForegroundEarly(t *testing.T) {
	t.Parallel()
	need(t, "flock")
	b := realBox(t) // for signals
	state := filepath.Join(b.state, "ctxfs")
	must(t, os.Mkdir(state, 0o700))
	lock := b.follow(b.command(b.Context(), "flock", state, "-c", "echo locked; exec cat"))
	lock.sees("locked")
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		front := b.talks(b.command(b.Context(), binary(), "mount", "-f"))
		front.sees("waiting for process")
		signalTo(t, front.cmd.Process.Pid, sig)
		if code, said := front.rest(); code != exitFailed || !strings.Contains(said, "interrupted before "+b.mnt()+" was mounted\n  ") {
			t.Errorf("%v: exit %d: %s", sig, code, said)
		}
	}
	must(t, lock.in.Close())
	lock.rest()
}

// TestForegroundBesides stays in front of a mount that the background process
// serves.
func TestForegroundBesides(t *testing.T) {
	t.Parallel()
	b := realBox(t) // for signals
	b.mount()
	pid := b.pid()
	first, second := filepath.Join(b.dir, "first"), filepath.Join(b.dir, "second")

	cmd, out := b.front(first)
	if got := b.pid(); got != pid {
		t.Errorf("process %d serves, not %d", got, pid)
	}
	signalTo(t, cmd.Process.Pid, syscall.SIGINT)
	if err := cmd.Wait(); err != nil {
		t.Errorf("mount -f ended with %v: %s", err, out)
	}

	cmd, out = b.front(second)
	b.ok("unmount", second)
	if err := cmd.Wait(); err != nil {
		t.Errorf("mount -f ended with %v: %s", err, out)
	}
	if left := mountsBelow(b.dir); len(left) != 1 || left[0] != b.mnt() {
		t.Errorf("mounts: %v", left)
	}
	b.read("AGENTS.md")
}
