package grid

import "unicode/utf8"

// state is where the parser is within a sequence.
type state uint8

const (
	ground       state = iota
	escape             // after ESC
	escapeMiddle       // after ESC and an intermediate byte
	control            // in a control sequence (CSI)
	ignored            // in an invalid control sequence
	command            // in an operating system command (OSC)
	text               // in another string (DCS, SOS, PM, APC), which is ignored
)

// The limits of what is kept of a sequence: parameters, the value of one, and
// bytes. The rest is ignored; a mark that was cut says so.
const (
	maxParameters = 32
	maxParameter  = 1 << 20
	maxCommand    = 8 << 10
)

// parser is the state of the sequence that the input is in. It follows the
// state machine of DEC's VT500 as xterm.js has it.
type parser struct {
	state    state
	prefix   byte // '?', '>', '<' or '=' before the parameters
	middle   byte // an intermediate byte; the last of several
	params   [maxParameters]int
	count    int
	begun    bool // a parameter has started: no prefix can follow
	subs     bool // in sub-parameters, which affect no text
	payload  []byte
	overflow bool
}

// parse processes bytes that begin with a character's first byte.
func (g *Grid) parse(p []byte) {
	for len(p) > 0 {
		c := p[0]
		if g.parser.state == ground && c >= ' ' && c < 0x7f {
			n := printable(p)
			g.text(p[:n])
			p = p[n:]
			continue
		}
		switch {
		case c < 0x1b && g.parser.state == ground && c != 0x18 && c != 0x1a:
			g.execute(c)
			p = p[1:]
		case c == 0x1b:
			if n := colour(p); n > 0 && g.parser.state == ground {
				g.last = 0
				p = p[n:]
				continue
			}
			g.character(rune(c))
			p = p[1:]
		case c < utf8.RuneSelf:
			g.character(rune(c))
			p = p[1:]
			if g.parser.state == text {
				p = p[skippable(p):]
			}
		default:
			if g.parser.state == ground {
				if n := g.mixed(p); n > 0 {
					p = p[n:]
					continue
				}
			}
			r, n := decode(p)
			if n == 0 {
				g.tailed = copy(g.tail[:], p)
				return
			}
			g.character(r)
			p = p[n:]
		}
	}
}

// printable returns the length of the printable ASCII that p begins with.
func printable(p []byte) int {
	n := 0
	for n < len(p) && p[n] >= ' ' && p[n] < 0x7f {
		n++
	}
	return n
}

// skippable returns the length of the beginning of p that cannot end a string.
func skippable(p []byte) int {
	n := 0
	for n < len(p) && p[n] >= ' ' && p[n] < utf8.RuneSelf {
		n++
	}
	return n
}

// colour returns the length of the sequence for colours (SGR) that p, which
// begins with ESC, begins with; 0 if it begins with another or with an
// incomplete one.
func colour(p []byte) int {
	if len(p) < 3 || p[1] != '[' {
		return 0
	}
	for n := 2; n < len(p); n++ {
		switch c := p[n]; {
		case c == 'm':
			return n + 1
		case c < '0' || c > ';':
			return 0
		}
	}
	return 0
}

// decode returns the character that p begins with. Invalid UTF-8 becomes U+FFFD,
// once for the longest part that could have been the start of a character; n is 0
// if p may end within one.
func decode(p []byte) (r rune, n int) {
	switch c := p[0]; {
	case c >= utf8.RuneSelf && c < 0xc2 || c > 0xf4: // begins no character
		return utf8.RuneError, 1
	case c >= 0xc2 && c < 0xe0 && len(p) > 1 && p[1]&0xc0 == 0x80:
		return rune(c&0x1f)<<6 | rune(p[1]&0x3f), 2
	case c&0xf0 == 0xe0 && len(p) > 2 && p[1]&0xc0 == 0x80 && p[2]&0xc0 == 0x80:
		r = rune(c&0xf)<<12 | rune(p[1]&0x3f)<<6 | rune(p[2]&0x3f)
		if r >= 0x800 && r&0xf800 != 0xd800 {
			return r, 3
		}
	}
	if r, n = utf8.DecodeRune(p); r != utf8.RuneError || n != 1 {
		return r, n
	}
	if !utf8.FullRune(p) {
		return 0, 0
	}
	for n < len(p) && !utf8.FullRune(p[:n]) {
		n++
	}
	return utf8.RuneError, max(n-1, 1)
}

