package mounts

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
)

func TestFolderAppendsToLiveFiles(t *testing.T) {
	source := filepath.Join(t.TempDir(), "log")
	putFile(t, source, "head1\nline 1\n")
	log := fs.NewLog(source, 6)
	tree, _ := newTree(map[string]fs.Node{"log": log})
	dir := t.TempDir()
	shown := filepath.Join(dir, "log")
	f := newFolder(t, tree, dir)
	passOver(t, f)
	follower, err := os.Open(shown)
	fstest.Must(t, err)
	defer follower.Close()
	followed := func(want string) {
		t.Helper()
		body, err := io.ReadAll(io.NewSectionReader(follower, 0, 1<<20))
		if err != nil || string(body) != want {
			t.Errorf("the follower reads %q, %v; want %q", body, err, want)
		}
		info, _ := follower.Stat()
		if truth, _ := os.Stat(source); !truth.ModTime().Equal(info.ModTime()) || info.Mode() != 0o400 {
			t.Errorf("mode %v, time %v", info.Mode(), info.ModTime())
		}
	}
	wantReport(t, passOver(t, f), 0, 0, 1)
	appendFile(t, source, "line 2\n")
	wantReport(t, passOver(t, f), 1, 0, 0)
	followed("head1\nline 1\nline 2\n")

	out, err := os.OpenFile(source, os.O_WRONLY, 0)
	fstest.Must(t, err)
	_, err = out.WriteAt([]byte("HEAD2\n"), 0)
	if err = errors.Join(err, out.Close()); err != nil {
		t.Fatal(err)
	}
	log.HeadChanged()
	appendFile(t, source, "line 3\n")
	wantReport(t, passOver(t, f), 1, 0, 0)
	followed("HEAD2\nline 1\nline 2\nline 3\n")

	// Interrupted in the middle of an append, the next pass continues.
	f.Close()
	appendFile(t, source, "line 4\n")
	fstest.Must(t, os.Chmod(shown, 0o644))
	appendFile(t, shown, "line")
	f = newFolder(t, tree, dir)
	if r := passOver(t, f); len(r.Conflicts)+len(r.Errors) > 0 {
		t.Errorf("%+v", r)
	}
	followed("HEAD2\nline 1\nline 2\nline 3\nline 4\n")

	// Another incarnation takes the place of the file.
	putFile(t, source, "short\n")
	passOver(t, f)
	wantDisk(t, dir, "log: short\n")
	followed2, _ := io.ReadAll(io.NewSectionReader(follower, 0, 1<<20))
	if !strings.HasPrefix(string(followed2), "HEAD2") {
		t.Error("the old incarnation was overwritten")
	}
}

func TestFolderRunFollows(t *testing.T) {
	tree, root := newTree(map[string]fs.Node{
		"server": dirOf(map[string]fs.Node{"tools": dirOf(map[string]fs.Node{"a.json": textOf("a")})}),
		"other":  textOf("untouched"),
	})
	dir := t.TempDir()
	reports := make(chan Report, 100)
	f, err := NewFolder(tree, dir, FolderOptions{Log: slog.New(slog.DiscardHandler), Report: func(r Report) { reports <- r }})
	fstest.Must(t, err)
	defer f.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error)
	go func() { ended <- f.Run(ctx) }()
	wantReport(t, <-reports, 4, 0, 0)

	root.Set(day, "server", dirOf(map[string]fs.Node{"tools": dirOf(map[string]fs.Node{"a.json": textOf("b"), "c.json": textOf("c")})}))
	tree.Changed("server/tools/a.json")
	wantReport(t, <-reports, 1, 0, 0) // that path alone
	tree.Changed("server")
	wantReport(t, <-reports, 1, 0, 1)
	wantDisk(t, dir, "other: untouched", "server/", "server/tools/", "server/tools/a.json: b", "server/tools/c.json: c")

	root.Remove(day, "server")
	tree.Changed("server/tools/c.json")
	wantReport(t, <-reports, 0, 4, 0)
	wantDisk(t, dir, "other: untouched")
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestNewsCoalesce(t *testing.T) {
	n := newChangeQueue()
	for _, p := range []string{"a/b/c", "a/b", "ab", "x/y", "x/y", "a/b/d/e"} {
		n.add(p)
	}
	if got, _ := n.take(); !slices.Equal(got, []string{"a/b", "ab", "x/y"}) {
		t.Errorf("%q", got)
	}
	n.add("a")
	n.add("")
	if got, _ := n.take(); !slices.Equal(got, []string{""}) {
		t.Errorf("%q", got)
	}
}
