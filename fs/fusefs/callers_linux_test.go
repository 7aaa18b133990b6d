package fusefs

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
)

// placeFor makes a folder below a temporary one and returns its path without links.
func placeFor(t testing.TB, name string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	fstest.Must(t, err)
	dir = filepath.Join(dir, name)
	fstest.Must(t, os.MkdirAll(dir, 0o755))
	return dir
}

// stood expects the standpoint of the caller that created a file.
func (b *inbox) stood(name string, want fs.Standpoint) {
	b.t.Helper()
	got := b.caller(name)
	if got.Dir != want.Dir || !slices.Equal(got.Folders, want.Folders) || got.Unknown != want.Unknown || want.PID != 0 && got.PID != want.PID {
		b.t.Errorf("%s: %+v, not %+v", name, got, want)
	}
}

func TestCallerStandsSomewhere(t *testing.T) {
	b := newInbox(t)
	one, two := placeFor(t, "a/b"), placeFor(t, "two (deleted)")
	pid := func(script string, args ...string) int {
		t.Helper()
		out, code := b.run(script, args...)
		n, err := strconv.Atoi(strings.TrimSpace(out))
		if code != 0 || err != nil {
			t.Fatalf("%s: exit %d: %s", script, code, out)
		}
		return n
	}
	at := fs.StandpointAt(one)
	at.PID = pid(`cd "$1"; echo {} > "$0/calls/shell"; echo $$`, one)
	b.stood("shell", at)
	b.expect("", `cd "$1"; echo {} > "$0/calls/named"`, two)
	b.stood("named", fs.StandpointAt(two))

	// The body comes from elsewhere, and in pieces from two writers.
	b.expect("", `cd "$1"; exec 5>"$0/calls/passed"; (cd "$2"; printf '{"a"' >&5); (cd /; printf ':1}' >&5)`, one, two)
	b.stood("passed", fs.StandpointAt(one))

	// A thread is not its process.
	need(t, "python3")
	at.PID = pid(`cd "$1"; python3 -c '
import os, sys, threading
def write():
    with open(sys.argv[1], "w") as f: f.write("{}")
t = threading.Thread(target=write); t.start(); t.join(); print(os.getpid())' "$0/calls/thread"`, one)
	b.stood("thread", at)

	gone := placeFor(t, "gone")
	b.expect("", `cd "$1"; rmdir "$1"; echo {} > "$0/calls/deleted"`, gone)
	b.stood("deleted", fs.Standpoint{Unknown: deletedFolder})
}

// TestCallerStandsInTheMount looks at a caller in the mount: nothing is asked of it.
func TestCallerStandsInTheMount(t *testing.T) {
	b := newInbox(t)
	b.expect("", `cd calls; echo {} > x`)
	at := b.caller("x")
	if at.Dir != b.dir+"/calls" || at.Unknown != "" {
		t.Errorf("%+v", at)
	}
	if above := fs.StandpointAt(filepath.Dir(b.dir)).Folders; !slices.Equal(at.Folders[min(2, len(at.Folders)):], above) {
		t.Errorf("%v, above %v", at.Folders, above)
	}
	c := start(t, b.command(t.Context(), "cd calls; echo ready; read x || true"))
	c.hear("ready")
	before := b.Requests()
	for range 10 {
		if at := b.raw.callers.standpoint(uint32(c.cmd.Process.Pid)); at.Dir != b.dir+"/calls" || at.Unknown != "" {
			t.Errorf("%+v", at)
		}
	}
	if after := b.Requests(); fmt.Sprint(before) != fmt.Sprint(after) {
		t.Errorf("it asks the mount: %v, then %v", before, after)
	}
	c.end()
}

func TestCallerIsUnknown(t *testing.T) {
	c := newCallers()
	ended := exec.Command("true")
	fstest.Must(t, ended.Run())
	for pid, want := range map[int]string{0: unseenCaller, ended.Process.Pid: endedCaller} {
		if at := c.standpoint(uint32(pid)); at.Unknown != want || at.Dir != "" || at.Folders != nil {
			t.Errorf("%d: %+v", pid, at)
		}
	}
	c.seen = false
	if at := c.standpoint(uint32(os.Getpid())); at.Unknown != otherProc || at.Dir != "" || at.PID != 0 {
		t.Errorf("%+v", at)
	}
}

