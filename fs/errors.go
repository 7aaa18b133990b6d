package fs

import (
	"context"
	"errors"
	iofs "io/fs"
)

// The errors of the tree. Those of io/fs mean what they mean there. They are
// wrapped with operation and path ([iofs.PathError]); compare with errors.Is.
var (
	ErrNotExist   = iofs.ErrNotExist
	ErrExist      = iofs.ErrExist
	ErrPermission = iofs.ErrPermission
	ErrInvalid    = iofs.ErrInvalid

	// ErrReadOnly is the answer to every attempt to write, except in an inbox.
	ErrReadOnly = errors.New("read-only file system")
	// ErrNotDir reports a path that leads through something other than a folder.
	ErrNotDir = errors.New("not a directory")
	// ErrIsDir reports that a folder was read as a file.
	ErrIsDir = errors.New("is a directory")
	// ErrTooLarge reports a body that is longer than its inbox takes.
	ErrTooLarge = errors.New("file too large")
	// ErrTimeout reports that a provider did not answer within the deadline.
	ErrTimeout = errors.New("provider did not answer in time")
	// ErrInterrupted reports that the caller's context ended before the answer came.
	ErrInterrupted = errors.New("interrupted")
	// ErrBroken reports a bug: a provider panicked or broke a promise of its nodes.
	ErrBroken = errors.New("internal error")
)

// pathError wraps err with the operation and the path, once.
func pathError(op, path string, err error) error {
	if err == nil {
		return nil
	}
	if pe := (*iofs.PathError)(nil); errors.As(err, &pe) {
		err = pe.Err
	}
	return &iofs.PathError{Op: op, Path: path, Err: err}
}

// Cause returns the innermost message of an error, for people: "no such file or
// folder" rather than the operations and paths on the way to it.
func Cause(err error) string {
	if errors.Is(err, ErrNotExist) {
		return "no such file or folder"
	}
	if pe := (*iofs.PathError)(nil); errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}

// ContextError converts the end of a context: exceeding the deadline is the
// provider's fault, anything else is the caller's wish.
func ContextError(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return ErrTimeout
	}
	return ErrInterrupted
}
