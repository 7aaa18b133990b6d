package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"ctxfs/cmd/ctxfs/console"
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

// Usage returns an error of the command line of cmd, which ends the program with
// [console.ExitUsage] and names the command's help.
func Usage(cmd *cobra.Command, err error) error {
	return Exit(console.ExitUsage, &control.Fault{Message: err.Error(), Hint: seeHelp(cmd)})
}

func seeHelp(cmd *cobra.Command) string {
	return "see how it is used: " + cmd.CommandPath() + " --help"
}

// ExitCode returns the exit code of the program after err, and reports whether err
// is to be printed.
func ExitCode(err error) (code int, printed bool) {
	if e := (*exitError)(nil); errors.As(err, &e) {
		return e.code, e.err != nil
	}
	if fault := (*control.Fault)(nil); errors.As(err, &fault) && fault.Denied {
		return console.ExitDenied, true
	}
	if err != nil {
		return console.ExitFailed, true
	}
	return console.ExitOK, false
}
