// Package console is what every way of running ctxfs has in common towards the
// person or program that started it: the standard streams, the exit codes, and the
// wording of complaints and notes.
//
// It imports little, since [ctxfs/cmd/ctxfs/call] does, which must start within a
// millisecond.
package console

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"github.com/mattn/go-isatty"

	"ctxfs/mounts/control"
)

// The exit codes of all commands, as their help documents them.
const (
	ExitOK          = 0
	ExitFailed      = 1   // the message says why
	ExitUsage       = 2   // a wrong command line, or arguments that do not fit a tool
	ExitNotRunning  = 3   // status: there is no background process
	ExitProblems    = 4   // doctor, sync, stale, rules check: something was found
	ExitTool        = 5   // call: the tool says that it failed
	ExitLogin       = 6   // call: the server requires a login
	ExitUnreachable = 7   // call: the server does not answer
	ExitDenied      = 8   // call: the policy forbids it; any command: a read-only run of an agent does
	ExitAsked       = 9   // call: its server asks a question that the user must answer
	ExitStale       = 10  // stale --guard: an edit would be made on an outdated reading
	ExitNever       = 11  // wait: the condition can no longer be met
	ExitUnknown     = 12  // wait: nothing has that name
	ExitLost        = 13  // agent run: the processes of the run were killed
	ExitTimeout     = 124 // wait: not in time; the code of timeout(1)
	ExitInterrupted = 130
)

// Streams are the standard streams of a command.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// IsTerminal reports whether a stream is a terminal: a person may be at its other end.
func IsTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	if !ok {
		return false
	}
	raw, err := f.SyscallConn() // Fd could make it blocking
	if err != nil {
		return false
	}
	is := false
	err = raw.Control(func(fd uintptr) { is = isatty.IsTerminal(fd) })
	return err == nil && is
}

// Complain prints an error, and its hint on lines of their own.
func Complain(w io.Writer, err error) {
	fmt.Fprintf(w, "ctxfs: %s\n", strings.TrimSpace(err.Error()))
	if hint := control.FaultOf(err).Hint; hint != "" {
		fmt.Fprintf(w, "  %s\n", strings.ReplaceAll(hint, "\n", "\n  "))
	}
}

// PrintJSON prints the result of a command for scripts.
func PrintJSON(w io.Writer, value any) error {
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(value)
}

// Notes returns a function that prints lines for people, each line once. It may
// be called concurrently.
func Notes(w io.Writer) func(line string) {
	var mu sync.Mutex
	printed := make(map[string]bool)
	return func(line string) {
		mu.Lock()
		defer mu.Unlock()
		if !printed[line] {
			printed[line] = true
			fmt.Fprintln(w, "ctxfs: "+line)
		}
	}
}
