package fs

import (
	"context"
	"errors"
	"io"
	iofs "io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
)

func diskFixture(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	must(t, os.MkdirAll(filepath.Join(dir, "sub", "deep"), 0o755))
	for name, body := range map[string]string{"a.txt": "alpha", "sub/b.txt": "beta", "sub/deep/empty": ""} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(body), 0o644))
	}
	must(t, os.WriteFile(filepath.Join(dir, "run.sh"), []byte("#!/bin/sh\n"), 0o755))
	return dir
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func diskDir(t *testing.T, dir string, opts DiskOptions) *DiskDir {
	t.Helper()
	d, err := NewDiskDir(dir, opts)
	must(t, err)
	return d
}

func attrOf(t *testing.T, n Node) Attr {
	t.Helper()
	a, err := n.Attr(t.Context())
	must(t, err)
	return a
}

func lookup(t *testing.T, d Dir, path string) Node {
	t.Helper()
	var n Node = d
	for name := range strings.SplitSeq(path, "/") {
		var err error
		n, err = n.(Dir).Lookup(t.Context(), name)
		must(t, err)
	}
	return n
}

func listed(t *testing.T, d Dir) []string {
	t.Helper()
	entries, err := d.List(t.Context())
	must(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name)
		n, err := d.Lookup(t.Context(), e.Name)
		if err != nil {
			t.Errorf("listed and not found: %v", err)
		} else if typeOf(n) != e.Type {
			t.Errorf("%s is listed as %v and is %v", e.Name, e.Type, typeOf(n))
		}
	}
	return names
}

func TestDiskAttr(t *testing.T) {
	dir := diskFixture(t)
	d := diskDir(t, dir, DiskOptions{Watched: func(string) bool { return true }})
	if a := attrOf(t, d); a.Mode != iofs.ModeDir|0o555 || a.Size != 0 || a.Live {
		t.Errorf("folder: %+v", a)
	}
	if a := attrOf(t, lookup(t, d, "a.txt")); a.Mode != 0o444 || a.Size != 5 || !a.InPlace || a.Live {
		t.Errorf("file: %+v", a)
	}
	if a := attrOf(t, lookup(t, d, "run.sh")); a.Mode != 0o555 {
		t.Errorf("script: %+v", a)
	}
}

func TestDiskIsLiveWhereItIsNotWatched(t *testing.T) {
	dir := diskFixture(t)
	must(t, os.Symlink("x", filepath.Join(dir, "sub", "link")))
	sub := filepath.Join(dir, "sub")
	d := diskDir(t, dir, DiskOptions{Watched: func(dir string) bool { return dir == sub }})
	for path, live := range map[string]bool{"a.txt": true, "sub": false, "sub/b.txt": false, "sub/link": false, "sub/deep": true, "sub/deep/empty": true} {
		if a := attrOf(t, lookup(t, d, path)); a.Live != live {
			t.Errorf("%s: live %t", path, a.Live)
		}
	}
	if a := attrOf(t, diskDir(t, dir, DiskOptions{})); !a.Live {
		t.Error("without a watch nothing is live")
	}
}

func TestDiskVersionsMove(t *testing.T) {
	dir := diskFixture(t)
	path := filepath.Join(dir, "a.txt")
	f, err := NewDiskFile(path, DiskOptions{})
	must(t, err)
	seen := map[uint64]string{attrOf(t, f).Version: "at first"}
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"longer", func() error { return os.WriteFile(path, []byte("longer text"), 0o644) }},
		{"shorter", func() error { return os.Truncate(path, 3) }},
		{"another time", func() error { return os.Chtimes(path, attrOf(t, f).ModTime, attrOf(t, f).ModTime.Add(1)) }},
		{"replaced", func() error {
			must(t, os.WriteFile(path+".new", []byte("lon"), 0o644))
			return os.Rename(path+".new", path)
		}},
	} {
		must(t, step.do())
		v := attrOf(t, f).Version
		if before, ok := seen[v]; ok {
			t.Errorf("%s: the version is that of %s", step.name, before)
		}
		seen[v] = step.name
	}
	if a, b := attrOf(t, f), attrOf(t, f); a != b {
		t.Errorf("nothing has changed: %+v, %+v", a, b)
	}
}

func TestDiskReadAt(t *testing.T) {
	dir := diskFixture(t)
	f := lookup(t, diskDir(t, dir, DiskOptions{}), "a.txt").(File)
	for _, c := range []struct {
		off  int64
		n    int
		want string
		err  error
	}{{0, 5, "alpha", nil}, {0, 9, "alpha", io.EOF}, {2, 2, "ph", nil}, {5, 1, "", io.EOF}, {99, 1, "", io.EOF}, {0, 0, "", nil}, {-1, 1, "", ErrInvalid}} {
		p := make([]byte, c.n)
		n, err := f.ReadAt(t.Context(), p, c.off)
		if string(p[:n]) != c.want || !errors.Is(err, c.err) {
			t.Errorf("ReadAt(%d bytes, %d) = %q, %v", c.n, c.off, p[:n], err)
		}
	}
	// It has shrunk since its size was asked for.
	size := attrOf(t, f).Size
	must(t, os.Truncate(filepath.Join(dir, "a.txt"), 2))
	p := make([]byte, size)
	if n, err := f.ReadAt(t.Context(), p, 0); string(p[:n]) != "al" || err != io.EOF {
		t.Errorf("a file that shrank: %q, %v", p[:n], err)
	}
}

