package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ctxfs/cmd/ctxfs/mount"
	"ctxfs/fs/fstest"
	"ctxfs/mounts/control"
)

// newPlainBox is a box of a user without XDG variables, in which the real program finds its
// way: other homes, sandboxes and runtime folders are of processes.
func newPlainBox(t *testing.T) *box {
	t.Helper()
	b := realBox(t)
	for _, name := range []string{"XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"} {
		b.setenv(name, "")
	}
	b.state, b.cache = filepath.Join(b.home, ".local/state"), filepath.Join(b.home, ".cache")
	return b
}

// TestOneProcessForEachHome looks for the background process of a home from
// everywhere where its state folder can be seen.
func TestOneProcessForEachHome(t *testing.T) {
	t.Parallel()
	b := newPlainBox(t)
	link := filepath.Join(b.dir, "link")
	bound := filepath.Join(b.dir, "bound")
	run := filepath.Join(b.dir, "run")
	must(t, os.Symlink(b.home, link))
	must(t, os.Mkdir(bound, 0o700))
	b.mount()
	pid := b.pid()

	direct := func(changes ...string) func() *exec.Cmd {
		return func() *exec.Cmd { return b.with(changes...).command(t.Context(), binary(), "status", "--json") }
	}
	inside := func(words ...string) func() *exec.Cmd {
		return func() *exec.Cmd {
			need(t, words[0])
			return b.command(t.Context(), words[0], append(words[1:], binary(), "status", "--json")...)
		}
	}
	for _, c := range []struct {
		name string
		from func() *exec.Cmd
	}{
		{"a runtime folder", direct("XDG_RUNTIME_DIR", run)},
		{"a runtime folder that is not there", direct("XDG_RUNTIME_DIR", filepath.Join(b.dir, "none"))},
		{"another temporary folder", direct("TMPDIR", run)},
		{"other settings and caches", direct("XDG_CONFIG_HOME", run, "XDG_CACHE_HOME", run)},
		{"its own state folder, named", direct("XDG_STATE_HOME", b.state)},
		{"cron", inside("env", "-i", "HOME="+b.home, "PATH=/usr/bin:/bin")},
		{"a link to the home", direct("HOME", link)},
		{"the home by a path with dots", direct("HOME", b.home+"/../h/")},
		{"a bind mount of the home", inside("unshare", "-m", "sh", "-c", "mount --bind "+b.home+" "+bound+` && HOME=`+bound+` exec "$@"`, "sh")},
		{"a sandbox with a /tmp of its own", inside("bwrap", "--ro-bind", "/", "/", "--tmpfs", "/tmp", "--ro-bind", b.dir, b.dir, "--ro-bind", filepath.Dir(binary()), filepath.Dir(binary()), "--dev", "/dev", "--proc", "/proc")},
		{"a sandbox with processes of its own", inside("bwrap", "--ro-bind", "/", "/", "--unshare-all", "--dev", "/dev", "--proc", "/proc")},
	} {
		t.Run(c.name, func(t *testing.T) {
			cmd := c.from()
			var said bytes.Buffer // that it waits, perhaps
			cmd.Stderr = &said
			out, err := cmd.Output()
			var report mount.StatusReport
			if err != nil || json.Unmarshal(out, &report) != nil || report.Pid != pid {
				t.Errorf("process %d, not %d: %v\n%s%s", report.Pid, pid, err, out, &said)
			}
		})
	}
	fstest.Contains(t, b.with("XDG_RUNTIME_DIR", run, "TMPDIR", run).ok("mount"), "already mounted")
	var record control.Record
	if err := json.Unmarshal([]byte(readFile(t, filepath.Join(b.state, "ctxfs/daemon.json"))), &record); err != nil || record.Pid != pid || record.Socket != filepath.Join(b.state, "ctxfs/daemon.sock") {
		t.Errorf("the record: %+v, %v", record, err)
	}
	for path, mode := range map[string]os.FileMode{"": 0o700, "daemon.sock": 0o600, "daemon.json": 0o600} {
		if info, err := os.Stat(filepath.Join(b.state, "ctxfs", path)); err != nil || info.Mode().Perm() != mode {
			t.Errorf("%s: %v, %v", path, info, err)
		}
	}
}

