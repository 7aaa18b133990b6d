package mounts

import (
	"context"
	"errors"
	iofs "io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/drop"
	"ctxfs/fs/fstest"
)

var day = time.Date(2026, 1, 2, 3, 4, 5, 6000, time.UTC)

func textOf(body string) fs.Node { return fs.NewText(day, []byte(body)) }

func dirOf(nodes map[string]fs.Node) *fs.Folder { return fs.NewFolder(day, nodes) }

func newTree(nodes map[string]fs.Node) (*fs.Tree, *fs.Folder) {
	root := dirOf(nodes)
	return fs.NewTree(root, fs.TreeOptions{}), root
}

func newFolder(t *testing.T, tree *fs.Tree, dir string) *Folder {
	t.Helper()
	f, err := NewFolder(tree, dir, FolderOptions{Log: slog.New(slog.DiscardHandler)})
	fstest.Must(t, err)
	t.Cleanup(func() { f.Close() })
	return f
}

// pass makes one pass that must succeed.
func passOver(t *testing.T, f *Folder) Report {
	t.Helper()
	r, err := f.Pass(t.Context())
	fstest.Must(t, err)
	return r
}

func wantReport(t *testing.T, r Report, written, removed, unchanged int) {
	t.Helper()
	if r.Written != written || r.Removed != removed || r.Unchanged != unchanged || len(r.Conflicts)+len(r.Errors) > 0 {
		t.Errorf("written %d, removed %d, unchanged %d, conflicts %q, errors %q; want %d, %d, %d",
			r.Written, r.Removed, r.Unchanged, r.Conflicts, r.Errors, written, removed, unchanged)
	}
}

// onDisk describes a folder: a line for each path but our own, with the text of
// files.
func onDisk(t *testing.T, dir string) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(dir, func(p string, d iofs.DirEntry, err error) error {
		if err != nil || p == dir || d.Name() == manifestName {
			return err
		}
		rel, _ := filepath.Rel(dir, p)
		switch {
		case d.IsDir():
			found = append(found, rel+"/")
		case d.Type() == iofs.ModeSymlink:
			target, err := os.Readlink(p)
			found = append(found, rel+" -> "+target)
			return err
		default:
			body, err := os.ReadFile(p)
			found = append(found, rel+": "+string(body))
			return err
		}
		return nil
	})
	fstest.Must(t, err)
	return found
}

