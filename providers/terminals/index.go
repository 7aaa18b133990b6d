package terminals

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"time"

	"ctxfs/fs"
	"ctxfs/fs/wording"
	"ctxfs/providers/internal/clean"
	"ctxfs/providers/terminals/record"
)

// indexName is the file that lists all terminals.
const indexName = "INDEX.md"

// The most bytes that a line shows of a command and of a folder's path.
const (
	commandLen = 120
	cwdLen     = 200
)

// snapshot is the published state.
type snapshot struct {
	terminals []*record.Terminal // newest first
	serving   map[string]serving // by ID
	index     []byte
	modTime   time.Time // of the index; zero if no fact has a time
	problems  []fs.Problem
}

// complete derives the index and its time from the terminals. Old is what was
// shown before.
func (s *snapshot) complete(old *snapshot, p *Provider) {
	slices.SortFunc(s.terminals, func(a, b *record.Terminal) int {
		return cmp.Or(b.Started.Compare(a.Started), compareIDs(b.ID, a.ID))
	})
	if p.pruneErr != nil {
		s.problems = append(s.problems, fs.Problem{
			What: clean.Line(fmt.Sprintf("old terminals cannot be deleted: %v", p.pruneErr)),
			Mend: "chmod -R u+rwX " + wording.ShellWord(p.dir.Real),
		})
	}
	s.index = renderIndex(s.terminals, s.serving)
	s.modTime = latest(s.terminals)
	switch {
	case bytes.Equal(s.index, old.index):
		s.modTime = old.modTime
	case old.index != nil && !s.modTime.After(old.modTime):
		s.modTime = wording.Later(p.opts.Env.Now(), old.modTime.Add(1)) // a removal has no time of its own
	}
}

// compareIDs orders IDs: numbers by their value.
func compareIDs(a, b string) int {
	if strings.Trim(a+b, "0123456789") == "" {
		return cmp.Or(len(a)-len(b), strings.Compare(a, b))
	}
	return strings.Compare(a, b)
}

// changed returns when what the index says of a terminal last changed.
func changed(t *record.Terminal) time.Time {
	at := t.Started
	if t.CommandStarted != nil {
		at = wording.Later(at, *t.CommandStarted)
	}
	if t.Ended != nil {
		at = wording.Later(at, *t.Ended)
	}
	if n := len(t.Records); n > 0 {
		at = wording.Later(at, t.Records[n-1].End)
	}
	return at
}

// latest returns when anything in any of the terminals last changed.
func latest(terminals []*record.Terminal) time.Time {
	var at time.Time
	for _, t := range terminals {
		at = wording.Later(at, changed(t))
	}
	return at
}

//go:embed intro.md
var intro string

const none = `None yet. Open a terminal that is recorded, or run one command in one:

    ctxfs term
    ctxfs run -- make test
`

// renderIndex returns INDEX.md.
func renderIndex(terminals []*record.Terminal, serving map[string]serving) []byte {
	var b bytes.Buffer
	b.WriteString(intro)
	if len(terminals) == 0 {
		b.WriteString(none)
	}
	for _, t := range terminals {
		b.WriteString(line(t, serving) + "\n")
	}
	return b.Bytes()
}

func line(t *record.Terminal, serving map[string]serving) string {
	var b strings.Builder
	name := t.ID + ".txt"
	if t.Running() {
		name = "**" + name + "**"
	}
	fmt.Fprintf(&b, "- %s", name)
	if t.Name != "" && t.Name != t.ID {
		fmt.Fprintf(&b, " (%s)", clean.Cut(clean.Line(t.Name), commandLen))
	}
	b.WriteString(": " + state(t))
	if t.Pid > 0 && t.Running() {
		fmt.Fprintf(&b, ", pid %d", t.Pid)
	}
	if t.Cwd != "" {
		fmt.Fprintf(&b, ", in %s", clean.Cut(clean.Line(t.Cwd), cwdLen))
	}
	if t.Command != "" && t.Running() {
		fmt.Fprintf(&b, "; runs: %s, since %s", shortened(t.Command), wording.Time(*t.CommandStarted))
		if s, ok := serving[t.ID]; ok && s.command.Equal(*t.CommandStarted) {
			b.WriteString(s.String())
		}
	}
	if n := len(t.Records); n > 0 {
		c := &t.Records[n-1]
		fmt.Fprintf(&b, "; last: %s, %s", shortened(c.Command), exit(c.Exit, c.Signal))
	}
	if n := len(t.Parts); n > 1 {
		fmt.Fprintf(&b, "; part %d, before it", t.Parts[n-1].Number)
		for i := n - 2; i >= 0; i-- {
			fmt.Fprintf(&b, " %s (%d)", partName(t.ID, n-1-i), t.Parts[i].Number)
		}
	}
	if t.Fault != nil && t.Running() {
		fmt.Fprintf(&b, "; not recorded since %s: %s", wording.Time(t.Fault.Since), t.Fault.What)
	}
	return b.String()
}

// state returns the state of a terminal in words.
func state(t *record.Terminal) string {
	switch {
	case t.Killed:
		return "ended, its holder was killed"
	case !t.Running():
		words := "ended"
		if t.Ended != nil {
			words += " " + wording.Time(*t.Ended)
		}
		var signal *string
		if t.Signal != "" {
			signal = &t.Signal
		}
		return words + ", " + exit(t.Exit, signal)
	case t.Command != "" && t.CommandStarted != nil:
		return record.Running
	}
	return record.Idle
}

func exit(code *int, signal *string) string {
	switch {
	case signal != nil:
		return "killed by " + clean.Line(*signal)
	case code != nil:
		return fmt.Sprintf("exit %d", *code)
	}
	return "exit not known"
}

func shortened(command string) string {
	return "`" + strings.ReplaceAll(clean.Cut(clean.Line(command), commandLen), "`", "'") + "`"
}
