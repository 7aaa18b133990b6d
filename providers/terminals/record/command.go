package record

import (
	"os"
	"strings"
	"time"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/terminals/grid"
	"ctxfs/providers/terminals/shells"
)

// The sources of a record.
const (
	FromHook = "hook" // the shell reported it
	FromEcho = "echo" // the shell did not report the text, which is that of its prompt's line
	FromEnd  = "eof"  // the terminal ended before the shell reported the end
)

// Record is a command that has ended: a line of commands.jsonl. Its text is
// clean and masked.
type Record struct {
	N       int       `json:"n"` // counted from 1
	Command string    `json:"command"`
	Cwd     string    `json:"cwd"` // where it was started
	Start   time.Time `json:"start"`
	End     time.Time `json:"end"`
	Ms      int64     `json:"ms"`
	Exit    *int      `json:"exit"`   // null if unknown
	Signal  *string   `json:"signal"` // that killed it, if the kernel reported it; a shell reports 128 plus its number
	Part    int       `json:"part"`
	EndPart int       `json:"end_part,omitempty"`
	Bytes   [2]int64  `json:"bytes"`
	Lines   *[2]int64 `json:"lines"`
	Source  string    `json:"source"`
	// AltScreen reports whether it took the whole screen.
	AltScreen bool `json:"alt_screen"`
	// Truncated reports whether its text was cut because it was too long.
	Truncated bool `json:"truncated,omitempty"`

	at   Place // where its output begins
	made bool  // derived from what a killed holder left
}

// Failed reports whether the command is known to have failed. A command that the
// user interrupted has not failed, nor one that only exited the shell, directly or
// with its window: its code is that of the previous command, or chosen by the user.
// A comment has the code of the previous command, too.
func (r *Record) Failed() bool {
	switch {
	case r.Signal != nil && (*r.Signal == "SIGINT" || *r.Signal == "SIGHUP"), r.Exit != nil && *r.Exit == interrupted:
		return false
	case r.Exit != nil && *r.Exit == 0, r.Exit == nil && r.Signal == nil:
		return false
	}
	first, _, _ := strings.Cut(strings.TrimSpace(r.Command), "\n")
	word := first
	if i := strings.IndexAny(first, " \t;&|"); i >= 0 {
		word = first[:i]
	}
	switch word {
	case "exit", "logout", "bye":
		return false
	}
	return !strings.HasPrefix(word, "#")
}

// interrupted is the exit code of a command that SIGINT has killed.
const interrupted = 130

// maxCommand is how many bytes of a command's text are kept.
const maxCommand = 64 << 10

// mark processes a mark of the grid at the end of the log.
func (r *Recorder) mark(m grid.Mark) {
	switch m.Kind {
	case grid.PromptStart:
		r.hooked = true
		if r.open != nil { // the shell lost its hook: it will not report the end
			r.end(m.At, -1, "")
		}
		r.setFolder(m.Folder)
		r.tail.reset(false)
	case grid.CommandLine:
		r.line = m.Command
	case grid.OutputStart:
		r.hooked = true
		if r.open != nil {
			r.end(m.At, -1, "")
		}
		r.setFolder(m.Folder)
		command, source := r.commandOf(&m)
		r.start(m.At, command, r.meta.Cwd, source)
		r.open.Truncated = m.Truncated && source == FromHook
	case grid.CommandEnd:
		if r.open != nil {
			r.end(m.At, m.Exit, "")
		}
		r.setFolder(m.Folder)
	case grid.Folder:
		// Any program may report a folder. While a command runs it is not the
		// shell's.
		if (!r.hooked || r.open == nil) && ourHost(m.Host) {
			r.setFolder(m.Folder)
		}
	case grid.FullScreen:
		if r.open != nil {
			r.open.AltScreen = true
		}
	}
}

// setFolder sets the current folder, if one was reported.
func (r *Recorder) setFolder(folder string) {
	if folder == "" {
		return
	}
	if folder = r.masked(folder); folder != r.meta.Cwd {
		r.meta.Cwd, r.dirty = folder, true
	}
}

// ourHost reports whether a name is that of this machine.
func ourHost(host string) bool {
	if host == "" || host == "localhost" {
		return true
	}
	name, err := os.Hostname()
	short := func(s string) string { s, _, _ = strings.Cut(s, "."); return strings.ToLower(s) }
	return err == nil && short(name) == short(host)
}

// start begins the record of a command.
func (r *Recorder) start(at time.Time, command, cwd, source string) {
	r.log.gap()
	r.journal.n++
	command = clean.Prefix(r.masked(clean.Text(command)), maxCommand)
	r.open = &Record{N: r.journal.n, Command: command, Cwd: cwd, Start: timestamp(at), Source: source, at: r.log.place()}
	r.meta.State, r.meta.Command, r.meta.Commands = Running, command, r.journal.n
	r.meta.CommandStarted, r.meta.CommandAt = &r.open.Start, &r.open.at
	r.dirty = true
}

// end completes the record of the running command.
func (r *Recorder) end(at time.Time, exit int, signal string) {
	r.log.gap()
	c, to := r.open, r.log.place()
	r.open = nil
	c.End, c.Exit = timestamp(at), exitPointer(exit)
	c.Ms = c.End.Sub(c.Start).Milliseconds()
	if signal != "" {
		c.Signal = &signal
	}
	c.span(c.at, to)
	r.journal.add(c)
	r.meta.State, r.meta.Command, r.meta.CommandStarted, r.meta.CommandAt = Idle, "", nil, nil
	r.meta.LastCommand, r.meta.LastExit = c.Command, c.Exit
	r.dirty = true
}

// span sets where the output lies.
func (c *Record) span(from, to Place) {
	c.Part, c.Bytes, c.Lines = from.Part, [2]int64{from.Byte, to.Byte}, nil
	if from.Part != to.Part {
		c.EndPart = to.Part
	}
	if from != to {
		c.Lines = &[2]int64{from.Line, to.Line - 1}
	}
}

// tail is the text of the log since the shell's last prompt began: the prompt,
// and what the user typed.
type tail struct {
	text []byte
	off  bool // a command runs
}

// maxTail is how many bytes of it are kept.
const maxTail = 64 << 10

func (t *tail) reset(off bool) { t.text, t.off = t.text[:0], off }

func (t *tail) add(text []byte) {
	if room := maxTail - len(t.text); !t.off && len(text) <= room {
		t.text = append(t.text, text...)
	}
}

// The parameters of the mark of a command whose text the shell does not know
// (package shells).
const (
	promptText  = "prompt"
	lastCommand = "last"
)

// commandOf returns the text of the command that begins, and its source.
func (r *Recorder) commandOf(m *grid.Mark) (text, source string) {
	told, log := m.Command, string(r.tail.text)
	if told == "" {
		told = r.line
	}
	r.line = ""
	r.tail.reset(true)
	switch {
	case told == "":
		return shells.Typed(log, m.Parameters[promptText], m.Parameters[lastCommand]), FromEcho
	case m.Truncated:
		first, _, _ := strings.Cut(told, "\n")
		if i := strings.LastIndex(log, clean.Prefix(first, recognised)); i >= 0 {
			return strings.TrimRight(log[i:], " \n"), FromEcho
		}
	}
	return told, FromHook
}

// recognised is how many bytes of a command are searched for in the log to find
// it.
const recognised = 60