func wantDisk(t *testing.T, dir string, want ...string) {
	t.Helper()
	if got := onDisk(t, dir); !slices.Equal(got, want) {
		t.Errorf("on disk:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func putFile(t *testing.T, path, body string) {
	t.Helper()
	fstest.Must(t, os.WriteFile(path, []byte(body), 0o644))
}

func appendFile(t *testing.T, path, body string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err == nil {
		_, err = f.WriteString(body)
	}
	if err = errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}

func TestFolderShowsATree(t *testing.T) {
	counting := fstest.NewCountingFile(day, []byte("rendered"))
	tree, root := newTree(map[string]fs.Node{
		"a.md": textOf("hello"),
		"run":  fs.NewScript(day, []byte("#!/bin/sh\n")),
		"sub":  dirOf(map[string]fs.Node{"deep": dirOf(nil), "made": counting}),
	})
	dir := filepath.Join(t.TempDir(), "new")
	f := newFolder(t, tree, dir)
	wantReport(t, passOver(t, f), 5, 0, 0)
	wantDisk(t, dir, "a.md: hello", "run: #!/bin/sh\n", "sub/", "sub/deep/", "sub/made: rendered")
	for p, mode := range map[string]iofs.FileMode{"a.md": 0o400, "run": 0o500, "sub": iofs.ModeDir | 0o700, "sub/deep": iofs.ModeDir | 0o700, "sub/made": 0o400} {
		info, err := os.Lstat(filepath.Join(dir, p))
		fstest.Must(t, err)
		if info.Mode() != mode || !info.ModTime().Equal(day) {
			t.Errorf("%s: mode %v, time %v", p, info.Mode(), info.ModTime())
		}
	}

	// A file that has its version already is not read again, not even by
	// another process, and not rendered.
	f.Close()
	again := fstest.NewCountingFile(day, []byte("rendered"))
	root.Set(day, "sub", dirOf(map[string]fs.Node{"deep": dirOf(nil), "made": again}))
	reads := tree.Counters().Reads
	f = newFolder(t, tree, dir)
	wantReport(t, passOver(t, f), 0, 0, 3)
	if n := again.Renders.Load(); n != 0 || tree.Counters().Reads != reads {
		t.Errorf("an unchanged tree was rendered %d times and read", n)
	}
}

// TestFolderIsForItsOwner: the next pass closes what was written for everybody;
// what others have created or opened stays as it is.
func TestFolderIsForItsOwner(t *testing.T) {
	tree, _ := newTree(map[string]fs.Node{"sub": dirOf(map[string]fs.Node{"a": textOf("one")}), "theirs": dirOf(nil)})
	dir := t.TempDir()
	fstest.Must(t, os.Mkdir(filepath.Join(dir, "theirs"), 0o755))
	f := newFolder(t, tree, dir)
	modes := func(want ...iofs.FileMode) {
		t.Helper()
		for i, p := range []string{"sub", "sub/a", "theirs"} {
			if info, err := os.Lstat(filepath.Join(dir, p)); err != nil || info.Mode().Perm() != want[i] {
				t.Errorf("%s: %v, %v", p, info.Mode(), err)
			}
		}
	}
	if r := passOver(t, f); len(r.Conflicts)+len(r.Errors) > 0 {
		t.Errorf("%+v", r)
	}
	modes(0o700, 0o400, 0o755)
	fstest.Must(t, os.Chmod(filepath.Join(dir, "sub"), 0o750))
	passOver(t, f)
	modes(0o750, 0o400, 0o755)
}

func TestFolderFollowsChanges(t *testing.T) {
	tree, root := newTree(map[string]fs.Node{"a": textOf("one"), "dir": dirOf(map[string]fs.Node{"x": textOf("x")}), "flips": textOf("file")})
	dir := t.TempDir()
	f := newFolder(t, tree, dir)
	wantReport(t, passOver(t, f), 4, 0, 0)

	later := day.Add(time.Hour)
	root.Replace(later, map[string]fs.Node{"a": fs.NewText(later, []byte("two!")), "b": textOf("new"), "flips": dirOf(map[string]fs.Node{"in": textOf("in")})})
	wantReport(t, passOver(t, f), 4, 3, 0)
	wantDisk(t, dir, "a: two!", "b: new", "flips/", "flips/in: in")

	root.Set(later, "flips", textOf("file again"))
	wantReport(t, passOver(t, f), 1, 2, 2)
	root.Set(later, "b", fs.NewScript(later, []byte("new"))) // mode and time only
	wantReport(t, passOver(t, f), 1, 0, 2)
	if info, _ := os.Stat(filepath.Join(dir, "b")); info.Mode() != 0o500 || !info.ModTime().Equal(later) {
		t.Errorf("b: %v %v", info.Mode(), info.ModTime())
	}
	os.Remove(filepath.Join(dir, "a"))
	wantReport(t, passOver(t, f), 1, 0, 2) // made again
	root.Replace(later, nil)
	passOver(t, f)
	wantDisk(t, dir)
}

func TestFolderLeavesWhatIsNotItsOwn(t *testing.T) {
	tree, root := newTree(map[string]fs.Node{
		"same": textOf("equal"), "mine": textOf("ctxfs"), "changed": textOf("ctxfs"), "gone": textOf("ctxfs"),
		"dir": dirOf(map[string]fs.Node{"x": textOf("x")}), "asfile": dirOf(map[string]fs.Node{"x": textOf("x")}), "asdir": textOf("file"), "aslink": dirOf(map[string]fs.Node{"x": textOf("x")}),
	})
	outside, dir := t.TempDir(), t.TempDir()
	putFile(t, filepath.Join(dir, "same"), "equal")
	putFile(t, filepath.Join(dir, "mine"), "not ctxfs's")
	putFile(t, filepath.Join(dir, "asfile"), "a file")
	putFile(t, filepath.Join(dir, "other"), "unrelated")
	fstest.Must(t, errors.Join(os.Mkdir(filepath.Join(dir, "asdir"), 0o755), os.Symlink(outside, filepath.Join(dir, "aslink"))))
	f := newFolder(t, tree, dir)
	r := passOver(t, f)
	conflicts := func(r Report, names ...string) {
		t.Helper()
		if len(r.Conflicts) != len(names) {
			t.Errorf("conflicts %q, want %q", r.Conflicts, names)
			return
		}
		for i, name := range names {
			if !strings.HasPrefix(r.Conflicts[i], filepath.Join(dir, name)+" was ") || !strings.Contains(r.Conflicts[i], "; left as it is") {
				t.Errorf("conflict %q, want %s", r.Conflicts[i], name)
			}
		}
	}
	conflicts(r, "asdir", "asfile", "aslink", "mine")
	wantDisk(t, dir, "asdir/", "asfile: a file", "aslink -> "+outside, "changed: ctxfs", "dir/", "dir/x: x", "gone: ctxfs", "mine: not ctxfs's", "other: unrelated", "same: equal")
	if names := onDisk(t, outside); len(names) > 0 {
		t.Errorf("written through a link: %q", names)
	}

	// Somebody changes a file of ours, and adds to a folder of ours.
	os.Remove(filepath.Join(dir, "changed"))
	os.Remove(filepath.Join(dir, "gone"))
	putFile(t, filepath.Join(dir, "changed"), "by a user")
	putFile(t, filepath.Join(dir, "gone"), "by a user, too")
	putFile(t, filepath.Join(dir, "dir/own"), "own")
	root.Replace(day, map[string]fs.Node{"changed": textOf("ctxfs 2")})
	conflicts(passOver(t, f), "changed", "gone")
	wantDisk(t, dir, "asdir/", "asfile: a file", "aslink -> "+outside, "changed: by a user", "dir/", "dir/own: own", "gone: by a user, too", "mine: not ctxfs's", "other: unrelated")
	conflicts(passOver(t, f), "changed")

	// Once the change is moved away, the path is ours again.
	os.Remove(filepath.Join(dir, "changed"))
	wantReport(t, passOver(t, f), 1, 0, 0)
}

func TestFolderNeverFollowsALinkOut(t *testing.T) {
	tree, root := newTree(map[string]fs.Node{"dir": dirOf(map[string]fs.Node{"x": textOf("x")}), "file": textOf("file")})
	outside, dir := t.TempDir(), t.TempDir()
	f := newFolder(t, tree, dir)
	passOver(t, f)
	putFile(t, filepath.Join(outside, "x"), "theirs")
	for name, target := range map[string]string{"dir": outside, "file": filepath.Join(outside, "x")} {
		fstest.Must(t, errors.Join(os.RemoveAll(filepath.Join(dir, name)), os.Symlink(target, filepath.Join(dir, name))))
	}
	root.Replace(day, map[string]fs.Node{"dir": dirOf(map[string]fs.Node{"x": textOf("new x"), "y": textOf("y")}), "file": textOf("new")})
	if r := passOver(t, f); len(r.Conflicts) != 2 {
		t.Errorf("conflicts %q", r.Conflicts)
	}
	root.Replace(day, nil)
	passOver(t, f)
	wantDisk(t, outside, "x: theirs")
}

func TestFolderLinksAndDisk(t *testing.T) {
	disk := t.TempDir()
	putFile(t, filepath.Join(disk, "SKILL.md"), "a skill")
	putFile(t, filepath.Join(disk, "run"), "#!/bin/sh\n")
	fstest.Must(t, errors.Join(os.Chmod(filepath.Join(disk, "run"), 0o755), os.Symlink("run", filepath.Join(disk, "link"))))
	skills, err := fs.NewDiskDir(disk, fs.DiskOptions{})
	fstest.Must(t, err)
	tree, root := newTree(map[string]fs.Node{"skill": skills})
	dir := t.TempDir()
	f := newFolder(t, tree, dir)
	wantReport(t, passOver(t, f), 4, 0, 0)
	wantDisk(t, dir, "skill/", "skill/SKILL.md: a skill", "skill/link -> run", "skill/run: #!/bin/sh\n")
	if info, _ := os.Stat(filepath.Join(dir, "skill/run")); info.Mode() != 0o500 {
		t.Errorf("run: %v", info.Mode())
	}
	wantReport(t, passOver(t, f), 0, 0, 3)
	fstest.Must(t, errors.Join(os.Remove(filepath.Join(disk, "link")), os.Symlink("SKILL.md", filepath.Join(disk, "link"))))
	wantReport(t, passOver(t, f), 1, 0, 2)
	root.Replace(day, nil)
	wantReport(t, passOver(t, f), 0, 4, 0)
}

func TestFolderLeavesOutInboxesAndWhatIsNotListed(t *testing.T) {
	inbox := drop.New(drop.Options{Now: time.Now, Static: map[string]fs.Node{"README.md": textOf("r")}})
	defer inbox.Close()
	tree, _ := newTree(map[string]fs.Node{"calls": inbox, "find": lookupOnly{dirOf(map[string]fs.Node{"README.md": textOf("how")})}})
	dir := t.TempDir()
	f := newFolder(t, tree, dir)
	passOver(t, f)
	if _, err := f.sync(t.Context(), []string{"find/words", "calls/x.result", "calls", "nothing/here"}); err != nil {
		t.Fatal(err)
	}
	wantDisk(t, dir, "find/", "find/README.md: how")
}

// lookupOnly finds a folder under every name.
type lookupOnly struct{ *fs.Folder }

func (d lookupOnly) Lookup(ctx context.Context, name string) (fs.Node, error) {
	if n, err := d.Folder.Lookup(ctx, name); err == nil {
		return n, nil
	}
	return dirOf(map[string]fs.Node{"match": textOf("m")}), nil
}
