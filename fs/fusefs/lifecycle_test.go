package fusefs

import (
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
)

func TestUnmountOfBusyMount(t *testing.T) {
	t.Parallel() // it waits for timeToLeave
	m := mounted(t, sampleTree(), fs.TreeOptions{})
	holder := start(t, m.command(t.Context(), "cd sub; echo inside; read x; cat b.txt; ./run on; read x"))
	holder.hear("inside")
	if err := m.Unmount(); err != ErrBusy {
		t.Fatalf("unmount: %v", err)
	}
	if entries, err := os.ReadDir(m.dir); err != nil || len(entries) != 0 {
		t.Errorf("the folder is not free: %v %v", entries, err)
	}
	again, err := New(m.tree, m.dir, Options{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatalf("mount where a busy mount was: %v", err)
	}
	fmt.Fprintln(holder.stdin)
	holder.hear("needle in b")
	holder.hear("ran on")
	select {
	case <-m.Done():
		t.Error("the mount ended under its holder")
	default:
	}
	fmt.Fprintln(holder.stdin)
	holder.end()
	<-m.Done()
	m.expect("hello", "cat a.txt") // of the second one
	if err := unmountAtLast(again); err != nil {
		t.Error(err)
	}
}

// TestUnmountBesideASandbox unmounts what a mount namespace has a copy of: without
// waiting for its end, and without taking it from there.
func TestUnmountBesideASandbox(t *testing.T) {
	if err := exec.Command("unshare", "--mount", "true").Run(); err != nil {
		t.Skipf("no mount namespaces here: %v", err)
	}
	t.Parallel() // it waits for timeToLeave
	m := mounted(t, sampleTree(), fs.TreeOptions{})
	sandbox := start(t, exec.CommandContext(t.Context(), "unshare", "--mount", "--propagation", "private", "sh", "-c", `echo made; read x; cat "$1"/sub/b.txt; read x`, "sh", m.dir))
	sandbox.hear("made")
	if err := m.Unmount(); err != ErrBusy {
		t.Fatalf("unmount: %v", err)
	}
	if entries, err := os.ReadDir(m.dir); err != nil || len(entries) != 0 {
		t.Errorf("the folder is not free: %v %v", entries, err)
	}
	fmt.Fprintln(sandbox.stdin)
	sandbox.hear("needle in b")
	fmt.Fprintln(sandbox.stdin)
	sandbox.end()
	<-m.Done()
}

func TestUnmountedBySomebodyElse(t *testing.T) {
	m := mounted(t, sampleTree(), fs.TreeOptions{})
	if out, err := exec.Command("umount", m.dir).CombinedOutput(); err != nil {
		t.Skipf("umount: %v: %s", err, out)
	}
	<-m.Done()
	if err := m.Unmount(); err != nil {
		t.Errorf("unmount of what is not mounted: %v", err)
	}
}

func TestTwoMountsOfOneTree(t *testing.T) {
	root := sampleTree()
	a := mounted(t, root, fs.TreeOptions{})
	m, err := New(a.tree, t.TempDir(), Options{Log: slog.New(slog.DiscardHandler)})
	fstest.Must(t, err)
	b := &mountedTree{Mount: m, t: t, tree: a.tree, dir: m.Dir()}
	for i := range 10 {
		a.expect("hello", "cat a.txt | cut -c1-5")
		b.expect("hello", "cat a.txt | cut -c1-5")
		root.Set(epoch, "a.txt", text(fmt.Sprintf("hello %d\n", i)))
		a.tree.Changed("a.txt")
		settle(t, a)
		settle(t, b)
		a.expect(fmt.Sprint("hello ", i), "cat a.txt")
		b.expect(fmt.Sprint("hello ", i), "cat a.txt")
	}
	if err := unmountAtLast(b.Mount); err != nil {
		t.Error(err)
	}
	a.expect("hello 9", "cat a.txt")
}

func TestMountPointThatCannotBe(t *testing.T) {
	tree := fs.NewTree(sampleTree(), fs.TreeOptions{})
	if m, err := New(tree, t.TempDir()+"/nothing", Options{Log: slog.New(slog.DiscardHandler)}); err == nil {
		t.Error("mounted on nothing")
		m.Unmount()
	}
}

func TestNothingIsLeftBehind(t *testing.T) {
	descriptors := func() int {
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip(err)
		}
		return len(entries)
	}
	var before, fds int
	for i := range 6 {
		if i == 1 { // the first round makes what stays: the poller, threads
			before, fds = runtime.NumGoroutine(), descriptors()
		}
		t.Run("round", func(t *testing.T) {
			m := mounted(t, sampleTree(), fs.TreeOptions{})
			m.expect("hello", "cat a.txt; find . >/dev/null; rg -q needle; tail -n1 sub/b.txt >/dev/null")
			m.changed("")
		})
	}
	// The runtime announces the end of no goroutine, and the kernel that of no reference.
	fstest.Eventually(t, "as few goroutines and descriptors as before", func() bool { return runtime.NumGoroutine() <= before && descriptors() <= fds })
	if mounts, err := os.ReadFile("/proc/self/mountinfo"); err != nil || strings.Contains(string(mounts), t.Name()) {
		t.Errorf("a mount is left (%v)", err)
	}
}

func TestInodesAreForgotten(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can drop the kernel's caches")
	}
	root := fs.NewFolder(epoch, nil)
	for i := range 20 {
		files := make(map[string]fs.Node)
		for j := range 100 {
			files[fmt.Sprint(j)] = text("x\n")
		}
		root.Set(epoch, fmt.Sprint(i), fs.NewFolder(epoch, files))
	}
	m := mounted(t, root, fs.TreeOptions{})
	m.expect("4000", "cat */* */* | wc -l")
	inodes := func() int {
		m.raw.table.mu.Lock()
		defer m.raw.table.mu.Unlock()
		return len(m.raw.table.byID)
	}
	if n := inodes(); n < 2000 {
		t.Fatalf("%d inodes", n)
	}
	// The kernel forgets what nobody holds any more, and tells us when it likes.
	fstest.Eventually(t, "the kernel forgets", func() bool {
		if err := os.WriteFile("/proc/sys/vm/drop_caches", []byte("2"), 0); err != nil {
			t.Skip(err)
		}
		return inodes() < 10
	})
	m.expect("2000", "cat */* | wc -l")
}

// TestOneProcessor runs the essential tests with a single processor, where a
// thread that waits in the kernel for us may be the only one we have.
func TestOneProcessor(t *testing.T) {
	t.Parallel()
	const inside = "CTXFS_FUSEFS_ONE_PROCESSOR"
	if os.Getenv(inside) != "" {
		t.Skip("this is the inner run")
	}
	self, err := os.Executable()
	fstest.Must(t, err)
	cmd := exec.CommandContext(t.Context(), self, "-test.short", "-test.timeout=10m", "-test.run",
		"^Test(ReadAndList|TailFollowsLog|Readers.*|NewsRaces.*|Hanging.*|Deadline|WritersOf.*|ResultIs.*|ManyWriters|TextOn.*|UnmountOf.*)$")
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1", inside+"=1")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, shorten(string(out)))
	}
}
