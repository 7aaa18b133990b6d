package mounts

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"ctxfs/fs"
	"ctxfs/fs/fstest"
)

// TestFolderAsAnOrdinaryUser appends to a file whose own mode forbids that to
// all but root.
func TestFolderAsAnOrdinaryUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can become somebody else; for others the other tests are the same")
	}
	const nobody = 65534
	source := filepath.Join(t.TempDir(), "log")
	putFile(t, source, "one\n")
	tree, _ := newTree(map[string]fs.Node{"sub": dirOf(map[string]fs.Node{"log": fs.NewLog(source, 0)})})
	dir := t.TempDir()
	fstest.Must(t, errors.Join(os.Chmod(filepath.Dir(dir), 0o755), os.Chown(dir, nobody, nobody)))
	f := newFolder(t, tree, dir)
	fstest.Must(t, os.Chown(filepath.Join(dir, manifestName), nobody, nobody))
	for _, more := range []string{"", "two\n"} {
		appendFile(t, source, more)
		asUser(t, nobody, func() {
			if r, err := f.Pass(t.Context()); err != nil || len(r.Errors) > 0 || r.Written == 0 {
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
	wantDisk(t, dir, "sub/", "sub/log: one\ntwo\n")
	info, err := os.Stat(filepath.Join(dir, "sub/log"))
	fstest.Must(t, err)
	fstest.Equal(t, info.Mode(), 0o400, "mode")
}

// asUser runs f in a thread of another user, which ends with f.
func asUser(t *testing.T, uid int, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		keep := ^uintptr(0)
		if _, _, errno := syscall.RawSyscall(syscall.SYS_SETRESUID, keep, uintptr(uid), keep); errno != 0 {
			t.Errorf("becoming user %d: %v", uid, errno)
			return
		}
		f()
	}()
	<-done
}
