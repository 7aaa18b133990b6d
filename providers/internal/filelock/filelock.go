// Package filelock locks files against other processes. The locks are those of
// flock(2): advisory, for a file that was opened rather than for a process, and freed
// by the kernel however the process ends.
package filelock

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// ErrHeld reports that another program holds the lock in a way that excludes ours.
var ErrHeld = errors.New("it is locked elsewhere")

// Mode is how a lock is held.
type Mode int

const (
	Shared    Mode = syscall.LOCK_SH // with others that share it
	Exclusive Mode = syscall.LOCK_EX // alone
)

// Lock is a lock that is held. On a nil Lock the methods do nothing: it stands for
// the lock of a folder in which no file can be locked.
type Lock struct{ file *os.File }

// Try takes the lock of the file at path without waiting; its error is [ErrHeld] if
// another program has it. The file is created (0600) where it is missing, and stays
// afterwards: its content means nothing.
func Try(path string, mode Mode) (*Lock, error) {
	return take(path, func(f *os.File) error { return TryFile(f, mode) })
}

// Wait takes the lock of the file at path as [Try] does, and waits for it as long as
// ctx allows. The error is then [ErrHeld] and that of ctx.
func Wait(ctx context.Context, path string, mode Mode) (*Lock, error) {
	return take(path, func(f *os.File) error { return WaitFile(ctx, f, mode) })
}

// take opens and locks the file at path. A file that is deleted or replaced before
// it is locked excludes no other program: the file that has its name by then is
// taken.
func take(path string, lock func(f *os.File) error) (*Lock, error) {
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
		if err != nil {
			return nil, err
		}
		if err := lock(f); err != nil {
			f.Close()
			return nil, fmt.Errorf("lock %s: %w", path, err)
		}
		if inPlace(f, path) {
			return &Lock{f}, nil
		}
		f.Close()
	}
}

// inPlace reports whether an open file is not known to have lost its name.
func inPlace(f *os.File, path string) bool {
	opened, err := f.Stat()
	if err != nil {
		return true
	}
	named, err := os.Lstat(path)
	return err == nil && os.SameFile(opened, named) || err != nil && !errors.Is(err, os.ErrNotExist)
}

// Share lets others share an exclusive lock from now on.
func (l *Lock) Share() {
	if l != nil {
		_ = TryFile(l.file, Shared)
	}
}

// Release gives the lock up.
func (l *Lock) Release() {
	if l != nil {
		_ = l.file.Close()
	}
}

// TryFile locks an open file, until it is closed, without waiting; its error is
// [ErrHeld] if another program has locked it.
func TryFile(f *os.File, mode Mode) error {
	err := flock(f, int(mode)|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrHeld
	}
	return err
}

// The intervals at which a lock that is held is tried again: system calls that wait
// for one cannot be cancelled.
const (
	firstPoll = time.Millisecond
	lastPoll  = 20 * time.Millisecond
)

// WaitFile locks an open file as [TryFile] does, and waits for it as long as ctx
// allows. The error is then [ErrHeld] and that of ctx.
func WaitFile(ctx context.Context, f *os.File, mode Mode) error {
	if ctx.Done() == nil {
		return flock(f, int(mode))
	}
	for poll := firstPoll; ; poll = min(2*poll, lastPoll) {
		err := TryFile(f, mode)
		if !errors.Is(err, ErrHeld) {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", err, ctx.Err())
		case <-time.After(poll):
		}
	}
}

// flock calls flock(2), again where a signal interrupts it.
func flock(f *os.File, how int) error {
	for {
		err := syscall.Flock(int(f.Fd()), how)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
