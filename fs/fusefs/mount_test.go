package fusefs

import (
	"fmt"
	"strings"
	"testing"

	"ctxfs/fs"
)

func sampleTree() *fs.Folder {
	sub := fs.NewFolder(epoch, map[string]fs.Node{
		"b.txt": text("needle in b\n"),
		"run":   fs.NewScript(epoch, []byte("#!/bin/sh\necho ran $1\n")),
	})
	return fs.NewFolder(epoch, map[string]fs.Node{
		"a.txt": text("hello\n"),
		"empty": text(""),
		"sub":   sub,
		"none":  fs.NewFolder(epoch, nil),
	})
}

func TestReadAndList(t *testing.T) {
	m := mounted(t, sampleTree(), fs.TreeOptions{})
	m.expect("hello", "cat a.txt")
	m.expect("a.txt\nempty\nnone\nsub", "ls")
	m.expect(".\n..\nb.txt\nrun", "ls -a sub")
	m.expect("ran x", "sub/run x")
	m.expect("6 a.txt", "wc -c a.txt")
	m.expect("444 6 1767323045 regular file", "stat -c '%a %s %Y %F' a.txt")
	m.expect("./sub/b.txt:needle in b", "grep -r needle .")
	if out, code := m.run("cat nothing"); code != 1 || !strings.Contains(out, "No such file") {
		t.Errorf("cat nothing: %d %s", code, out)
	}
	m.expect("", "ls none")
}

// refusals are commands that must fail with "read-only file system".
var refusals = []string{
	"rm -f a.txt", "rm -rf sub", "rmdir none", "mv a.txt c.txt", "mv a.txt sub", "touch a.txt", "touch new",
	"echo x > a.txt", "echo x >> a.txt", "echo x > new", "mkdir new", "ln a.txt new", "ln -s a.txt new",
	"chmod 777 a.txt", "truncate -s 3 a.txt", "mkfifo new", "cp a.txt new", "dd if=/dev/zero of=a.txt conv=notrunc count=1",
}

func TestEveryChangeIsRefused(t *testing.T) {
	m := mounted(t, sampleTree(), fs.TreeOptions{})
	for _, command := range append(refusals, "chown 1 a.txt") {
		out, code := m.run(command)
		if code == 0 || !strings.Contains(strings.ToLower(out), "read-only file system") {
			t.Errorf("%s: exit %d: %s", command, code, out)
		}
	}
	m.expect("hello", "cat a.txt")
	m.expect("1", "[ -w a.txt ]; echo $?")
	m.expect("1", "[ -x a.txt ]; echo $?")
	m.expect("0", "[ -x sub/run ]; echo $?")
}

func TestWarmReadsSendNothing(t *testing.T) {
	need(t, "rg")
	root := fs.NewFolder(epoch, nil)
	for i := range 20 {
		files := make(map[string]fs.Node)
		for j := range 50 {
			files[fmt.Sprintf("%d.json", j)] = text(fmt.Sprintf("{\"needle\": %d}\n", i*j))
		}
		root.Set(epoch, fmt.Sprintf("d%d", i), fs.NewFolder(epoch, files))
	}
	m := mounted(t, root, fs.TreeOptions{})
	m.expect("1000", "rg -c needle . | wc -l")
	// Others on the machine may have the kernel drop its caches at any time: one
	// walk of several must send nothing.
	var sent []string
	var after map[string]uint64
	for range 10 {
		m.expect("1000", "rg -c needle . | wc -l")
		before := m.Requests()
		m.expect("1000", "rg -c needle . | wc -l")
		m.expect("1000", "find . -type f | wc -l")
		m.expect("1020", "ls -lR | grep -c 2026")
		after, sent = m.Requests(), nil
		for _, op := range []string{"LOOKUP", "GETATTR", "OPEN", "READ", "FLUSH", "OPENDIR", "READDIR", "READDIRPLUS"} {
			if after[op] != before[op] {
				sent = append(sent, fmt.Sprintf("%s: %d", op, after[op]-before[op]))
			}
		}
		if sent == nil {
			break
		}
	}
	if sent != nil {
		t.Errorf("requests for a warm tree, in each of ten walks: %s", strings.Join(sent, ", "))
	}
	if after["OPEN"] > 8 || // the threads of one rg may ask at the same time
		after["OPENDIR"] > 2 || after["FLUSH"] > 2 {
		t.Errorf("opens are asked for: %v", after)
	}
}

func TestHugeFolder(t *testing.T) {
	files := make(map[string]fs.Node)
	for i := range 100_000 {
		files[fmt.Sprintf("f%06d", i)] = text("x")
	}
	m := mounted(t, fs.NewFolder(epoch, files), fs.TreeOptions{})
	m.expect("100000", "ls -U | sort -u | wc -l")
	m.expect("100000", "find . -type f | wc -l")
	m.expect("f099999", "ls | tail -1")
	if c := m.tree.Counters(); c.Lists > 8 {
		t.Errorf("%d listings were made", c.Lists)
	}
	m.expect("x", "cat f054321")
}
