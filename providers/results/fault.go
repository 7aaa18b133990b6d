package results

import (
	"errors"
	"fmt"
	iofs "io/fs"
	"os"
	"syscall"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
)

// fault is why a result cannot be kept, in words for the user.
type fault struct {
	fs.Problem
	err error
}

// Error is one line: the cause, and what mends it.
func (f *fault) Error() string { return f.What + "; to mend it: " + f.Mend }

func (f *fault) Unwrap() error { return f.err }

// fault words an error, of what could not be done with results: "kept", "read".
func (s *Store) fault(done string, err error) *fault {
	if f := (*fault)(nil); errors.As(err, &f) {
		return f
	}
	dir := wording.ShellWord(s.opts.Dir)
	f := &fault{err: err}
	f.What = clean.Line(fmt.Sprintf("results cannot be %s in %s: %v", done, s.opts.Dir, cause(err)))
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		f.Mend = fmt.Sprintf("make room (how full it is: df -h %s), or lower max_size in [%s] of %s", dir, Table, s.opts.SettingsPath)
	case errors.Is(err, iofs.ErrPermission):
		f.Mend = "make it yours: sudo chown -R $(id -un) " + dir
	default:
		f.Mend = "look at it with ls -la " + dir
	}
	f.Mend = clean.Line(f.Mend)
	return f
}

// cause is an error without the operation and the path.
func cause(err error) error {
	if pe := (*iofs.PathError)(nil); errors.As(err, &pe) {
		return pe.Err
	}
	if le := (*os.LinkError)(nil); errors.As(err, &le) {
		return le.Err
	}
	return err
}
