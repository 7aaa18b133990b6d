package folder

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ctxfs/fs/fstest"
)

// TestOf: what is said of a path by either name, and of those outside.
func TestOf(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	fstest.Must(t, err)
	f := At(filepath.Join(dir, "named"))
	if f.Resolve(nil); f.Real != f.Named {
		t.Errorf("of what is not there: %+v", f)
	}
	for _, err := range []error{os.Mkdir(filepath.Join(dir, "real"), 0o700), os.Symlink("real", f.Named)} {
		fstest.Must(t, err)
	}
	if f.Resolve(nil); f.Real != filepath.Join(dir, "real") {
		t.Errorf("%+v", f)
	}
	for path, want := range map[string][2]string{
		"real/a": {"a", ""}, "named/a": {"a", ""}, "real/a/b/c": {"a", "b/c"}, "named/..a/b": {"..a", "b"},
		"real": {}, "named": {}, "": {}, "real2/a": {}, "real/../x": {},
	} {
		id, inside, ok := f.Of(filepath.Join(dir, path))
		if got := [2]string{id, inside}; got != want || ok != (want[0] != "") {
			t.Errorf("%s: %q %q %v", path, id, inside, ok)
		}
	}
}

// TestLoad: each is read once, in the order of the ids.
func TestLoad(t *testing.T) {
	var read []string
	changed := Load(map[string]int{"b": 1, "a": 1}, []string{"c", "b"}, func(id string) bool {
		read = append(read, id)
		return id != "a"
	})
	if !slices.Equal(read, []string{"a", "b", "c"}) || !slices.Equal(changed, []string{"b", "c"}) {
		t.Errorf("%q, changed %q", read, changed)
	}
}
