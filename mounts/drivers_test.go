package mounts

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	iofs "io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
	"ctxfs/fs/fusefs"
)

// TestMain also runs the child process that reads folders of the operating
// system: a process that touches its own mount may deadlock.
func TestMain(m *testing.M) {
	if root := os.Getenv(accessorEnv); root != "" {
		access(root, os.Stdin, os.Stdout)
		return
	}
	if role := os.Getenv(helperEnv); role != "" {
		os.Exit(helpHung(role, os.Args[1:]))
	}
	os.Exit(m.Run())
}

const accessorEnv = "CTXFS_TEST_ACCESSOR"

func newViewDriver(t *testing.T, tree *fs.Tree) driver {
	return viewDriver{fsys: fstest.FS(t.Context(), tree)}
}

func newFolderDriver(t *testing.T, tree *fs.Tree) driver {
	dir := t.TempDir()
	f, err := NewFolder(tree, dir, FolderOptions{})
	fstest.Must(t, err)
	t.Cleanup(func() { f.Close() })
	if r, err := f.Pass(t.Context()); err != nil || len(r.Conflicts)+len(r.Errors) > 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	return newOSDriver(t, dir)
}

func newMountDriver(t *testing.T, tree *fs.Tree) driver {
	device, err := os.OpenFile("/dev/fuse", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no FUSE here: %v", err)
	}
	device.Close()
	dir := t.TempDir()
	m, err := fusefs.New(tree, dir, fusefs.Options{Log: slog.New(slog.DiscardHandler)})
	fstest.Must(t, err)
	t.Cleanup(func() {
		if err := m.Unmount(); err != nil && !errors.Is(err, fusefs.ErrBusy) { // a sandbox of another test may hold it
			t.Errorf("unmount: %v", err)
		}
		<-m.Done()
	})
	return newOSDriver(t, dir)
}

// treeDriver reads the tree itself.
type treeDriver struct{ tree *fs.Tree }

func newTreeDriver(_ *testing.T, tree *fs.Tree) driver { return treeDriver{tree} }

func (d treeDriver) do(ctx context.Context, command string, args []string) string {
	if command == "drop" {
		return answer("", d.drop(ctx, args[0], args[1]))
	}
	n, err := d.tree.Resolve(ctx, args[0])
	if err != nil {
		return missing(command, err)
	}
	switch command {
	case "list", "tree":
		var names []string
		err := d.walk(ctx, n, "", command == "tree", &names)
		return answer(lines(names), err)
	case "stat":
		return answer(d.stat(ctx, n))
	}
	f, ok := n.(fs.File)
	if !ok {
		return answer("", fs.ErrIsDir)
	}
	if command == "bytes" {
		off, length := numbers(args)
		p := make([]byte, length)
		n, err := d.tree.ReadAt(ctx, f, p, off)
		return part(p[:n], err)
	}
	body, err := d.tree.ReadAll(ctx, f)
	return answer(whole(body), err)
}

