package fusefs

import (
	"bufio"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
)

// TestOrdinaryUser mounts in a process of a user who is not root.
func TestOrdinaryUser(t *testing.T) {
	need(t, "fusermount3")
	if os.Getuid() != 0 {
		t.Skip("only root can become an ordinary user")
	}
	if info, err := os.Stat("/dev/fuse"); err != nil || info.Mode()&0o006 != 0o006 {
		t.Skip("/dev/fuse is not open to ordinary users (0666)")
	}
	const uid = 65534
	dir, err := os.MkdirTemp("", "ctxfs-user")
	fstest.Must(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	mnt := filepath.Join(dir, "mnt")
	exe := filepath.Join(dir, "helper")
	self, err := os.Executable()
	if err == nil {
		var text []byte
		text, err = os.ReadFile(self)
		err = errors.Join(err, fstest.WriteProgram(exe, text, 0o755))
	}
	fstest.Must(t, errors.Join(err, os.Chmod(dir, 0o755), os.Mkdir(mnt, 0o700), os.Chown(mnt, uid, uid)))
	asUser := func(cmd *exec.Cmd) *exec.Cmd {
		cmd.Dir = "/"
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: &syscall.Credential{Uid: uid, Gid: uid}}
		return cmd
	}
	cmd := helper(t, "user", mnt)
	cmd.Path = exe
	mounter := start(t, asUser(cmd))
	mounter.hear("mounted")
	run := func(script string) (string, error) {
		out, err := asUser(exec.CommandContext(t.Context(), "bash", "-c", "cd -- \"$0\" && "+script, mnt)).CombinedOutput()
		return strings.TrimSpace(string(out)), err
	}
	if out, err := run("cat a.txt; ls; stat -c %u a.txt; sub/run x"); err != nil || out != "hello\na.txt\nempty\nnone\nsub\n65534\nran x" {
		t.Errorf("%v: %s", err, out)
	}
	for _, script := range refusals {
		out, err := run(script)
		if err == nil || !strings.Contains(strings.ToLower(out), "read-only file system") {
			t.Errorf("%s: %v: %s", script, err, out)
		}
	}
	if out, _ := run("[ -w a.txt ] || echo no; [ -x a.txt ] || echo no; [ -x sub/run ] && echo yes"); out != "no\nno\nyes" {
		t.Errorf("permissions: %s", out)
	}
	fmt.Fprintln(mounter.stdin)
	mounter.end()
	if mounts, err := os.ReadFile("/proc/self/mountinfo"); err != nil || strings.Contains(string(mounts), mnt) {
		t.Errorf("still mounted (%v)", err)
	}
}

// TestAProcessReadsItsOwnMount: with one processor, a process that waits in the kernel for an
// answer of its own to POLL, which the runtime's poller would ask for, waits for ever.
func TestAProcessReadsItsOwnMount(t *testing.T) {
	m := mounted(t, sampleTree(), fs.TreeOptions{}) // there is FUSE here
	cmd := helper(t, "own", t.TempDir())
	cmd.Env = append(cmd.Env, "GOMAXPROCS=1")
	own := start(t, cmd)
	fstest.Equal(t, own.line(), "hello", "read")
	own.end()
	m.expect("hello", "cat a.txt")
}

// helpOwn mounts the sample tree and reads a file of it.
func helpOwn(args []string) error {
	m, err := New(fs.NewTree(sampleTree(), fs.TreeOptions{}), args[0], Options{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	body, err := os.ReadFile(filepath.Join(args[0], "a.txt"))
	fmt.Printf("%s", body)
	return errors.Join(err, unmountAtLast(m))
}

// helpUser mounts the sample tree until a line comes.
func helpUser(args []string) error {
	m, err := New(fs.NewTree(sampleTree(), fs.TreeOptions{}), args[0], Options{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	fmt.Println("mounted")
	bufio.NewScanner(os.Stdin).Scan()
	return unmountAtLast(m)
}
