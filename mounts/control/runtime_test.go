package control

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

func TestRuntimeDir(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	own := filepath.Join(tmp, "ctxfs-"+strconv.Itoa(os.Getuid()))
	env := func(value string) func(string) (string, bool) {
		return func(name string) (string, bool) { return value, name == "XDG_RUNTIME_DIR" && value != "" }
	}
	base := t.TempDir()
	for value, want := range map[string]string{
		base:                         filepath.Join(base, "ctxfs"),
		"":                           own,
		"relative":                   own,
		filepath.Join(base, "a/b/c"): own,
	} {
		dir, err := RuntimeDir(env(value))
		if err != nil || dir != want {
			t.Errorf("RuntimeDir with %q = %q, %v; want %q", value, dir, err, want)
			continue
		}
		if info, err := os.Lstat(dir); err != nil || info.Mode() != os.ModeDir|0o700 {
			t.Errorf("%s: %v, %v", dir, info, err)
		}
	}

	// What was open to others is closed.
	if err := os.Chmod(own, 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := RuntimeDir(env("")); err != nil {
		t.Error(err)
	}
	if info, err := os.Lstat(own); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info, err)
	}

	// Neither a link nor somebody else's folder is trusted.
	if err := os.Remove(own); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(base, own); err != nil {
		t.Fatal(err)
	}
	refused := func(what string) {
		t.Helper()
		dir, err := RuntimeDir(env(""))
		if f := (*Fault)(nil); !errors.As(err, &f) || f.Hint == "" {
			t.Errorf("%s: %q, %v", what, dir, err)
		}
	}
	refused("a link")
	if os.Getuid() != 0 {
		return
	}
	if err := errors.Join(os.Remove(own), os.Mkdir(own, 0o700), os.Chown(own, 65534, 65534)); err != nil {
		t.Fatal(err)
	}
	refused("somebody else's folder")
}
