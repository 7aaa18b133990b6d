// Package processes finds what was started in a folder and still runs: programs, the
// ports at which they listen, the terminal from which they were started. It is the content
// of processes.tsv.
package processes

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/internal/mask"
)

const (
	// most is how many processes are listed for one folder.
	most = 100
	// settled is how long a process runs before it is listed, so that commands that come
	// and go do not change the list.
	settled = 3 * time.Second
	// maxCommand is the length of the longest command line that is shown, in bytes, and
	// maxTerminal that of the longest name of a terminal.
	maxCommand  = 300
	maxTerminal = 120
	// terminalVariable names a recorded terminal to the programs in it; it is set by
	// providers/terminals/holder.
	terminalVariable = "CTXFS_TERMINAL"
)

// ErrUnsupported is the error where the system does not show other processes as Linux does.
var ErrUnsupported = errors.New("processes are listed on Linux only")

// Options are the surroundings of [Read].
type Options struct {
	// Place returns the folder for which a process is listed that runs in a folder; "" if
	// it is listed nowhere. It answers from memory.
	Place func(dir string) string
	// Own is a process that is left out, with all that it has started; 0 for none.
	Own int
	Now func() time.Time
}

// Process is a process that was started in a folder.
type Process struct {
	PID int
	// Command is its command line as one line for a shell, without secrets.
	Command string
	// Listens is where it takes connections, sorted: "tcp 127.0.0.1:3000", "tcp *:8080",
	// "unix /path". Of processes that share a socket, the oldest has it.
	Listens []string
	// Terminal is the name of a recorded terminal, or of another ("pts/3"); "" if it was
	// started from none, or that is not known.
	Terminal string
	// Since is when it was started, to the second.
	Since time.Time

	parent int
	shell  bool
}

// TSV returns the text of processes.tsv.
func TSV(all []Process) string {
	var b strings.Builder
	b.WriteString("pid\tcommand\tlistens\tterminal\tsince\n")
	for _, p := range all {
		fmt.Fprintf(&b, "%d\t%s\t%s\t%s\t%s\n", p.PID, p.Command, strings.Join(p.Listens, ", "), p.Terminal, wording.Time(p.Since))
	}
	return b.String()
}

// sift returns the processes that say something, those that listen first, then by age.
// Shells say nothing, nor does what a program that is listed has started, unless it listens.
func sift(all []Process) (kept []Process) {
	byPID := make(map[int]Process)
	for _, p := range all {
		byPID[p.PID] = p
	}
	for _, p := range all {
		parent, below := byPID[p.parent]
		for below && parent.shell {
			parent, below = byPID[parent.parent]
		}
		if len(p.Listens) > 0 || !below && !p.shell {
			kept = append(kept, p)
		}
	}
	slices.SortFunc(kept, func(a, b Process) int {
		return cmp.Or(cmp.Compare(min(len(b.Listens), 1), min(len(a.Listens), 1)), a.Since.Compare(b.Since), cmp.Compare(a.PID, b.PID))
	})
	return kept[:min(len(kept), most)]
}

// commandLine returns the arguments of a process as one line.
func commandLine(argv []string) string {
	words := make([]string, 0, len(argv))
	for _, w := range mask.Args(argv) {
		words = append(words, wording.ShellWord(clean.Line(w)))
	}
	return clean.Cut(strings.Join(words, " "), maxCommand)
}

func isShell(program string) bool {
	name := strings.TrimPrefix(program[strings.LastIndexByte(program, '/')+1:], "-")
	return slices.Contains([]string{"sh", "bash", "dash", "zsh", "fish", "ksh", "nu", "pwsh"}, name)
}
