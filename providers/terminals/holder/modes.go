package holder

import (
	"bytes"
	"fmt"
	"slices"
)

// modes are the modes that a program has set in the terminal, which a later viewer
// has to set too and a leaving one has to undo: the mouse, bracketed paste, the
// alternate screen. It looks only at escape sequences; other bytes cost it a search
// for one.
type modes struct {
	on     []int // those that differ from the start, in order of setting
	keypad bool

	state   modeState
	private bool
	number  int
	numbers []int
}

type modeState int

const (
	inText modeState = iota
	inEscape
	inSequence
)

// keptModes are the private modes (xterm, "Control Sequences") that are
// tracked: cursor keys, wrapping, the cursor's visibility, mouse and focus, the
// alternate screen, bracketed paste.
var keptModes = []int{1, 7, 9, 25, 47, 1000, 1001, 1002, 1003, 1004, 1005, 1006, 1007, 1015, 1016, 1047, 1049, 2004}

// onAtFirst reports whether a mode is set in a new terminal.
func onAtFirst(mode int) bool { return mode == 7 || mode == 25 }

// otherScreen reports whether a mode selects the alternate screen.
func otherScreen(mode int) bool { return mode == 47 || mode == 1047 || mode == 1049 }

func (m *modes) write(p []byte) {
	for len(p) > 0 {
		if m.state == inText {
			i := bytes.IndexByte(p, 0x1b)
			if i < 0 {
				return
			}
			p = p[i+1:]
			m.state = inEscape
			continue
		}
		m.take(p[0])
		p = p[1:]
	}
}

// take takes one byte of an escape sequence.
func (m *modes) take(c byte) {
	switch {
	case c == 0x1b:
		m.state = inEscape
	case m.state == inEscape:
		m.state = inText
		switch c {
		case '[':
			m.state, m.private, m.number, m.numbers = inSequence, false, 0, m.numbers[:0]
		case '=', '>':
			m.keypad = c == '='
		case 'c':
			m.on, m.keypad = m.on[:0], false
		}
	case c == '?':
		m.private = true
	case c >= '0' && c <= '9':
		m.number = min(m.number*10+int(c-'0'), 1<<16)
	case c == ';':
		if len(m.numbers) < 32 {
			m.numbers = append(m.numbers, m.number)
		}
		m.number = 0
	case c >= '@' && c <= '~':
		m.state = inText
		if m.private && (c == 'h' || c == 'l') {
			for _, mode := range append(m.numbers, m.number) {
				m.set(mode, c == 'h')
			}
		}
	}
}

func (m *modes) set(mode int, on bool) {
	if !slices.Contains(keptModes, mode) {
		return
	}
	m.on = slices.DeleteFunc(m.on, func(n int) bool { return n == mode })
	if on != onAtFirst(mode) {
		m.on = append(m.on, mode)
	}
}

// alternate reports whether a full-screen program has the screen.
func (m *modes) alternate() bool { return slices.ContainsFunc(m.on, otherScreen) }

// enter returns the sequences that set in a terminal what is set; leave those
// that undo it.
func (m *modes) enter() (text []byte) {
	for _, mode := range m.on {
		text = append(text, sequence(mode, !onAtFirst(mode))...)
	}
	if m.keypad {
		text = append(text, "\x1b="...)
	}
	return text
}

func (m *modes) leave() (text []byte) {
	for _, mode := range slices.Backward(m.on) {
		text = append(text, sequence(mode, onAtFirst(mode))...)
	}
	if m.keypad {
		text = append(text, "\x1b>"...)
	}
	return append(text, "\x1b[m"...)
}

func sequence(mode int, on bool) string {
	if on {
		return fmt.Sprintf("\x1b[?%dh", mode)
	}
	return fmt.Sprintf("\x1b[?%dl", mode)
}
