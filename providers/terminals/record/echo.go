package record

import (
	"strings"

	"ctxfs/providers/internal/clean"
	"ctxfs/providers/terminals/grid"
	"ctxfs/providers/terminals/shells"
)

// tail is the text of the log since the shell's last prompt began: that, and what
// the user typed.
type tail struct {
	text []byte
	off  bool // a command runs
}

// maxTail is how much is kept of it.
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

// commandOf is the text of the command that begins, and where it is from.
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

// recognised is how much of a command tells where in the log it is.
const recognised = 60