// TestManyCallers has hundreds of callers at once, each in a folder of its own.
func TestManyCallers(t *testing.T) {
	b := newInbox(t)
	dir := placeFor(t, "many")
	b.expect("", `
		for w in $(seq 40); do
			(for i in $(seq 10); do mkdir "$1/$w-$i" && cd "$1/$w-$i" && echo {} > "$0/calls/$w-$i"; done) &
		done
		wait`, dir)
	for w := 1; w <= 40; w++ {
		for i := 1; i <= 10; i++ {
			name := fmt.Sprintf("%d-%d", w, i)
			b.stood(name, fs.StandpointAt(filepath.Join(dir, name)))
		}
	}
}

// TestCallerInSandbox binds a folder elsewhere: its identity is still the same.
func TestCallerInSandbox(t *testing.T) {
	need(t, "bwrap")
	b := newInbox(t)
	dir := placeFor(t, "project/sub")
	want := fs.StandpointAt(dir).Folders[:2]
	for _, options := range []string{"", "--unshare-pid", "--unshare-all"} {
		name := "in" + options
		script := `cd /; exec bwrap --ro-bind / / --bind "$0" "$0" --tmpfs /mnt --bind "$1" /mnt/p --dev /dev --proc /proc ` + options +
			` --chdir /mnt/p/sub sh -c 'echo {} > "$0"' "$0/calls/` + name + `"`
		out, code := b.run(script, filepath.Dir(dir))
		if code != 0 && strings.Contains(out, "namespace") {
			t.Skipf("no sandbox here: %s", out)
		}
		if code != 0 {
			t.Errorf("%s: exit %d: %s", options, code, out)
			continue
		}
		at := b.caller(name)
		if at.Dir != "/mnt/p/sub" || at.Unknown != "" || len(at.Folders) != 4 || !slices.Equal(at.Folders[:2], want) || at.PID == 0 {
			t.Errorf("%s: %+v, not %v", options, at, want)
		}
	}
}

// TestCallerOfAnotherNamespace mounts in a PID namespace of its own: callers outside
// have no number there, and those inside have another one than in /proc.
func TestCallerOfAnotherNamespace(t *testing.T) {
	need(t, "unshare")
	if os.Getuid() != 0 {
		t.Skip("only root can make a PID namespace")
	}
	dir := t.TempDir()
	cmd := helper(t, "stands", dir)
	cmd.Args = append([]string{"unshare", "--pid", "--fork", "--kill-child", cmd.Path}, dir)
	cmd.Path, _ = exec.LookPath("unshare")
	mounter := start(t, cmd)
	mounter.hear("mounted")
	from := func() (at fs.Standpoint) {
		t.Helper()
		fstest.Must(t, json.Unmarshal([]byte(mounter.line()), &at))
		return at
	}
	if out, err := exec.CommandContext(t.Context(), "sh", "-c", `echo {} > "$0/outside"`, dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if at := from(); at.Unknown != unseenCaller || at.Dir != "" || at.PID != 0 {
		t.Errorf("outside: %+v", at)
	}
	fmt.Fprintln(mounter.stdin, "create")
	if at := from(); at.Unknown != otherProc || at.Dir != "" || at.PID != 0 {
		t.Errorf("inside: %+v", at)
	}
	mounter.end()
}

// TestCallerStandsInAHungMount has callers in mounts that do not answer: of ours, and
// of one whose permissions the kernel checks.
func TestCallerStandsInAHungMount(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root could clear up")
	}
	t.Parallel() // it waits for an answer that does not come
	b := newInbox(t)
	for name, want := range map[string]string{"user": "", "stuck": slowFolder} {
		t.Run(name, func(t *testing.T) {
			dir := placeFor(t, "mnt")
			mounter := start(t, helper(t, name, dir))
			mounter.hear("mounted")
			t.Cleanup(func() {
				mounter.kill()
				_ = Detach(dir)
			})
			c := start(t, b.command(t.Context(), `cd "$1/sub"; echo ready; read x; echo {} > "$0/calls/$2"; echo written; read x; echo {} > "$0/calls/$2-2"; echo written; read x; cd /`, dir, name))
			c.hear("ready")
			if name == "stuck" {
				fmt.Fprintln(mounter.stdin)
				mounter.hear("stuck")
			} else if err := mounter.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
				t.Fatal(err)
			}
			for _, file := range []string{name, name + "-2"} {
				fmt.Fprintln(c.stdin)
				c.hear("written")
				at := b.caller(file)
				if at.Dir != dir+"/sub" || at.Unknown != want || (len(at.Folders) > 0) != (want == "") {
					t.Errorf("%s: %+v", file, at)
				}
			}
			mounter.kill()
			if err := Detach(dir); err != nil {
				t.Error(err)
			}
			c.end()
		})
	}
}

// caller returns where the caller stood that created a file.
func (b *inbox) caller(name string) fs.Standpoint {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.from[name]
}
