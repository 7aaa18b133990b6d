package mounts

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"ctxfs/fs/fstest"
)

func TestResolve(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	fstest.Must(t, err)
	at := func(elements ...string) string { return filepath.Join(append([]string{dir}, elements...)...) }
	for _, err := range []error{
		os.MkdirAll(at("real", "sub"), 0o700),
		os.Symlink("real", at("link")),
		os.Symlink(at("link", "sub"), at("far")),
		os.Symlink("missing", at("dangling")),
		os.Symlink("loop", at("loop")),
	} {
		fstest.Must(t, err)
	}
	for path, want := range map[string]string{
		at("real"):                    at("real"),
		at("real", "..", "real", "."): at("real"),
		at("link"):                    at("real"),
		at("link", "sub"):             at("real", "sub"),
		at("far"):                     at("real", "sub"),
		at("dangling"):                at("missing"),
		at("link", "new"):             at("real", "new"),
		at("no", "such", "folder"):    at("no", "such", "folder"),
		"/":                           "/",
	} {
		if got, err := Resolve(path); err != nil || got != want {
			t.Errorf("Resolve(%q) = %q, %v; want %q", path, got, err, want)
		}
	}
	if got, err := Resolve(at("loop")); !errors.Is(err, syscall.ELOOP) {
		t.Errorf("Resolve of a loop = %q, %v", got, err)
	}
}
