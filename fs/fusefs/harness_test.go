package fusefs

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
)

// epoch is the modification time of all test nodes.
var epoch = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func text(s string) *fs.Text { return fs.NewText(epoch, []byte(s)) }

// mounted mounts a tree for the length of a test. The test may only look at it
// from child processes ([mountedTree.run]): a process that uses its own mount
// may deadlock.
type mountedTree struct {
	*Mount
	t    *testing.T
	tree *fs.Tree
	dir  string
}

func mounted(t *testing.T, root fs.Dir, opts fs.TreeOptions) *mountedTree {
	t.Helper()
	return mountedWith(t, root, opts, func(*fs.Tree) {})
}

// mountedWith passes the tree to a function before it is mounted.
func mountedWith(t *testing.T, root fs.Dir, opts fs.TreeOptions, made func(*fs.Tree)) *mountedTree {
	t.Helper()
	if f, err := os.OpenFile("/dev/fuse", os.O_RDWR, 0); err != nil {
		t.Skipf("no FUSE here: %v", err)
	} else {
		f.Close()
	}
	quiet := slog.New(slog.NewTextHandler(io.Discard, nil))
	tree := fs.NewTree(root, opts)
	made(tree)
	dir := t.TempDir()
	m, err := New(tree, dir, Options{Log: quiet})
	if err != nil {
		t.Fatalf("mount: %v", err)
	}
	t.Cleanup(func() {
		if err := unmountAtLast(m); err != nil {
			t.Errorf("unmount: %v", err)
		}
	})
	return &mountedTree{Mount: m, t: t, tree: tree, dir: dir}
}

// unmountAtLast unmounts, and waits for the end of the mount: a sandbox of another test may
// hold it for a while.
func unmountAtLast(m *Mount) error {
	err := m.Unmount()
	if errors.Is(err, ErrBusy) {
		err = nil
	}
	select {
	case <-m.Done():
	case <-time.After(time.Minute):
		err = errors.Join(err, errors.New("somebody still uses the mount"))
	}
	return err
}

// command prepares a shell command that runs in the root of the mount, with the
// arguments as $1 and so on. The child itself changes its working directory:
// exec.Cmd.Dir in a mount of ours may deadlock this process.
func (m *mountedTree) command(ctx context.Context, script string, args ...string) *exec.Cmd {
	args = append([]string{"-c", "cd -- \"$0\" && " + script, m.dir}, args...)
	cmd := exec.CommandContext(ctx, "bash", args...)
	cmd.Env = append(os.Environ(), "LC_ALL=C", "RIPGREP_CONFIG_PATH=")
	return cmd
}

// run runs a shell command in the root of the mount and returns what it
// printed on both outputs, and its exit code.
func (m *mountedTree) run(script string, args ...string) (string, int) {
	m.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	cmd := m.command(ctx, script, args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if ctx.Err() != nil {
		m.t.Fatalf("%s: did not end", script)
	}
	if err != nil && cmd.ProcessState == nil {
		m.t.Fatalf("%s: %v", script, err)
	}
	return out.String(), cmd.ProcessState.ExitCode()
}

// expect runs a command that must succeed and print want.
func (m *mountedTree) expect(want, script string, args ...string) {
	m.t.Helper()
	got, code := m.run(script, args...)
	if code != 0 || strings.TrimSuffix(got, "\n") != want {
		m.t.Errorf("%s\n got (exit %d): %q\nwant: %q", script, code, shorten(got), shorten(want))
	}
}

// changed publishes news and waits until the kernel has them.
func (m *mountedTree) changed(path string) {
	m.tree.Changed(path)
	settle(m.t, m)
}

// settle waits until the kernel has been notified of every change so far.
func settle(t testing.TB, m interface{ Settled(context.Context) error }) {
	t.Helper()
	fstest.Must(t, m.Settled(t.Context()))
}

// uutilsTail is where rust-coreutils puts its tail, which follows by inotify alone.
const uutilsTail = "/usr/lib/cargo/bin/coreutils/tail"

func need(t *testing.T, tools ...string) {
	t.Helper()
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed", tool)
		}
	}
}
