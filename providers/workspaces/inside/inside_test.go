package inside

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"ctxfs/fs/fstest"
)

func TestFolder(t *testing.T) {
	outside, dir := t.TempDir(), t.TempDir()
	for _, err := range []error{
		os.WriteFile(filepath.Join(outside, "secret"), []byte("x"), 0o600),
		os.WriteFile(filepath.Join(dir, "a"), []byte("text\x1b[1m"), 0o600),
		os.WriteFile(filepath.Join(dir, "long"), []byte(strings.Repeat("x", 2*maxFile)), 0o600),
		os.Mkdir(filepath.Join(dir, "sub"), 0o700),
		os.Symlink("../a", filepath.Join(dir, "sub", "link")),
		os.Symlink(filepath.Join(outside, "secret"), filepath.Join(dir, "out")),
		syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600),
	} {
		fstest.Must(t, err)
	}
	f, err := Open(dir)
	fstest.Must(t, err)
	defer f.Close()
	for name, want := range map[string]string{"a": "text", "sub/link": "text", "out": "", "pipe": "", "sub": "", "none": "", "../" + filepath.Base(outside) + "/secret": ""} {
		fstest.Equal(t, f.Text(name), want, "read as", name)
		fstest.Equal(t, f.Exists(name), (want != "" || name == "pipe" || name == "sub"), "exists", name)
	}
	fstest.Equal(t, len(f.Text("long")), maxFile, "bytes are read of a long file")
	folders, files, err := f.List("")
	if err != nil || !slices.Equal(folders, []string{"sub"}) || !slices.Equal(files, []string{"a", "long", "out", "pipe"}) {
		t.Errorf("got %q, %q, %v", folders, files, err)
	}
	if _, _, err := f.List("a"); err == nil {
		t.Error("a file is listed")
	}
}
