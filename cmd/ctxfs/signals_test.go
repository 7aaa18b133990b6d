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

func TestTerminated(t *testing.T) {
	t.Parallel()
	b := realBox(t)
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
}

// TestTerminatedBusy has a process work in the mount: it loses its name at
// once, and its server after a moment.
func TestTerminatedBusy(t *testing.T) {
	t.Parallel()
	b := realBox(t)
	b.mount()
	release := b.hold(b.mnt("mcps"))
	pid := b.pid()
	signalTo(t, pid, syscall.SIGTERM)
	awaitMounts(t, "the name is taken away", func() bool { return len(mountsBelow(b.dir)) == 0 })
	awaitFiles(t, filepath.Join(b.state, "ctxfs"), "the log tells who uses the mount", func() bool { return containsAll(b.log(), []string{"in use", "sleep"}) })
	release()
	b.ended(pid)
}

// TestTerminatedTwice does not wait for a user of the mount that stays.
func TestTerminatedTwice(t *testing.T) {
	t.Parallel()
	b := realBox(t)
	b.mount()
	defer b.hold(b.mnt("mcps"))()
	pid := b.pid()
	signalTo(t, pid, syscall.SIGTERM)
	awaitMounts(t, "the name is taken away", func() bool { return len(mountsBelow(b.dir)) == 0 })
	signalTo(t, pid, syscall.SIGTERM)
	awaitExit(t, pid)
}

func TestUnmountBusy(t *testing.T) {
	t.Parallel()
	b := realBox(t)
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
	if b.pid() == pid {
		return // it came in time
	}
	awaitExit(t, pid)
}

// TestUnmountFromWithin: the command that unmounts does not keep the mount in use, and
// names others that do, not itself.
func TestUnmountFromWithin(t *testing.T) {
	t.Parallel()
	b := realBox(t)
	b.mount()
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
	release := b.hold(b.mnt("mcps"))
	defer release()
	out, err := cmd.CombinedOutput()
	must(t, file.Close())
	if err != nil || !strings.Contains(string(out), "in use by ") || !strings.Contains(string(out), "sleep (") || strings.Contains(string(out), fmt.Sprintf("(%d)", cmd.Process.Pid)) {
		t.Errorf("process %d, beside a user: %s, %v", cmd.Process.Pid, out, err)
	}
}

// TestUnmountBesideASandbox does not wait for a sandbox that was made while the tree was
// mounted and so has a mount of its own of it.
func TestUnmountBesideASandbox(t *testing.T) {
	t.Parallel()
	if err := exec.Command("unshare", "--mount", "true").Run(); err != nil {
		t.Skipf("no mount namespaces here: %v", err)
	}
	b := realBox(t)
	b.mount()
	pid := b.pid()
	sandbox := b.command(t.Context(), "unshare", "--mount", "--propagation", "private", "sh", "-c", "echo made; read x")
	in, err := sandbox.StdinPipe()
	must(t, err)
	out, err := sandbox.StdoutPipe()
	must(t, err)
	must(t, sandbox.Start())
	_, err = io.ReadFull(out, make([]byte, len("made\n")))
	must(t, err)
	r := b.run("unmount")
	if r.code != 0 || !strings.Contains(r.out, "unmounted ~/.agentctx") || !strings.Contains(r.err, ", in a sandbox)") {
		t.Errorf("unmount beside a sandbox: exit %d\n%v", r.code, r)
	}
	must(t, in.Close())
	_ = sandbox.Wait() // of read
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

func TestForeground(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			b := realBox(t)
			b.stub("zoo", "", nil)
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
		})
	}
}

// TestForegroundEarly gets the signal while it waits for the lock.
func TestForegroundEarly(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			need(t, "flock")
			b := realBox(t)
			state := filepath.Join(b.state, "ctxfs")
			must(t, os.Mkdir(state, 0o700))
			lock := b.command(b.Context(), "flock", state, "-c", "echo locked; exec cat")
			end, err := lock.StdinPipe()
			must(t, err)
			locked, err := lock.StdoutPipe()
			must(t, err)
			must(t, lock.Start())
			_, err = locked.Read(make([]byte, 10))
			must(t, err)
			cmd := b.command(b.Context(), binary(), "mount", "-f")
			pipe, err := cmd.StderrPipe()
			must(t, err)
			must(t, cmd.Start())
			errs := bufio.NewReader(pipe)
			if line, err := errs.ReadString('\n'); !strings.Contains(line, "waiting for process") {
				t.Errorf("it says %q, %v", line, err)
			}
			signalTo(t, cmd.Process.Pid, sig)
			said, _ := io.ReadAll(errs)
			_ = cmd.Wait()
			if code := cmd.ProcessState.ExitCode(); code != exitFailed || !strings.Contains(string(said), "interrupted before "+b.mnt()+" was mounted\n  ") {
				t.Errorf("exit %d: %s", code, said)
			}
			end.Close()
			must(t, lock.Wait())
		})
	}
}

// TestForegroundUnmounted ends when its mount is taken away.
func TestForegroundUnmounted(t *testing.T) {
	t.Parallel()
	b := realBox(t)
	cmd, out := b.front()
	b.ok("unmount")
	if err := cmd.Wait(); err != nil {
		t.Errorf("mount -f ended with %v: %s", err, out)
	}
}

// TestForegroundBesides stays in front of a mount that the background process
// serves.
func TestForegroundBesides(t *testing.T) {
	t.Parallel()
	b := realBox(t)
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
