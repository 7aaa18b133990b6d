package filelock_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"ctxfs/fs/fstest"
	"ctxfs/providers/internal/filelock"
)

// take takes the lock of a file that must be free for that.
func take(t *testing.T, path string, mode filelock.Mode) *filelock.Lock {
	t.Helper()
	l, err := filelock.Try(path, mode)
	fstest.Must(t, err)
	t.Cleanup(l.Release)
	return l
}

func held(path string, mode filelock.Mode) bool {
	l, err := filelock.Try(path, mode)
	l.Release()
	return errors.Is(err, filelock.ErrHeld)
}

// TestTry: one has an exclusive lock, any number share one, and a released lock is
// free.
func TestTry(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	alone := take(t, path, filelock.Exclusive)
	if !held(path, filelock.Exclusive) || !held(path, filelock.Shared) {
		t.Error("an exclusive lock is had twice")
	}
	alone.Share()
	if held(path, filelock.Shared) || !held(path, filelock.Exclusive) {
		t.Error("a lock that is shared by now")
	}
	alone.Release()
	if held(path, filelock.Exclusive) {
		t.Error("a lock that was released is held")
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info, err)
	}
}

// TestWait: a lock is waited for as long as the context allows.
func TestWait(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	first := take(t, path, filelock.Exclusive)
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if l, err := filelock.Wait(ctx, path, filelock.Exclusive); !errors.Is(err, filelock.ErrHeld) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a lock that is held: %v, %v", l, err)
	}
	for _, ctx := range []context.Context{t.Context(), context.Background()} {
		got := make(chan error)
		go func() {
			l, err := filelock.Wait(ctx, path, filelock.Exclusive)
			l.Release()
			got <- err
		}()
		first.Release()
		if err := <-got; err != nil {
			t.Error(err)
		}
		first = take(t, path, filelock.Exclusive)
	}
}

// TestReplaced: who has waited for a file that was replaced has the lock of the one
// that has its name now.
func TestReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	first := take(t, path, filelock.Shared)
	waits := make(chan *filelock.Lock)
	go func() {
		l, err := filelock.Wait(context.Background(), path, filelock.Exclusive)
		if err != nil {
			t.Error(err)
		}
		waits <- l
	}()
	fstest.Must(t, os.Remove(path))
	first.Release()
	last := <-waits
	defer last.Release()
	if !held(path, filelock.Exclusive) {
		t.Error("the lock that is held is that of another file")
	}
}

// TestFiles: open files are locked until they are closed, also against processes.
func TestFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	open := func() *os.File {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		fstest.Must(t, err)
		return f
	}
	f, other := open(), open()
	defer other.Close()
	fstest.Must(t, filelock.TryFile(f, filelock.Exclusive))
	fstest.ErrorIs(t, filelock.TryFile(other, filelock.Shared), filelock.ErrHeld, "file that is locked")
	if flock, err := exec.LookPath("flock"); err == nil {
		if err := exec.Command(flock, "--nonblock", path, "true").Run(); err == nil {
			t.Error("another process has the lock, too")
		}
	}
	f.Close()
	if err := filelock.WaitFile(t.Context(), other, filelock.Exclusive); err != nil {
		t.Error(err)
	}
}

// TestCannotBeLocked: the error is that of the file, and a lock that nobody has can
// be used like any other.
func TestCannotBeLocked(t *testing.T) {
	dir := t.TempDir()
	for _, path := range []string{filepath.Join(dir, "none", "lock"), dir} {
		l, err := filelock.Try(path, filelock.Shared)
		if err == nil || errors.Is(err, filelock.ErrHeld) {
			t.Errorf("%s: %v", path, err)
		}
		l.Share()
		l.Release()
	}
	fstest.Must(t, os.Symlink(filepath.Join(dir, "elsewhere"), filepath.Join(dir, "link")))
	if _, err := filelock.Try(filepath.Join(dir, "link"), filelock.Shared); err == nil {
		t.Error("a link was followed")
	}
}
