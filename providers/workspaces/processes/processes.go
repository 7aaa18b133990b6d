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
	// maxCommand is the length of the longest command line that is shown, in bytes.
	maxCommand = 300
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
}

// header is the first line of processes.tsv.
const header = "pid\tcommand\tlistens\tterminal\tsince\n"

// TSV returns the text of processes.tsv.
func TSV(all []Process) string {
	var b strings.Builder
	b.WriteString(header)
	for _, p := range all {
		fmt.Fprintf(&b, "%d\t%s\t%s\t%s\t%s\n", p.PID, p.Command, strings.Join(p.Listens, ", "), p.Terminal, wording.Time(p.Since))
	}
	return b.String()
}

// candidate is a process that may be listed.
type candidate struct {
	Process
	argv []string
}

// sift returns the processes that say something, those that listen first, then by age.
// Shells that only wait, for a command to be typed or to end, say nothing, nor does what a
// program that is listed has started, unless it listens.
func sift(all []candidate) []Process {
	byPID, waiting := make(map[int]candidate), make(map[int]bool)
	for _, c := range all {
		byPID[c.PID] = c
		waiting[c.parent] = true
		if isIdleShell(c.argv) {
			waiting[c.PID] = true
		}
	}
	var kept []Process
	for _, c := range all {
		parent, below := byPID[c.parent]
		for below && isShell(parent.argv) {
			parent, below = byPID[parent.parent]
		}
		if len(c.Listens) > 0 || !below && !(isShell(c.argv) && waiting[c.PID]) {
			kept = append(kept, c.Process)
		}
	}
	slices.SortFunc(kept, func(a, b Process) int {
		return cmp.Or(compareBools(len(a.Listens) > 0, len(b.Listens) > 0), a.Since.Compare(b.Since), cmp.Compare(a.PID, b.PID))
	})
	return kept[:min(len(kept), most)]
}

// compareBools orders true before false.
func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// commandLine returns the arguments of a process as one line.
func commandLine(argv []string) string {
	words := make([]string, 0, len(argv))
	for _, w := range mask.Args(argv) {
		words = append(words, wording.ShellWord(clean.Line(w)))
	}
	return clean.Cut(strings.Join(words, " "), maxCommand)
}

// isShell reports whether a command line is that of a shell.
func isShell(argv []string) bool {
	if len(argv) == 0 {
		return false
	}
	name := strings.TrimPrefix(argv[0][strings.LastIndexByte(argv[0], '/')+1:], "-")
	return slices.Contains([]string{"sh", "bash", "dash", "zsh", "fish", "ksh", "nu", "pwsh"}, name)
}

// isIdleShell reports whether a command line is that of a shell that was given no command,
// or reads its commands from an open file, as those of agents do.
func isIdleShell(argv []string) bool {
	if !isShell(argv) {
		return false
	}
	for i, w := range argv[1:] {
		switch {
		case strings.HasPrefix(w, "/dev/fd/"), w == "/dev/stdin":
			return true
		case w == "-c", !strings.HasPrefix(w, "-") && (i == 0 || !takesValue(argv[i])):
			return false
		}
	}
	return true
}

// takesValue reports whether a flag of a shell is followed by its value.
func takesValue(flag string) bool {
	return slices.Contains([]string{"--rcfile", "--init-file", "-o", "-O", "-C", "--init-command"}, flag)
}