func TestDiskLeavesOutWhatIsNoFile(t *testing.T) {
	dir := diskFixture(t)
	must(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644))
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	must(t, err)
	defer syscall.Close(fd)
	short, err := os.MkdirTemp("", "s") // socket paths are short
	must(t, err)
	defer os.RemoveAll(short)
	must(t, syscall.Bind(fd, &syscall.SockaddrUnix{Name: filepath.Join(short, "sock")}))
	must(t, os.Rename(filepath.Join(short, "sock"), filepath.Join(dir, "sock")))

	d := diskDir(t, dir, DiskOptions{Hide: func(path string) bool { return filepath.Base(path) == "b.txt" || filepath.Base(path) == "deep" }})
	if got, want := listed(t, d), []string{"a.txt", "run.sh", "sub"}; !slices.Equal(got, want) {
		t.Errorf("listed %q, want %q", got, want)
	}
	if got := listed(t, lookup(t, d, "sub").(Dir)); len(got) != 0 {
		t.Errorf("hidden and listed: %q", got)
	}
	for _, name := range []string{"pipe", "sock", "nothing", "", ".", "..", "sub/b.txt", "a\x00b", strings.Repeat("n", 300)} {
		if n, err := d.Lookup(t.Context(), name); err == nil {
			t.Errorf("%q is found: %v", name, n)
		}
	}
	sub := lookup(t, d, "sub").(Dir)
	if _, err := sub.Lookup(t.Context(), "b.txt"); !errors.Is(err, ErrNotExist) {
		t.Errorf("hidden and found: %v", err)
	}
	if _, err := NewDiskFile(filepath.Join(dir, "sub", "b.txt"), DiskOptions{Hide: func(string) bool { return true }}); !errors.Is(err, ErrNotExist) {
		t.Errorf("hidden and made: %v", err)
	}
}

func TestDiskPathsThatBecomeSomethingElse(t *testing.T) {
	dir := diskFixture(t)
	d := diskDir(t, dir, DiskOptions{})
	file, sub := lookup(t, d, "a.txt").(File), lookup(t, d, "sub").(Dir)
	path := filepath.Join(dir, "a.txt")
	for name, become := range map[string]func() error{
		"a pipe":   func() error { return syscall.Mkfifo(path, 0o644) },
		"a folder": func() error { return os.Mkdir(path, 0o755) },
		"a link":   func() error { return os.Symlink("run.sh", path) },
		"nothing":  func() error { return nil },
	} {
		must(t, os.Remove(path))
		must(t, become())
		if _, err := file.Attr(t.Context()); !errors.Is(err, ErrNotExist) {
			t.Errorf("%s: Attr: %v", name, err)
		}
		if n, err := file.ReadAt(t.Context(), make([]byte, 1), 0); n != 0 || err == nil || err == io.EOF {
			t.Errorf("%s: ReadAt: %d, %v", name, n, err)
		}
		os.Remove(path)
		must(t, os.WriteFile(path, []byte("again"), 0o644))
	}
	if _, err := file.Attr(t.Context()); err != nil {
		t.Errorf("a file again: %v", err)
	}

	must(t, os.RemoveAll(filepath.Join(dir, "sub")))
	must(t, os.Symlink("..", filepath.Join(dir, "sub")))
	if _, err := sub.Attr(t.Context()); !errors.Is(err, ErrNotExist) {
		t.Errorf("a folder that became a link: %v", err)
	}
}