// text prints printable ASCII.
func (g *Grid) text(p []byte) {
	if g.translated() {
		for _, c := range p {
			g.print(rune(c))
		}
		return
	}
	g.write(p)
	g.last = rune(p[len(p)-1])
}

// translated reports whether printing takes more than writing characters at the
// cursor.
func (g *Grid) translated() bool { return g.mode.insert || g.set.drawing() }

// character processes one character in whatever state the parser is.
func (g *Grid) character(c rune) {
	p := &g.parser
	switch {
	case c == 0x18, c == 0x1a: // CAN, SUB
		p.state = ground
		g.last = 0
		return
	case c == 0x1b:
		g.endString()
		g.enter(escape)
		return
	case c >= 0x80 && c < 0xa0:
		g.endString()
		g.eighth(c)
		return
	}
	switch p.state {
	case ground:
		switch {
		case c < ' ':
			g.execute(byte(c))
		case c != 0x7f:
			g.print(c)
		}
	case escape, escapeMiddle:
		g.escaped(c)
	case control, ignored:
		g.controlled(c)
	case command:
		switch {
		case c == 0x07:
			g.endString()
			p.state = ground
		case c < ' ' || c == utf8.RuneError:
		case len(p.payload)+utf8.RuneLen(c) > maxCommand:
			p.overflow = true
		case !p.overflow:
			p.payload = utf8.AppendRune(p.payload, c)
		}
	}
}

// enter begins a sequence.
func (g *Grid) enter(s state) {
	p := &g.parser
	p.state, p.prefix, p.middle, p.begun, p.subs, p.overflow = s, 0, 0, false, false, false
	p.payload = p.payload[:0]
	p.params[0], p.count = 0, 1
}

// endString ends a string that is followed by a sequence or by its terminator.
func (g *Grid) endString() {
	if g.parser.state == command {
		g.command(g.parser.payload, g.parser.overflow)
		g.last = 0
	}
}

// eighth processes a control character of eight bits: most stand for an escape
// sequence of two.
func (g *Grid) eighth(c rune) {
	g.enter(escape)
	switch c {
	case 0x84, 0x85, 0x88, 0x8d, 0x90, 0x98, 0x9b, 0x9d, 0x9e, 0x9f: // IND NEL HTS RI DCS SOS CSI OSC PM APC
		g.escaped(c - 0x40)
	default:
		g.parser.state = ground
		g.last = 0
	}
}

// escaped processes a character after ESC.
func (g *Grid) escaped(c rune) {
	p := &g.parser
	switch {
	case c < ' ':
		g.execute(byte(c))
	case c == 0x7f:
	case c > 0x7f:
		p.state = ground
	case c < '0':
		p.state, p.middle = escapeMiddle, byte(c)
	case p.state == escape && c == '[':
		g.enter(control)
	case p.state == escape && c == ']':
		g.enter(command)
	case p.state == escape && (c == 'P' || c == 'X' || c == '^' || c == '_'):
		g.enter(text)
	default:
		p.state = ground
		g.escapeSequence(byte(c))
		g.last = 0
	}
}

// controlled processes a character of a control sequence.
func (g *Grid) controlled(c rune) {
	p := &g.parser
	switch {
	case c < ' ':
		g.execute(byte(c))
	case c == 0x7f:
	case c > 0x7f:
		if p.state == control {
			p.state = ground
		}
	case c >= '@':
		was := p.state
		p.state = ground
		if was == control {
			g.controlSequence(byte(c))
		}
		g.last = 0
	case p.state == ignored:
	case c < '0':
		p.middle = byte(c)
	case p.middle != 0:
		p.state = ignored
	case c == ':':
		p.begun, p.subs = true, true
	case c == ';':
		p.begun, p.subs = true, false
		if p.count < maxParameters {
			p.params[p.count] = 0
		}
		p.count = min(p.count+1, maxParameters+1)
	case c <= '9':
		p.begun = true
		if i := p.count - 1; !p.subs && i < maxParameters {
			p.params[i] = min(p.params[i]*10+int(c-'0'), maxParameter)
		}
	case p.begun || p.prefix != 0:
		p.state = ignored
	default:
		p.prefix = byte(c)
	}
}
