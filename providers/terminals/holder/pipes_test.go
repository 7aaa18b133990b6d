package holder

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"ctxfs/fs/fstest"
)

// TestSamePlace: output and errors that arrive in one place, in order, share
// one pipe.
func TestSamePlace(t *testing.T) {
	dir := t.TempDir()
	open := func(name string, flags int) *os.File {
		t.Helper()
		f, err := os.OpenFile(filepath.Join(dir, name), flags|os.O_RDWR|os.O_CREATE, 0o600)
		fstest.Must(t, err)
		t.Cleanup(func() { f.Close() })
		return f
	}
	again := func(f *os.File) *os.File {
		t.Helper()
		fd, err := syscall.Dup(int(f.Fd()))
		fstest.Must(t, err)
		own := os.NewFile(uintptr(fd), f.Name())
		t.Cleanup(func() { own.Close() })
		return own
	}
	r, w, err := os.Pipe()
	fstest.Must(t, err)
	defer r.Close()
	defer w.Close()
	other, otherEnd, err := os.Pipe()
	fstest.Must(t, err)
	defer other.Close()
	defer otherEnd.Close()
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	fstest.Must(t, err)
	defer null.Close()
	nullToo, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	fstest.Must(t, err)
	defer nullToo.Close()
	file := open("file", 0)
	gone := again(file)
	gone.Close()
	for _, c := range []struct {
		name string
		a, b *os.File
		want bool
	}{
		{"a pipe", w, again(w), true},
		{"two pipes", w, otherEnd, false},
		{"a device that is opened twice", null, nullToo, true},
		{"a file", file, again(file), true},
		{"a file that is opened twice", file, open("file", 0), false},
		{"a file that is opened twice at its end", open("file", os.O_APPEND), open("file", os.O_APPEND), true},
		{"a file that is opened at its end and elsewhere", open("file", os.O_APPEND), file, false},
		{"two files", file, open("other", 0), false},
		{"a file and nothing", file, gone, false},
	} {
		fstest.Equal(t, samePlace(c.a, c.b), c.want, c.name)
	}
	// The same if the kernel does not compare open files.
	if _, err := file.Write([]byte("text")); err != nil {
		t.Fatal(err)
	}
	twice := open("file", 0)
	if !sharesOffset(int(file.Fd()), int(again(file).Fd())) || sharesOffset(int(file.Fd()), int(twice.Fd())) || sharesOffset(int(twice.Fd()), int(open("file", 0).Fd())) {
		t.Error("the positions do not tell")
	}
	if at, err := file.Seek(0, 1); at != 4 || err != nil {
		t.Errorf("the position is %d, %v", at, err)
	}
}