func TestDiskLinks(t *testing.T) {
	dir := diskFixture(t)
	links := map[string]string{ // target on disk, as shown
		"inside": "sub/b.txt", "up": "sub/../a.txt", "absolute": "/etc/hostname", "out": "../elsewhere", "sneaky": "sub/../../x", "dead": "nowhere", "self": ".",
	}
	for name, target := range links {
		must(t, os.Symlink(target, filepath.Join(dir, name)))
	}
	must(t, os.Symlink("../a.txt", filepath.Join(dir, "sub", "inside")))
	links["out"], links["sneaky"] = dir+"/../elsewhere", dir+"/sub/../../x"
	links["sub/inside"] = "../a.txt"
	d := diskDir(t, dir, DiskOptions{})
	for name, want := range links {
		l, ok := lookup(t, d, name).(Link)
		if !ok {
			t.Errorf("%s is no link", name)
			continue
		}
		got, err := l.Target(t.Context())
		if err != nil || got != want {
			t.Errorf("%s leads to %q (%v), want %q", name, got, err, want)
		}
		if a := attrOf(t, l); a.Mode != iofs.ModeSymlink|0o777 || a.Size != int64(len(want)) {
			t.Errorf("%s: %+v", name, a)
		}
	}
	for name, want := range map[string]string{"inside": "sub/b.txt", "up": "a.txt", "self": "", "sub/inside": "a.txt", "self/self/sub": "sub"} {
		got, err := DiskOptions{}.Resolve(filepath.Join(dir, name))
		if err != nil || got != filepath.Join(dir, want) {
			t.Errorf("%s resolves to %q, %v", name, got, err)
		}
	}
	must(t, os.Symlink("loop", filepath.Join(dir, "loop")))
	for name, want := range map[string]error{"dead": ErrNotExist, "loop": syscall.ELOOP, "a.txt/x": syscall.ENOTDIR} {
		if got, err := (DiskOptions{}).Resolve(filepath.Join(dir, name)); !errors.Is(err, want) {
			t.Errorf("%s resolves to %q, %v", name, got, err)
		}
	}
	hideSub := DiskOptions{Hide: func(path string) bool { return path == filepath.Join(dir, "sub") }}
	if got, err := hideSub.Resolve(filepath.Join(dir, "inside")); !errors.Is(err, ErrNotExist) {
		t.Errorf("a link into what is hidden resolves to %q, %v", got, err)
	}
	// The folder itself may be reached by a link.
	other := filepath.Join(t.TempDir(), "other")
	must(t, os.Symlink(dir, other))
	if got := diskDir(t, other, DiskOptions{}).Path(); got != dir {
		t.Errorf("the path is %q, want %q", got, dir)
	}
	if _, err := NewDiskDir(filepath.Join(dir, "a.txt"), DiskOptions{}); !errors.Is(err, ErrNotDir) {
		t.Errorf("a file as folder: %v", err)
	}
	if _, err := NewDiskFile(dir, DiskOptions{}); !errors.Is(err, ErrInvalid) {
		t.Errorf("a folder as file: %v", err)
	}
	if _, err := NewDiskDir(filepath.Join(dir, "dead"), DiskOptions{}); !errors.Is(err, ErrNotExist) {
		t.Errorf("a dead link as folder: %v", err)
	}
}

func TestDiskOtherFileSystemsAreLeftOut(t *testing.T) {
	if _, err := os.Stat("/proc/self"); err != nil {
		t.Skip("no /proc: there is no other file system to look at")
	}
	root := diskDir(t, "/", DiskOptions{})
	if slices.Contains(listed(t, root), "proc") {
		t.Error("/proc is listed")
	}
	if _, err := root.Lookup(t.Context(), "proc"); !errors.Is(err, ErrNotExist) {
		t.Errorf("/proc is found: %v", err)
	}
}

func TestDiskNamesThatAreNotUTF8(t *testing.T) {
	dir := t.TempDir()
	const name = "bad\xffname\n\x1b[31m"
	if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o644); err != nil {
		t.Skipf("the file system refuses the name: %v", err)
	}
	d := diskDir(t, dir, DiskOptions{})
	if got := listed(t, d); !slices.Equal(got, []string{name}) {
		t.Errorf("listed %q", got)
	}
	if a := attrOf(t, lookup(t, d, name)); a.Size != 1 {
		t.Errorf("%+v", a)
	}
}

func TestDiskPermissionDenied(t *testing.T) {
	dir := diskFixture(t)
	must(t, os.Chmod(filepath.Join(dir, "a.txt"), 0))
	must(t, os.Chmod(filepath.Join(dir, "sub", "deep"), 0))
	t.Cleanup(func() { os.Chmod(filepath.Join(dir, "sub", "deep"), 0o755) })
	d := diskDir(t, dir, DiskOptions{})
	file, deep := lookup(t, d, "a.txt").(File), lookup(t, d, "sub/deep").(Dir)
	asNobody(t, dir, func(ctx context.Context) {
		if _, err := file.ReadAt(ctx, make([]byte, 1), 0); !errors.Is(err, ErrPermission) {
			t.Errorf("ReadAt: %v", err)
		}
		if _, err := deep.List(ctx); !errors.Is(err, ErrPermission) {
			t.Errorf("List: %v", err)
		}
		if _, err := deep.Lookup(ctx, "empty"); !errors.Is(err, ErrPermission) {
			t.Errorf("Lookup: %v", err)
		}
		if a, err := file.Attr(ctx); err != nil || a.Mode != 0 {
			t.Errorf("Attr: %+v, %v", a, err)
		}
	})
}

// asNobody runs f without the rights of root, if it has them.
func asNobody(t *testing.T, dir string, f func(ctx context.Context)) {
	t.Helper()
	if os.Geteuid() != 0 {
		f(t.Context())
		return
	}
	for ; dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
		must(t, os.Chmod(dir, 0o755))
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // the thread ends with the goroutine
		if err := dropFileRights(); err != nil {
			t.Logf("not tested: %v", err)
			return
		}
		f(t.Context())
	}()
	<-done
}