// TestTwoHomes has two homes of one user: neither sees anything of the other.
func TestTwoHomes(t *testing.T) {
	t.Parallel()
	a := newPlainBox(t)
	a.stub("zoo", "", nil)
	a.mount()
	a.ready("zoo")
	second := filepath.Join(a.dir, "second/h")
	must(t, os.MkdirAll(second, 0o700))
	b := a.with("HOME", second)
	b.home, b.state, b.servers = second, filepath.Join(second, ".local/state"), make(map[string]map[string]any)
	b.stub("aquarium", "", nil)
	b.mount()
	b.ready("aquarium")
	if a.pid() == b.pid() {
		t.Error("two homes have one process")
	}
	for _, c := range []struct {
		of         *box
		has, lacks string
	}{{a, "zoo", "aquarium"}, {b, "aquarium", "zoo"}} {
		list := c.of.ok("ls", "mcps")
		if !strings.Contains(list, c.has) || strings.Contains(list, c.lacks) || strings.Contains(c.of.read("mcps/INDEX.md"), c.lacks) {
			t.Errorf("%s shows %s", c.of.home, list)
		}
		if m := c.of.status().Mounts; len(m) != 1 || m[0].Dir != c.of.mnt() {
			t.Errorf("%s: %+v", c.of.home, m)
		}
	}
	// A tool of the one is called by its file, whoever has which home.
	fstest.Contains(t, b.sh(a.mnt("mcps/zoo/bin/greet")+" --who Ada"), "Ada")

	// A mount of the one cannot be used by the other.
	words := []string{fmt.Sprintf("the ctxfs process of the home folder %s (%d) has mounted %s", a.home, a.pid(), a.mnt()), "\n  to free it: fusermount3 -u " + a.mnt()}
	b.refused(exitFailed, words, "mount", a.mnt())
	there := fmt.Sprintf("HOME=%s ctxfs unmount %s", a.home, a.mnt())
	words = []string{fmt.Sprintf("ctxfs: %s belongs to the ctxfs of %s (process %d)\n  unmount it there: %s\n", a.mnt(), a.home, a.pid(), there)}
	b.refused(exitFailed, words, "unmount", a.mnt())
	elsewhere := a.with("XDG_STATE_HOME", filepath.Join(a.dir, "elsewhere"))
	elsewhere.refused(exitFailed, []string{" belongs to the ctxfs of " + a.home, "unmount it there: XDG_STATE_HOME=" + a.state + " ctxfs unmount "}, "unmount")
	words = []string{fmt.Sprintf("the background process of this home (%d) has the state folder %s/ctxfs, not", a.pid(), a.state), "\n  use that one: export XDG_STATE_HOME=" + a.state}
	for _, args := range [][]string{{"mount"}, {"mount", "-f"}, {"mount", filepath.Join(a.dir, "x")}, {"call", "zoo", "greet"}} {
		elsewhere.refused(exitFailed, words, args...)
	}
	fstest.Contains(t, elsewhere.run("status").out, "mounted by the ctxfs process of the state folder "+a.state)

	// With the state folder of the one, the other is refused, and told why.
	mixed := b.with("XDG_STATE_HOME", a.state)
	words = []string{"serves the home folder " + a.home + ", not " + b.home, "\n  unset XDG_STATE_HOME"}
	for _, args := range [][]string{{"mount"}, {"mount", "-f"}, {"mount", filepath.Join(a.dir, "x")}, {"status"}, {"call", "zoo", "greet"}, {"unmount"}} {
		mixed.refused(exitFailed, words, args...)
	}
	b.ok("unmount", "--all")
	a.read("AGENTS.md")
	b.sh(there)
	if left := mountsBelow(a.dir); len(left) > 0 {
		t.Errorf("mounts are left: %v", left)
	}
}

// TestHiddenSocket has a sandbox that sees the mount and not the state folder:
// no second process is started, and what to do is said.
func TestHiddenSocket(t *testing.T) {
	t.Parallel()
	need(t, "bwrap")
	b := newPlainBox(t)
	b.stub("zoo", "", nil)
	b.mount()
	b.ready("zoo")
	inside := func(args ...string) result {
		words := []string{"--ro-bind", "/", "/", "--tmpfs", filepath.Join(b.home, ".local"), "--dev", "/dev", "--proc", "/proc", "--unshare-pid", binary()}
		return b.do("bwrap", append(words, args...)...)
	}
	for _, args := range [][]string{{"mount"}, {"call", "zoo", "greet"}, {"read", "zoo", "stub://one"}} {
		r := inside(args...)
		if r.code != exitFailed || !containsAll(r.err, []string{b.mnt() + " is mounted, but the process that shows it cannot be reached from here", "\n  let this sandbox or container see that folder"}) {
			t.Errorf("%q: exit %d\n%v", args, r.code, r)
		}
	}
	if r := inside("cat", "AGENTS.md"); r.code != 0 {
		t.Errorf("what needs no process: %v", r)
	}
}

// TestDeletedState has the state folder deleted under the real process, which is found as one:
// no second one is started.
func TestDeletedState(t *testing.T) {
	t.Parallel()
	b := realBox(t)
	b.mount()
	pid := b.pid()
	must(t, os.RemoveAll(filepath.Join(b.state, "ctxfs")))
	b.refused(exitFailed, []string{fmt.Sprintf("(%d) shows %s, but its socket in ", pid, b.mnt()), "was deleted\n  restart it: kill "}, "mount")
	signalTo(t, pid, syscall.SIGTERM)
	awaitExit(t, pid)
	b.mount()
}
