package fstest

import (
	"context"
	"strings"
	"testing"

	"ctxfs/fs"
)

// Text returns the text of the file at a path of a tree. The error is
// [fs.ErrIsDir] where something other than a file is there.
func Text(tree *fs.Tree, path string) (string, error) {
	n, err := tree.Resolve(context.Background(), path)
	if err != nil {
		return "", err
	}
	return textOf(tree, n)
}

func textOf(tree *fs.Tree, n fs.Node) (string, error) {
	f, ok := n.(fs.File)
	if !ok {
		return "", fs.ErrIsDir
	}
	text, err := tree.ReadAll(context.Background(), f)
	return string(text), err
}

// Read returns the text of the file at a path of a tree, and ends the test if the
// file does not exist.
func Read(t testing.TB, tree *fs.Tree, path string) string {
	t.Helper()
	text, err := Text(tree, path)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return text
}

// ReadIfAny returns the text of the file at a path of a tree, or "" if nothing is
// at the path. It ends the test if what is there cannot be read.
func ReadIfAny(t testing.TB, tree *fs.Tree, path string) string {
	t.Helper()
	n, err := tree.Resolve(context.Background(), path)
	if err != nil {
		return ""
	}
	text, err := textOf(tree, n)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return text
}

// Names returns the names in the folder at a path of a tree, as they are listed,
// and ends the test if there is no folder.
func Names(t testing.TB, tree *fs.Tree, path string) (names []string) {
	t.Helper()
	n, err := tree.Resolve(context.Background(), path)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	d, ok := n.(fs.Dir)
	if !ok {
		t.Fatalf("%s: %v", path, fs.ErrNotDir)
	}
	entries, err := tree.List(context.Background(), d)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	for _, e := range entries {
		names = append(names, e.Name)
	}
	return names
}

// WantNames checks that the folder at a path of a tree lists these names, which
// have spaces between them.
func WantNames(t testing.TB, tree *fs.Tree, path, want string) {
	t.Helper()
	if got := strings.Join(Names(t, tree, path), " "); got != want {
		t.Errorf("%s has %q, want %q", path, got, want)
	}
}

// Contains checks that a text has all these parts.
func Contains(t testing.TB, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in:\n%s", part, text)
		}
	}
}

// ContainsNot checks that a text has none of these parts.
func ContainsNot(t testing.TB, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if strings.Contains(text, part) {
			t.Errorf("%q is in:\n%s", part, text)
		}
	}
}
