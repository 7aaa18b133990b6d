package console

import (
	"errors"

	"ctxfs/mounts/control"
)

// exitError is an error with an exit code. Without an err it prints nothing.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// Exit returns an error that ends the program with a code. If err is nil, nothing
// is printed.
func Exit(code int, err error) error { return &exitError{code, err} }

// ExitCode returns the exit code of the program after err, and reports whether err
// is to be printed.
func ExitCode(err error) (code int, printed bool) {
	if e := (*exitError)(nil); errors.As(err, &e) {
		return e.code, e.err != nil
	}
	if fault := (*control.Fault)(nil); errors.As(err, &fault) && fault.Denied {
		return ExitDenied, true
	}
	if err != nil {
		return ExitFailed, true
	}
	return ExitOK, false
}