func (d treeDriver) walk(ctx context.Context, n fs.Node, at string, deep bool, names *[]string) error {
	dir, ok := n.(fs.Dir)
	if !ok {
		return fs.ErrNotDir
	}
	entries, err := d.tree.List(ctx, dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		here := path.Join(at, e.Name)
		*names = append(*names, here+mark(e.Type))
		if !deep || !e.Type.IsDir() {
			continue
		}
		child, err := d.tree.Lookup(ctx, dir, e.Name)
		if err == nil {
			err = d.walk(ctx, child, here, deep, names)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (d treeDriver) stat(ctx context.Context, n fs.Node) (string, error) {
	a, err := d.tree.Stat(ctx, n)
	if l, ok := n.(fs.Link); ok && err == nil {
		target, err := d.tree.Target(ctx, l)
		return "link -> " + target, err
	}
	return described(a.Mode, a.Size, a.ModTime), err
}

func (d treeDriver) drop(ctx context.Context, at, body string) error {
	n, err := d.tree.Resolve(ctx, path.Dir(at))
	if err != nil {
		return err
	}
	inbox, ok := n.(fs.Inbox)
	if !ok {
		return fs.ErrReadOnly
	}
	draft, err := d.tree.Create(ctx, inbox, path.Base(at), fs.Standpoint{})
	if err != nil {
		return err
	}
	_, err = d.tree.Write(ctx, inbox, draft, []byte(body), 0)
	draft.Abandon()
	return err
}

// viewDriver reads an io/fs file system.
type viewDriver struct{ fsys iofs.FS }

func (d viewDriver) do(_ context.Context, command string, args []string) string {
	name := args[0]
	switch command {
	case "missing":
		_, err := iofs.Lstat(d.fsys, name)
		return missing(command, err)
	case "list", "tree":
		var names []string
		err := d.walk(name, "", command == "tree", &names)
		return answer(lines(names), err)
	case "stat":
		return answer(d.stat(name))
	case "bytes":
		f, err := d.fsys.Open(name)
		if err != nil {
			return answer("", err)
		}
		defer f.Close()
		off, length := numbers(args)
		p := make([]byte, length)
		n, err := f.(io.ReaderAt).ReadAt(p, off)
		return part(p[:n], err)
	case "cat":
		body, err := iofs.ReadFile(d.fsys, name)
		return answer(whole(body), err)
	}
	return "! cannot " + command
}

func (d viewDriver) walk(name, at string, deep bool, names *[]string) error {
	entries, err := iofs.ReadDir(d.fsys, name)
	if err != nil {
		return err
	}
	for _, e := range entries {
		here := path.Join(at, e.Name())
		if here == manifestName {
			continue
		}
		*names = append(*names, here+mark(e.Type()))
		if deep && e.IsDir() {
			if err := d.walk(path.Join(name, e.Name()), here, deep, names); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d viewDriver) stat(name string) (string, error) {
	info, err := iofs.Lstat(d.fsys, name)
	if err != nil {
		return "", err
	}
	if info.Mode().Type() == iofs.ModeSymlink {
		target, err := iofs.ReadLink(d.fsys, name)
		return "link -> " + target, err
	}
	return described(info.Mode(), info.Size(), info.ModTime()), nil
}

// osDriver reads a folder of the operating system, through a child process.
type osDriver struct {
	t   *testing.T
	in  *json.Encoder
	out *json.Decoder
}

type question struct {
	Command string
	Args    []string
}

func newOSDriver(t *testing.T, root string) driver {
	t.Helper()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), accessorEnv+"="+root)
	child.Stderr = os.Stderr
	child.Dir = os.TempDir()
	in, err := child.StdinPipe()
	fstest.Must(t, err)
	out, err := child.StdoutPipe()
	fstest.Must(t, err)
	fstest.Must(t, child.Start())
	t.Cleanup(func() {
		in.Close()
		if err := child.Wait(); err != nil {
			t.Errorf("the process that looks at the folder: %v", err)
		}
	})
	return osDriver{t, json.NewEncoder(in), json.NewDecoder(bufio.NewReader(out))}
}

func (d osDriver) do(_ context.Context, command string, args []string) string {
	d.t.Helper()
	var got string
	if err := errors.Join(d.in.Encode(question{command, args}), d.out.Decode(&got)); err != nil {
		d.t.Fatalf("the process that looks at the folder: %v", err)
	}
	return got
}

// access is the child's side of osDriver.
func access(root string, in io.Reader, out io.Writer) {
	d := viewDriver{os.DirFS(root)}
	requests, answers := json.NewDecoder(in), json.NewEncoder(out)
	for {
		var r question
		if err := requests.Decode(&r); err != nil {
			return
		}
		got := ""
		if r.Command == "drop" {
			got = answer("", os.WriteFile(filepath.Join(root, r.Args[0]), []byte(r.Args[1]), 0o644))
		} else {
			got = d.do(context.Background(), r.Command, r.Args)
		}
		if err := answers.Encode(got); err != nil {
			return
		}
	}
}

// answer is a text, or an error in the words of the script language.
func answer(text string, err error) string {
	for _, word := range []struct {
		err  error
		says string
	}{
		{fs.ErrNotExist, "no such file"},
		{fs.ErrExist, "exists"},
		{fs.ErrIsDir, "a folder"},
		{syscall.EISDIR, "a folder"},
		{fs.ErrNotDir, "not a folder"},
		{syscall.ENOTDIR, "not a folder"},
		{fs.ErrReadOnly, "read-only"},
		{syscall.EROFS, "read-only"},
		{fs.ErrInvalid, "invalid"},
		{syscall.EINVAL, "invalid"},
	} {
		if errors.Is(err, word.err) {
			return "! " + word.says
		}
	}
	if err != nil {
		return "! " + err.Error()
	}
	return text
}

// missing is the answer of the command missing, and of all others on an error.
func missing(command string, err error) string {
	if command != "missing" {
		return answer("", err)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	return answer("it is there", err)
}

func lines(names []string) string {
	slices.Sort(names)
	return strings.Join(names, "\n")
}

func mark(mode iofs.FileMode) string {
	switch mode.Type() {
	case iofs.ModeDir:
		return "/"
	case iofs.ModeSymlink:
		return "@"
	}
	return ""
}

// described leaves out what differs in a plain folder: the mode of folders, and
// the permissions of others than the owner.
func described(mode iofs.FileMode, size int64, t time.Time) string {
	if mode.IsDir() {
		return "folder"
	}
	return fmt.Sprintf("file %04o %d %s", mode.Perm()>>6*0o111, size, t.UTC().Format(time.RFC3339))
}

func whole(body []byte) string {
	text := string(body)
	if text != "" && !strings.HasSuffix(text, "\n") {
		return text + "\n(no newline at the end)"
	}
	return strings.TrimRight(text, "\n")
}

func part(p []byte, err error) string {
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return answer(strconv.Quote(string(p)), err)
}

func numbers(args []string) (off, length int64) {
	off, _ = strconv.ParseInt(args[1], 10, 64)
	length, _ = strconv.ParseInt(args[2], 10, 64)
	return off, length
}
